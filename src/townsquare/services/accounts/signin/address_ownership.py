"""Who an address belongs to: pure decisions about accounts, for those who have just proved that it is theirs.

Anybody can sign up with an address that is not theirs, so an address that was never confirmed gives no
rights. When its owner comes, whoever wrote it into an account must not keep a way into the owner's.
"""

from msgspec.structs import replace

from townsquare.services.accounts.models import User
from townsquare.services.accounts.signin.models import VerificationType
from townsquare.services.accounts.users import addresses, changes

EMAIL, PHONE = VerificationType.EMAIL, VerificationType.PHONE


def holds_verified(user: User, kind: VerificationType) -> bool:
    return user.email_verified if kind is EMAIL else user.phone_verified


def is_somebody_elses(user: User, kind: VerificationType) -> bool:
    """Whether an account with this unconfirmed address is known to be of a person, by other proof."""
    if holds_verified(user, kind):
        return False
    return bool(user.providers) or user.email_verified or user.phone_verified


def verified(user: User, kind: VerificationType) -> User:
    return changes.with_verified_email(user) if kind is EMAIL else changes.with_verified_phone(user)


def taken_over(user: User, kind: VerificationType, now: str) -> User:
    """The account for the owner of its address: nothing that was set before the proof opens it."""
    if holds_verified(user, kind):
        return user
    without = changes.with_password(replace(user, device_id=None), None, now)
    without = addresses.with_phone(without, None) if kind is EMAIL else addresses.with_email(without, None)
    return verified(addresses.without_pending(without), kind)


def given_up(user: User, kind: VerificationType) -> User:
    """Without an address that turned out to be somebody else's."""
    return addresses.with_email(user, None) if kind is EMAIL else addresses.with_phone(user, None)


def pending_confirmed(user: User, kind: VerificationType) -> User:
    """The address that was waited for takes the place of the one before."""
    if kind is EMAIL:
        return verified(addresses.with_email(user, user.pending_email), kind)
    return verified(addresses.with_phone(user, user.pending_phone), kind)
