import pytest

from townsquare.services.widgets import owners


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Owner tokens are hashed hundreds of times here; how dearly is another test's question."""
    monkeypatch.setattr(owners, "TIME_COST", 1)
    monkeypatch.setattr(owners, "MEMORY_KIB", 8)
