"""The Lua scripts as structs, made from the headers of `lua/*.lua`. `scripts.pyi` has their types."""

from pathlib import Path

from townsquare.services.threads import problems as problems  # the codes that scripts refuse with
from townsquare.services.threads.keys import common, threads
from townsquare.services.threads.models.notifications import ABOUT_NEW_COMMENTS, NotificationType
from townsquare.services.threads.models.sites import Alerts
from townsquare.services.threads.records import COMMENT_FIELDS
from townsquare.services.threads.script_types import AuthorState
from townsquare.store.scripts import LuaFolder

lua = LuaFolder(
    threads,
    Path(__file__).parent / "lua",
    constants={
        **vars(common),
        "COMMENT_FIELDS": list(COMMENT_FIELDS.fields),
        "ALERT_MINUTES": Alerts().every_minutes,
        **{f"NOTIFY_{one.name}": one.value for one in NotificationType},
        "NOTIFY_ABOUT_NEW_COMMENTS": ABOUT_NEW_COMMENTS,
    },
)

globals().update(
    lua.declare_scripts(
        read_author_state=AuthorState,
        create_comment="CommentCreated",
        vote_comment="VoteCounts",
        report_comment="ReportTaken",
        import_comments="ImportCounts",
        count_view="ViewCounted",
        change_site="OldKeys",
        set_ban="BanSet",
        begin_ban_step="BanStep",
        read_notifications="NotificationsRead",
        begin_page_mail="PageMail",
    )
)
