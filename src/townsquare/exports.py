"""Everything that users of the library import: `townsquare` has all of it, loaded when it is asked for."""

from townsquare.api import Identity, Quota
from townsquare.blocking import BlockingSquare, connect
from townsquare.cache import Cache, CacheNamespace, NearestEntry, SemanticNamespace, text_digest
from townsquare.comment_files.models import Skipped
from townsquare.keyspace import Key
from townsquare.kit.paging import Page
from townsquare.problems import (
    BadCursor,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    OutcomeUnknown,
    Problem,
    Taken,
    TooManyRequests,
    Unauthorized,
    Unavailable,
)
from townsquare.service import AccountUpdates, CommandGroup, Link, Pages, Privacy, Service
from townsquare.services.accounts.models import (
    AccountStatus,
    Facts,
    FraudFlag,
    Geolocation,
    OutsideIdentity,
    PrivateUser,
    User,
    UserProfile,
    UserRole,
)
from townsquare.services.accounts.privacy import UserExport
from townsquare.services.accounts.signin.delivery import OutgoingMessage
from townsquare.services.accounts.signin.models import (
    Client,
    IdToken,
    OAuthCode,
    ProviderRedirect,
    SessionView,
    SignedIn,
    SignInMethods,
)
from townsquare.services.accounts.signin.tokens.access import TokenClaims
from townsquare.services.analytics.models import (
    Activity,
    DayActivity,
    EventExport,
    Interaction,
    ProductFigures,
    RankedProduct,
    RankedTerm,
    Rating,
    Recorded,
    Search,
    Session,
    Step,
    View,
    ViewHistory,
    Wishlist,
)
from townsquare.services.events import RequestedName, UserSnapshot
from townsquare.services.search import models as search_models
from townsquare.services.search.models import *  # noqa: F403
from townsquare.services.social.models import (
    Change,
    CountedChange,
    Item,
    ModelRank,
    Post,
    PostReport,
    Profile,
    ReportedPost,
    SeenProfile,
    TagPosts,
    Trend,
)
from townsquare.services.social.service.account_link import AccountLink
from townsquare.services.social.service.rename_user import NameState
from townsquare.services.social.sync_records import SyncResult
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.comments import (
    Author,
    Comment,
    Commenter,
    CommentPage,
    NewComment,
    PlacedComment,
    RecentComment,
    Voted,
)
from townsquare.services.threads.models.imports import ImportReport, ImportState
from townsquare.services.threads.models.live import (
    LiveEvent,
    MonthUsage,
    PageEvents,
    PageviewCounted,
    Pageviews,
    Present,
)
from townsquare.services.threads.models.moderation import (
    BannedUser,
    BanOutcome,
    CommentReport,
    LogEntry,
    QueuedComment,
    ReportedComment,
)
from townsquare.services.threads.models.notifications import Notification, NotificationPage, NotificationType
from townsquare.services.threads.models.pages import Merged, Moved, SitePage
from townsquare.services.threads.models.sites import (
    Alerts,
    Display,
    HoldRules,
    NewSite,
    RateLimits,
    Site,
    SiteConfig,
    SiteSettings,
    Viewer,
)
from townsquare.services.threads.models.threadkit import Tree, TreeComment, WholeThread
from townsquare.services.threads.service.comments import PageAddress
from townsquare.services.threads.service.event_history import LiveMessage
from townsquare.services.threads.service.exporting import ExportReport
from townsquare.services.threads.service.live_client import LiveClient
from townsquare.services.threads.service.request_limits import Counted
from townsquare.services.threads.service.sign_in import (
    SessionUser,
    SiteSession,
    SiteSignedIn,
    SiteUser,
    SiteView,
)
from townsquare.services.threads.service.submission import Submission
from townsquare.services.threads.single_sign_on import SsoUser
from townsquare.services.widgets.models.bbs import (
    Board,
    BoardExport,
    BoardSettings,
    Message,
    Pagination,
    Select,
    ShownMessage,
    ShownSettings,
)
from townsquare.services.widgets.models.common import OwnerSettings
from townsquare.services.widgets.models.counter import CounterExport, DayCount, Figures, History
from townsquare.services.widgets.models.like import LikeExport, Likes
from townsquare.services.widgets.models.ranking import (
    ExportedEntry,
    RankingEntry,
    RankingExport,
    RankingSettings,
    Standings,
)
from townsquare.services.widgets.scripts import CreatedWidget
from townsquare.services.widgets.visitors import Visitor
from townsquare.settings import Settings, SettingsError
from townsquare.square import Square, open
from townsquare.store.engine import EngineError
from townsquare.web.asgi import Asgi, asgi

__all__ = [
    "AccountLink",
    "AccountStatus",
    "AccountUpdates",
    "Activity",
    "Alerts",
    "Asgi",
    "Author",
    "BadCursor",
    "BanOutcome",
    "BannedUser",
    "BlockingSquare",
    "Board",
    "BoardExport",
    "BoardSettings",
    "Cache",
    "CacheNamespace",
    "Change",
    "Client",
    "CommandGroup",
    "Comment",
    "CommentPage",
    "CommentRecord",
    "CommentReport",
    "Commenter",
    "CommenterRecord",
    "Conflict",
    "Counted",
    "CountedChange",
    "CounterExport",
    "CreatedWidget",
    "DayActivity",
    "DayCount",
    "Display",
    "EngineError",
    "EventExport",
    "ExportReport",
    "ExportedEntry",
    "Facts",
    "Figures",
    "Forbidden",
    "FraudFlag",
    "Geolocation",
    "History",
    "HoldRules",
    "IdToken",
    "Identity",
    "ImportReport",
    "ImportState",
    "Interaction",
    "Invalid",
    "Item",
    "Key",
    "LikeExport",
    "Likes",
    "Link",
    "LiveClient",
    "LiveEvent",
    "LiveMessage",
    "LogEntry",
    "Merged",
    "Message",
    "ModelRank",
    "MonthUsage",
    "Moved",
    "NameState",
    "NearestEntry",
    "NewComment",
    "NewSite",
    "NotFound",
    "Notification",
    "NotificationPage",
    "NotificationType",
    "OAuthCode",
    "OutcomeUnknown",
    "OutgoingMessage",
    "OutsideIdentity",
    "OwnerSettings",
    "Page",
    "PageAddress",
    "PageEvents",
    "Pages",
    "PageviewCounted",
    "Pageviews",
    "Pagination",
    "PlacedComment",
    "Post",
    "PostReport",
    "Present",
    "Privacy",
    "PrivateUser",
    "Problem",
    "ProductFigures",
    "Profile",
    "ProviderRedirect",
    "QueuedComment",
    "Quota",
    "RankedProduct",
    "RankedTerm",
    "RankingEntry",
    "RankingExport",
    "RankingSettings",
    "RateLimits",
    "Rating",
    "RecentComment",
    "Recorded",
    "ReportedComment",
    "ReportedPost",
    "RequestedName",
    "Search",
    "SeenProfile",
    "Select",
    "SemanticNamespace",
    "Service",
    "Session",
    "SessionUser",
    "SessionView",
    "Settings",
    "SettingsError",
    "ShownMessage",
    "ShownSettings",
    "SignInMethods",
    "SignedIn",
    "Site",
    "SiteConfig",
    "SitePage",
    "SiteSession",
    "SiteSettings",
    "SiteSignedIn",
    "SiteUser",
    "SiteView",
    "Skipped",
    "Square",
    "SsoUser",
    "Standings",
    "Step",
    "Submission",
    "SyncResult",
    "TagPosts",
    "Taken",
    "TokenClaims",
    "TooManyRequests",
    "Tree",
    "TreeComment",
    "Trend",
    "Unauthorized",
    "Unavailable",
    "User",
    "UserExport",
    "UserProfile",
    "UserRole",
    "UserSnapshot",
    "View",
    "ViewHistory",
    "Viewer",
    "Visitor",
    "Voted",
    "WholeThread",
    "Wishlist",
    "asgi",
    "connect",
    "open",
    "text_digest",
]
__all__ += search_models.__all__
