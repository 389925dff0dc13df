"""The security event of a failed sign-in: a line of the log that names the account."""

from townsquare.logger import get_logger

log = get_logger("townsquare.security")


def log_failed_sign_in(method: str, account: str | None, ip: str) -> None:
    """Log a wrong password or code. `account` is None if the name or address belongs to nobody.

    The name that was entered is not logged: people enter passwords there.
    """
    log.warning("sign-in failed", method=method, account=account, ip=ip)
