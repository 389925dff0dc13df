"""Changes of accounts after somebody has proved to own an address, as pure functions.

Anybody can sign up with the address of another person, so an unconfirmed address gives no rights. When the
owner proves the address, whoever entered it before must not retain access.
"""

from msgspec.structs import replace

from townsquare.services.accounts.models import User
from townsquare.services.accounts.signin.models import VerificationType
from townsquare.services.accounts.users import changes

EMAIL, PHONE = VerificationType.EMAIL, VerificationType.PHONE


def holds_verified(user: User, kind: VerificationType) -> bool:
    return user.email_verified if kind is EMAIL else user.phone_verified


def is_somebody_elses(user: User, kind: VerificationType) -> bool:
    """Whether an account with this unconfirmed address has another proven owner."""
    if holds_verified(user, kind):
        return False
    return bool(user.providers) or user.email_verified or user.phone_verified


def verified(user: User, kind: VerificationType) -> User:
    return changes.with_verified_email(user) if kind is EMAIL else changes.with_verified_phone(user)


def taken_over(user: User, kind: VerificationType, now: str) -> User:
    """The account for the proven owner: credentials from before the proof are removed."""
    if holds_verified(user, kind):
        return user
    without = changes.with_password(replace(user, device_id=None), None, now)
    without = changes.with_phone(without, None) if kind is EMAIL else changes.with_email(without, None)
    return verified(changes.without_pending(without), kind)


def given_up(user: User, kind: VerificationType) -> User:
    """The account without an address that belongs to another person."""
    return changes.with_email(user, None) if kind is EMAIL else changes.with_phone(user, None)


def pending_confirmed(user: User, kind: VerificationType) -> User:
    """The account with the pending address as its address."""
    if kind is EMAIL:
        return verified(changes.with_email(user, user.pending_email), kind)
    return verified(changes.with_phone(user, user.pending_phone), kind)
