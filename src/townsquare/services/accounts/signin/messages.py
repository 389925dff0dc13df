"""The texts of messages."""

from townsquare.services.accounts.keys import CODE_SECONDS
from townsquare.services.accounts.signin.delivery import Channel, OutgoingMessage
from townsquare.services.accounts.signin.models import VerificationType

MINUTES = CODE_SECONDS // 60


def code_message(to: str, kind: VerificationType, code: str) -> OutgoingMessage:
    channel: Channel = "email" if "@" in to else "sms"
    if kind is VerificationType.PASSWORD_RESET:
        return OutgoingMessage(
            channel,
            to,
            "password_reset",
            "Your code for a new password",
            f"Your code for a new password is {code}. It works once, for {MINUTES} minutes.\n"
            "If you did not ask for it, ignore this message: your password stays as it is.",
        )
    return OutgoingMessage(
        channel,
        to,
        "sign_in",
        f"Your code is {code}",
        f"Your code is {code}. It works once, for {MINUTES} minutes.\n"
        "If you did not ask for it, ignore this message. Do not tell the code to anybody.",
    )


def address_change_wanted_message(to: str) -> OutgoingMessage:
    return OutgoingMessage(
        "email",
        to,
        "address_change_wanted",
        "Somebody wants to change the address of your account",
        "Your account is to get another email address, as soon as that one is confirmed. Until then this one "
        "stays. If this was not you, ask for a new password: that also takes the change back.",
    )


def address_changed_message(to: str) -> OutgoingMessage:
    return OutgoingMessage(
        "email",
        to,
        "address_changed",
        "The address of your account was changed",
        "Your account has another email address from now on. If this was not you, ask for a new password "
        "or write to whoever runs this site.",
    )
