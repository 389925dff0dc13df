"""Time that stands still until a test moves it."""

from townsquare.clock import from_iso


class PinnedClock:
    def __init__(self, at: str = "2026-03-14T15:09:26.535Z") -> None:
        self._ms = from_iso(at)

    def now_ms(self) -> int:
        return self._ms

    def move(
        self, *, ms: int = 0, seconds: float = 0, minutes: float = 0, hours: float = 0, days: float = 0
    ) -> None:
        self._ms += round(ms + (seconds + 60 * (minutes + 60 * (hours + 24 * days))) * 1000)

    def set(self, at: str) -> None:
        self._ms = from_iso(at)
