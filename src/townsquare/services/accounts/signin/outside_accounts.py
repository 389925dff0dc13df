"""Accounts of users of an outside token issuer: found by `iss` and `sub`, created on first use.

The username at the issuer is used here if it is valid and free, and follows its changes.
"""

from msgspec.structs import replace

from townsquare.kit.usernames import is_username
from townsquare.logger import get_logger
from townsquare.problems import Invalid, Taken
from townsquare.services.accounts.models import Facts, OutsideIdentity, User, UserProfile
from townsquare.services.accounts.problems import UserChanged, taken
from townsquare.services.accounts.signin.tokens.access import TokenClaims
from townsquare.services.accounts.users import Users, changes

ATTEMPTS = 3  # concurrent requests of one person

log = get_logger()


class OutsideAccounts:
    def __init__(self, users: Users) -> None:
        self._users = users

    async def account_of(self, claims: TokenClaims) -> User:
        for attempt in range(ATTEMPTS):
            user = await self._users.find_by_outside(claims.outside, claims.sub)
            if user is not None:
                return await self._follow_name(user, claims)
            try:
                last = attempt == ATTEMPTS - 1
                return await self._first_sight(replace(claims, username="") if last else claims)
            except (Taken, Invalid):
                continue
        raise UserChanged()

    async def _first_sight(self, claims: TokenClaims) -> User:
        identity = OutsideIdentity(
            issuer=claims.outside, subject=claims.sub, username=claims.username, named_at=claims.iat
        )
        name = claims.username if is_username(claims.username) else None
        holder = await self._users.find_by("username", name) if name else None
        if holder is not None and is_nobody_elses(holder):
            return await self._users.edit(holder.id, lambda user: adopted(user, identity))
        if holder is not None or (claims.username and not name):
            log.warning("outside username not used", username=claims.username, taken=holder is not None)
            name = None
        return await self._users.create(UserProfile(username=name), Facts(outside=identity), vouched=True)

    async def _follow_name(self, user: User, claims: TokenClaims) -> User:
        """Apply the username of a token; a token without one changes nothing."""
        known = user.outside
        if not known or claims.named_by_subject or claims.username in ("", known.username):
            return user
        if claims.iat <= known.named_at:
            return user
        renamed = replace(known, username=claims.username, named_at=claims.iat)
        try:
            if not is_username(claims.username):
                raise Invalid("this cannot be a username here")
            return await self._users.edit(
                user.id, lambda user: replace(user, username=claims.username, outside=renamed)
            )
        except (Taken, Invalid) as refused:
            log.warning("outside username not followed", username=claims.username, why=str(refused))
            return await self._users.edit(user.id, lambda user: replace(user, outside=renamed))


def is_nobody_elses(user: User) -> bool:
    """Whether an account has no sign-in method: it was created for an outside identity."""
    return user.registered and not changes.has_a_way_in(user)


def adopted(user: User, identity: OutsideIdentity) -> User:
    if not is_nobody_elses(user):
        raise taken("username")
    return replace(user, outside=identity)
