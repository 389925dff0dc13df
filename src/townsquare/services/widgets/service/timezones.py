"""Time zones of widgets, as far as we met them."""

REMEMBERED = 10_000
USUAL = "UTC"


class KnownTimezones:
    """A script that is called with the wrong zone answers the right one: most widgets never need it."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}  # only of widgets that are not in UTC

    def of(self, id: str) -> str:
        return self._known.get(id, USUAL)

    def learn(self, id: str, timezone: str) -> bool:
        """Whether it was news."""
        if self.of(id) == timezone:
            return False
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        if timezone == USUAL:
            self._known.pop(id, None)
        else:
            self._known[id] = timezone
        return True
