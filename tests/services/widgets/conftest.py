import pytest

from townsquare.kit import hashing


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Owner tokens are hashed hundreds of times here; how dearly is another test's question."""
    monkeypatch.setattr(hashing, "TIME_COST", 1)
    monkeypatch.setattr(hashing, "MEMORY_KIB", 8)
