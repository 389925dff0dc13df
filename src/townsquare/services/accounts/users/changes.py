"""Changes of a user, as pure functions from the old document to the new one.

`Users.edit` writes the result with a compare-and-set, so an edit may run more than once.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from townsquare.services.accounts.models import FULL_TRUST, AccountStatus, Facts, FraudFlag, User
from townsquare.services.accounts.problems import ConsentRequired, FlagNotFound
from townsquare.services.accounts.signin.models import VerificationType
from townsquare.services.accounts.users import normalise

PHONE_TRUST, ID_TRUST = 5, 10
FLAG_COST = 20
LEAST_TRUST = 30  # an account below it is suspended
FLAGS_TO_SUSPEND = 3

NEVER_NONE: dict[str, Any] = {"links": (), "custom": {}, "notifications": {}}
EMAIL, PHONE = VerificationType.EMAIL, VerificationType.PHONE


def with_profile(user: User, fields: Mapping[str, Any]) -> User:
    """Apply the normalised fields of a `UserProfile`; a new address or number is unverified."""
    kept_apart = ("email", "phone", "geolocation", "geolocation_consent")
    plain = {name: value for name, value in fields.items() if name not in kept_apart}
    for name, empty in NEVER_NONE.items():
        if name in plain and plain[name] is None:
            plain[name] = empty
    if fields.get("custom"):
        plain["custom"] = merged_custom(user.custom, fields["custom"])
    if fields.get("notifications"):
        plain["notifications"] = {**user.notifications, **fields["notifications"]}
    if "notifications" in plain:
        channels = plain["notifications"].values()
        plain["mailed"] = next((kind for kind in ("mail", "digest") if kind in channels), None)
    after = replace(user, **plain)
    if "email" in fields:
        after = with_wanted_email(after, fields["email"])
    if "phone" in fields:
        after = with_wanted_phone(after, fields["phone"])
    if "geolocation_consent" in fields:
        after = replace(after, geolocation_consent=True) if fields["geolocation_consent"] else hidden(after)
    if "geolocation" not in fields:
        return after
    if fields["geolocation"] is not None and not after.geolocation_consent:
        raise ConsentRequired()
    return replace(after, geolocation=fields["geolocation"])


def merged_custom(custom: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    both = {**custom, **given}
    return normalise.custom({name: value for name, value in both.items() if value is not None}, "custom")


def with_facts(user: User, facts: Facts, now: str) -> User:
    """Apply the facts of a sign-up; a suspended or disabled visitor stays so."""
    status = facts.account_status if user.account_status.may_sign_in else user.account_status
    after = replace(
        user,
        password_hash=facts.password_hash,
        password_changed_at=now if facts.password_hash else None,
        providers=dict(normalise.provider(name, id) for name, id in facts.providers.items()),
        outside=facts.outside or user.outside,
        email_verified=facts.email_verified and user.email is not None,
        account_status=status,
        role=facts.role,
        registered=True,
    )
    return with_verified_phone(after) if facts.phone_verified and user.phone else after


def hidden(user: User) -> User:
    """Without consent: no geolocation, province or city."""
    return replace(user, geolocation_consent=False, geolocation=None, province=None, city=None)


def with_provider(user: User, provider: str, id: str) -> User:
    name, checked = normalise.provider(provider, id)
    return replace(user, providers={**user.providers, name: checked})


def without_provider(user: User, provider: str) -> User:
    return replace(user, providers={name: id for name, id in user.providers.items() if name != provider})


def with_password(user: User, password_hash: str | None, now: str) -> User:
    """Set a password; all sessions end."""
    return replace(user, password_hash=password_hash, password_changed_at=now)


def with_verified_email(user: User) -> User:
    return user if user.email is None else activated(replace(user, email_verified=True))


def with_verified_phone(user: User) -> User:
    if user.phone is None:
        return user
    return with_trust_grant(activated(replace(user, phone_verified=True)), "phone", PHONE_TRUST)


def activated(user: User) -> User:
    """Activate an account that was pending verification."""
    waited = user.account_status is AccountStatus.PENDING_VERIFICATION
    return replace(user, account_status=AccountStatus.ACTIVE) if waited else user


def with_verified_id(user: User) -> User:
    return with_trust_grant(replace(user, id_verified=True), "id", ID_TRUST)


def with_trust_grant(user: User, grant: str, worth: int) -> User:
    """Add trust for a verification; each kind counts once."""
    if grant in user.trust_grants:
        return user
    score = min(FULL_TRUST, user.trust_score + worth)
    return replace(user, trust_score=score, trust_grants=(*user.trust_grants, grant))


def with_flag(user: User, flag: FraudFlag) -> User:
    if any(known.id == flag.id for known in user.fraud_flags):
        return user
    score = max(0, user.trust_score - FLAG_COST)
    return suspended_if_untrusted(replace(user, fraud_flags=(*user.fraud_flags, flag), trust_score=score))


def without_flag(user: User, flag_id: str) -> User:
    """Remove a flag and restore its cost in trust; a suspension stays."""
    kept = tuple(flag for flag in user.fraud_flags if flag.id != flag_id)
    if len(kept) == len(user.fraud_flags):
        raise FlagNotFound()
    return replace(user, fraud_flags=kept, trust_score=min(FULL_TRUST, user.trust_score + FLAG_COST))


def suspended_if_untrusted(user: User) -> User:
    fallen = user.trust_score < LEAST_TRUST or len(user.fraud_flags) >= FLAGS_TO_SUSPEND
    if fallen and user.account_status.may_sign_in:
        return replace(user, account_status=AccountStatus.SUSPENDED)
    return user


def has_a_way_in(user: User) -> bool:
    named = user.username or user.email or user.phone
    return bool(user.providers or user.outside or user.email or user.phone or (user.password_hash and named))


def with_wanted_email(user: User, typed: str | None) -> User:
    """A new address replaces a confirmed one only after it is confirmed: a typing error must not give the
    account to a stranger. An unconfirmed address gives no rights and is replaced at once."""
    if typed and user.email and user.email_verified and normalise.mailbox(typed) != user.email:
        return replace(user, pending_email=typed)
    return with_email(user, typed)


def with_wanted_phone(user: User, phone: str | None) -> User:
    if phone and user.phone and user.phone_verified and phone != user.phone:
        return replace(user, pending_phone=phone)
    return with_phone(user, phone)


def with_email(user: User, typed: str | None) -> User:
    """Set the address; another spelling of the same mailbox stays confirmed."""
    mailbox = normalise.mailbox(typed) if typed else None
    return replace(
        user,
        email=mailbox,
        email_as_typed=typed if typed != mailbox else None,
        email_verified=user.email_verified and mailbox == user.email,
        pending_email=None,
    )


def with_phone(user: User, phone: str | None) -> User:
    verified = user.phone_verified and phone == user.phone
    return replace(user, phone=phone, phone_verified=verified, pending_phone=None)


def without_pending(user: User) -> User:
    return replace(user, pending_email=None, pending_phone=None)


def holds_verified(user: User, kind: VerificationType) -> bool:
    return user.email_verified if kind is EMAIL else user.phone_verified


def is_somebody_elses(user: User, kind: VerificationType) -> bool:
    """Whether an account with this unconfirmed address has another proven owner.

    Anybody can sign up with the address of another person, so an unconfirmed address gives no rights. When
    the owner proves the address, whoever entered it before must not retain access (`taken_over`, `given_up`).
    """
    if holds_verified(user, kind):
        return False
    return bool(user.providers) or user.email_verified or user.phone_verified


def verified(user: User, kind: VerificationType) -> User:
    return with_verified_email(user) if kind is EMAIL else with_verified_phone(user)


def taken_over(user: User, kind: VerificationType, now: str) -> User:
    """The account for the proven owner: credentials from before the proof are removed."""
    if holds_verified(user, kind):
        return user
    without = with_password(replace(user, device_id=None), None, now)
    without = with_phone(without, None) if kind is EMAIL else with_email(without, None)
    return verified(without_pending(without), kind)


def given_up(user: User, kind: VerificationType) -> User:
    """The account without an address that belongs to another person."""
    return with_email(user, None) if kind is EMAIL else with_phone(user, None)


def pending_confirmed(user: User, kind: VerificationType) -> User:
    """The account with the pending address as its address."""
    if kind is EMAIL:
        return verified(with_email(user, user.pending_email), kind)
    return verified(with_phone(user, user.pending_phone), kind)
