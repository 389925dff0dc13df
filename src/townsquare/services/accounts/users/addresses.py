"""The email address and the phone number of a user: pure functions from the document before to the one after.

Another address waits until it is confirmed where there is a confirmed one: a slip of the pen must not hand
the account to a stranger. An address that nobody has confirmed gives no rights and is replaced at once.
"""

from msgspec.structs import replace

from townsquare.kit.email_addresses import mailbox_of
from townsquare.services.accounts.models import User
from townsquare.services.accounts.users import normalise


def with_wanted_email(user: User, typed: str | None) -> User:
    if typed and user.email and user.email_verified and normalise.mailbox(typed) != respelled(user.email):
        return replace(user, pending_email=typed)
    return with_email(user, typed)


def with_wanted_phone(user: User, phone: str | None) -> User:
    if phone and user.phone and user.phone_verified and phone != user.phone:
        return replace(user, pending_phone=phone)
    return with_phone(user, phone)


def with_email(user: User, typed: str | None) -> User:
    """With this address from now on; another spelling of the same mailbox is as confirmed as it was."""
    mailbox = normalise.mailbox(typed) if typed else None
    same = user.email is not None and mailbox == respelled(user.email)
    return replace(
        user,
        email=user.email if same else mailbox,
        email_as_typed=typed if typed != mailbox else None,
        email_verified=same and user.email_verified,
        pending_email=None,
    )


def with_phone(user: User, phone: str | None) -> User:
    verified = user.phone_verified and phone == user.phone
    return replace(user, phone=phone, phone_verified=verified, pending_phone=None)


def without_pending(user: User) -> User:
    return replace(user, pending_email=None, pending_phone=None)


def respelled(email: str) -> str:
    """The spelling of a stored address by today's rule; as it is where the rule knows none."""
    return mailbox_of(email) or email


def with_email_respelled(user: User) -> User:
    """A stored address by today's rule; mail goes where it went."""
    if user.email is None or (mailbox := respelled(user.email)) == user.email:
        return user
    return replace(user, email=mailbox, email_as_typed=user.mail_address)
