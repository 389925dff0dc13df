"""How long a key lives."""

from dataclasses import dataclass

MINUTE = 60
HOUR = 3_600
DAY = 86_400


@dataclass(frozen=True)
class Lifetime:
    """At most `seconds` (None: the key never expires by itself)."""

    seconds: int | None
    description: str

    @property
    def ends(self) -> bool:
        return self.seconds is not None


FOREVER = Lifetime(None, "none")
END_OF_DAY = Lifetime(26 * HOUR, "until 23:59:59 of its day")  # a day has up to 25 hours, and clocks differ


def fixed(seconds: int) -> Lifetime:
    """Set once, when the key is made."""
    return Lifetime(seconds, span(seconds))


def sliding(seconds: int) -> Lifetime:
    """Renewed on every use."""
    return Lifetime(seconds, f"{span(seconds)}, renewed on use")


def span(seconds: int) -> str:
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if seconds % unit == 0:
            count = seconds // unit
            return f"{count} {name}{'s' if count > 1 else ''}"
    return f"{seconds} s"
