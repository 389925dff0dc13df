from pathlib import Path

from townsquare.services.threads import problems as problems  # the codes that scripts refuse with
from townsquare.services.threads.keys import common, threads
from townsquare.services.threads.models.notifications import ABOUT_NEW_COMMENTS, NotificationType
from townsquare.services.threads.models.sites import Alerts
from townsquare.services.threads.records import COMMENT_FIELDS
from townsquare.store.scripts import LuaFolder

lua = LuaFolder(
    threads,
    Path(__file__).parent.parent / "lua",
    constants={
        **vars(common),
        "COMMENT_FIELDS": list(COMMENT_FIELDS.fields),
        "ALERT_MINUTES": Alerts().every_minutes,
        **{f"NOTIFY_{one.name}": one.value for one in NotificationType},
        "NOTIFY_ABOUT_NEW_COMMENTS": ABOUT_NEW_COMMENTS,
    },
)
