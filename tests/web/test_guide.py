from pathlib import Path

import httpx
import pytest

from tests.support.squares import client_of
from townsquare.square import Square
from townsquare.web import guide
from townsquare.web.site import site_of

PAGE = "<html><script>var here=1</script><script src=x.js></script><h1>Hello</h1></html>"


def browse(square: Square, folder: Path, monkeypatch: pytest.MonkeyPatch) -> httpx.AsyncClient:
    monkeypatch.setattr(guide.guide_endpoints, "__defaults__", (folder,))
    return client_of(site_of(square))


async def test_the_built_guide_is_served_with_a_policy_for_its_own_scripts(
    square: Square, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "start").mkdir()
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "start" / "keys.html").write_text("<h1>Keys</h1>")
    (tmp_path / "app.js").write_text("1")
    async with browse(square, tmp_path, monkeypatch) as client:
        moved = await client.get("/guide")
        assert (moved.status_code, moved.headers["location"]) == (302, "/guide/index.html")
        page = await client.get("/guide/index.html")
        assert page.text == PAGE
        policy = page.headers["content-security-policy"]
        assert policy.count("sha256-") == 1
        assert "script-src 'self' 'sha256-" in policy
        again = await client.get("/guide/index.html", headers={"If-None-Match": page.headers["etag"]})
        assert again.status_code == 304
        assert (await client.get("/guide/start/keys.html")).text == "<h1>Keys</h1>"
        assert (await client.get("/guide/app.js")).headers["content-type"].startswith("text/javascript")
        assert (await client.get("/guide/../secret.html")).status_code == 404


async def test_without_a_build_the_guide_says_how_to_build_it(
    square: Square, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with browse(square, tmp_path, monkeypatch) as client:
        page = await client.get("/guide")
        assert page.status_code == 200
        assert "scripts/docs" in page.text
