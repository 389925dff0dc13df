"""How a comment arrives, and the comment as it is screened."""

from collections.abc import Sequence

import msgspec

from townsquare.services.threads.content import Rendered
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import SiteConfig, Viewer


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """The request by which a comment arrives, as evidence against bots."""

    honeypot: str = ""  # a form field that people do not see
    elapsed_ms: int | None = None  # since the form was shown
    turnstile: str = ""  # the token of a Turnstile check in the browser
    proof: str | None = None  # the solution of a proof-of-work challenge
    solves_challenges: bool = True  # False: the client has no code for it
    ip: str = ""
    user_agent: str = ""


class CommentDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A new comment, or the new text of a comment, before it is published."""

    viewer: Viewer
    site: SiteConfig
    author: CommenterRecord
    page_url: str
    content: str
    rendered: Rendered
    submission: Submission | None = None  # None: an edit, or a call of the library
    duplicates: Sequence[str] = ()  # ids of the author's recent comments with the same text
