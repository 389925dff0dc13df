"""Commenters: records of accounts and of users of single sign-on."""

from collections.abc import Sequence

from townsquare.clock import iso
from townsquare.kit.text import BadText, visible_name
from townsquare.kit.urls import is_web_url
from townsquare.services.accounts.models import User, public_name
from townsquare.services.accounts.users import Users
from townsquare.services.events import UserSnapshot
from townsquare.services.threads import keys, records
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.notifications import NOTICE_TYPES
from townsquare.services.threads.problems import BadCommenter, CommenterNotFound, NotYourName
from townsquare.services.threads.scripts import SaveUser
from townsquare.services.threads.single_sign_on import SsoUser
from townsquare.store.store import Store

NOBODY = "Anonymous"
NAME_LENGTH = 50
SSO = "sso:"  # prefix of the provider of such a user; the site follows


class Commenters:
    def __init__(self, store: Store, users: Users) -> None:
        self._store = store
        self._users = users

    async def get(self, user_id: str) -> CommenterRecord:
        """The record of a commenter. The first call creates it from the account."""
        record = await self._find(user_id)
        if record is not None:
            return record
        account = await self._users.get(user_id)
        await self.save(user_id, fields_of(account), create=True)
        record = await self._find(user_id)
        if record is None:
            raise CommenterNotFound()
        return record

    async def _find(self, user_id: str) -> CommenterRecord | None:
        if not keys.USER_ID.matches(user_id):
            raise CommenterNotFound()
        record = await self._store.read_one(records.COMMENTER, user_id)
        if record is not None and record.deleting:
            raise CommenterNotFound()
        return record

    async def mentioned(self, names: Sequence[str]) -> str | None:
        """The ids of the accounts with these usernames, separated by commas."""
        return ",".join(await self.with_names(names)) or None if names else None

    async def with_names(self, names: Sequence[str]) -> list[str]:
        """The ids of the accounts with these usernames, each with a record, so that they can be notified."""
        ids = await self._users.ids_of_names(names)
        for id in ids:
            await self.get(id)
        return ids

    async def save(self, user_id: str, fields: dict[str, str | None], *, create: bool = False) -> bool:
        created_at = iso(self._store.clock.now_ms())
        return await self._store.run(
            SaveUser(user_id=user_id, fields=fields, create=create, created_at=created_at)
        )

    async def save_sso_user(self, site_id: str, user: SsoUser) -> None:
        """Save the user of a single sign-on token, if something has changed."""
        fields = {
            "name": user.name,
            "email": user.email,
            "avatar_url": user.avatar,
            "provider": f"{SSO}{site_id}",
            "provider_id": user.sub,
            "email_verified": flag(user.email is not None),  # the site has verified it
            "phone_verified": flag(False),
        }
        known = await self._store.call("HMGET", keys.user(user.id), *fields)
        if [value and value.decode() for value in known] != [*fields.values()]:
            await self.save(user.id, fields, create=True)

    async def apply_account_update(self, before: UserSnapshot | None, after: UserSnapshot | None) -> int:
        """Update the name and avatar of a commenter from the account."""
        record = await self._store.get(keys.user(after.id)) if after is not None else None
        if after is not None and record is not None:
            account = await self._users.get(after.id)
            fields = fields_of(account)
            if "mail" in (account.notifications.get("reply"), account.notifications.get("mention")):
                fields["mail_off"] = flag(False)
            kept = ("name", "avatar_url") if record.named else ()
            await self.save(after.id, {name: value for name, value in fields.items() if name not in kept})
        return 0

    def check_name(self, name: str) -> None:
        """Raise if the name is not valid."""
        checked_commenter_name(name)

    async def known(self, user_id: str) -> CommenterRecord:
        """The record of a commenter, if it exists."""
        record = await self._find(user_id)
        if record is None:
            raise CommenterNotFound()
        return record

    async def set_own_name(
        self, user_id: str, *, name: str | None = None, avatar_url: str | None = None
    ) -> CommenterRecord:
        """Set a name or picture that differs from the account. An empty URL removes the picture."""
        known = await self.get(user_id)
        if known.provider.startswith(SSO):
            raise NotYourName()
        fields: dict[str, str | None] = {"named": flag(True)}
        if name is not None:
            fields["name"] = checked_commenter_name(name)
        if avatar_url is not None:
            if avatar_url and not is_web_url(avatar_url):
                raise BadCommenter("avatar_url: use an http or https URL")
            fields["avatar_url"] = avatar_url or None
        await self.save(user_id, fields)
        return await self.get(user_id)


def fields_of(account: User) -> dict[str, str | None]:
    provider = next(iter(account.providers), None)
    if provider is None:
        provider = "email" if account.email else "phone" if account.phone else "username"
    off = [kind for kind, type in NOTICE_TYPES.items() if type in account.notices_off]
    return {
        "name": public_name(account) or NOBODY,
        "email": account.email,
        "phone": account.phone,
        "avatar_url": account.avatar,
        "provider": provider if account.registered else "anonymous",
        "provider_id": account.providers.get(provider),
        "email_verified": flag(account.email_verified),
        "phone_verified": flag(account.phone_verified),
        "notices_off": " ".join(off) or None,
    }


def checked_commenter_name(name: str) -> str:
    try:
        return visible_name(name, NAME_LENGTH)
    except BadText:
        raise BadCommenter(f"name: use 1 to {NAME_LENGTH} visible characters") from None


def flag(value: bool) -> str:
    return "true" if value else "false"
