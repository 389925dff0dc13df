"""Everything that users of the library import from `townsquare`, by module.

`scripts/generate` writes the type stub `__init__.pyi` from this table.
"""

PUBLIC_NAMES = {
    "townsquare.api": "Identity Quota",
    "townsquare.blocking": "BlockingSquare connect",
    "townsquare.cache": "Cache CacheNamespace NearestEntry SemanticNamespace text_digest",
    "townsquare.comment_files.models": "Skipped",
    "townsquare.keyspace": "Key",
    "townsquare.kit.paging": "Cursor Page",
    "townsquare.problems": (
        "BadCursor Conflict Forbidden Invalid NotFound OutcomeUnknown Problem Taken TooManyRequests "
        "Unauthorized Unavailable"
    ),
    "townsquare.service": "AccountUpdates CommandGroup Imported Link Pages Privacy Service",
    "townsquare.services.accounts.audit": "AuditEntry",
    "townsquare.services.accounts.models": (
        "AccountStatus Facts FraudFlag Geolocation OutsideIdentity PrivateUser User UserProfile UserRole"
    ),
    "townsquare.services.accounts.notifications": "NotificationList",
    "townsquare.services.accounts.privacy": "UserExport",
    "townsquare.services.accounts.signin.delivery": "OutgoingMessage",
    "townsquare.services.accounts.signin.models": (
        "Client IdToken OAuthCode ProviderRedirect SessionView SignedIn SignInMethods"
    ),
    "townsquare.services.accounts.signin.tokens.access": "TokenClaims",
    "townsquare.services.analytics.models": (
        "Activity DayActivity EventExport Interaction ProductFigures RankedProduct RankedTerm Rating "
        "Recorded Search Session Step View ViewHistory Wishlist"
    ),
    "townsquare.services.events": "Notice NotificationSource RequestedName UserSnapshot",
    "townsquare.services.images.models": "Image ImagePolicy ImageRecord ImageSize StoredFile",
    "townsquare.services.search.models.details": (
        "CastMember CrewMember FilmDetails FilmImages Trailer WatchProviders"
    ),
    "townsquare.services.search.models.films": "Film FilmRole",
    "townsquare.services.search.models.results": (
        "ChannelUse Explanation FoundFilm IndexProgress KeywordFacet MatchReason RerankWeights ScoredFilm "
        "SearchAnswer SearchFilters SearchNotice SearchStep TitleMatch UnderstoodPart"
    ),
    "townsquare.services.search.models.understanding": (
        "ChannelWeights Choice ChoicePreference DateRange DurationPreference EntityCandidate "
        "LexicalEntities MetadataPreferences NumberRange PopularTrendingPreference "
        "QueryUnderstandingResponse ReceptionPreference ReleaseDatePreference Subquery SubqueryWeight "
        "VectorSubqueries VectorWeights"
    ),
    "townsquare.services.social.models": (
        "Change CountedChange Item ModelRank Post PostReport Profile ReportedPost SeenProfile TagPosts Trend"
    ),
    "townsquare.services.social.service.rename_user": "NameState",
    "townsquare.services.social.sync_records": "SyncResult",
    "townsquare.services.threads.keys.comments": "CommentRecord",
    "townsquare.services.threads.keys.users": "CommenterRecord",
    "townsquare.services.threads.models.comments": (
        "Author Comment Commenter CommentPage NewComment PlacedComment RecentComment Voted"
    ),
    "townsquare.services.threads.models.imports": "ImportReport ImportState",
    "townsquare.services.threads.models.live": (
        "LiveEvent MonthUsage PageEvents PageviewCounted Pageviews Present"
    ),
    "townsquare.services.threads.models.moderation": (
        "BannedUser BanOutcome CommentReport LogEntry QueuedComment ReportedComment WaitingComment"
    ),
    "townsquare.services.threads.models.notifications": "Notification NotificationPage NotificationType",
    "townsquare.services.threads.models.sites": (
        "Alerts Display HoldRules ModeratedSite NewSite PageJob RateLimits Site SiteConfig SiteOverview "
        "SitePage SiteSettings Viewer"
    ),
    "townsquare.services.threads.models.threadkit": "Tree TreeComment WholeThread",
    "townsquare.services.threads.page_urls": "PageAddress",
    "townsquare.services.threads.service.page_events": "LiveMessage",
    "townsquare.services.threads.service.exporting": "ExportReport",
    "townsquare.services.threads.service.live_client": "LiveClient",
    "townsquare.services.threads.service.presentation": "TaggedJson",
    "townsquare.services.threads.service.request_limits": "Counted",
    "townsquare.services.threads.service.sign_in": "SessionUser SiteSession SiteSignedIn SiteUser SiteView",
    "townsquare.services.threads.single_sign_on": "SsoUser",
    "townsquare.services.threads.spam": "Submission",
    "townsquare.services.widgets.ids": "Visitor",
    "townsquare.services.widgets.models": (
        "Board BoardExport BoardSettings CounterExport DayCount ExportedEntry Figures History LikeExport "
        "Likes Message OwnerSettings Pagination RankingEntry RankingExport RankingSettings Select "
        "ShownMessage ShownSettings Standings"
    ),
    "townsquare.services.widgets.script_types": "CreatedWidget",
    "townsquare.settings": "Settings SettingsError",
    "townsquare.square": "open Square",
    "townsquare.store.engine": "EngineError",
    "townsquare.web.site": "Asgi asgi",
}
MODULE_OF = {name: module for module, names in PUBLIC_NAMES.items() for name in names.split()}
