"""Changes of the email address and phone number, as pure functions from the old document to the new one.

A new address replaces a confirmed one only after it is confirmed: a typing error must not give the account to
a stranger. An unconfirmed address gives no rights and is replaced at once.
"""

from msgspec.structs import replace

from townsquare.services.accounts.models import User
from townsquare.services.accounts.users import normalise


def with_wanted_email(user: User, typed: str | None) -> User:
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
