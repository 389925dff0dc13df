from itertools import product
from typing import Any

import pytest

from townsquare.problems import BadRequest
from townsquare.web.router import RouteConflict, Router, _Node


def router(*routes: tuple[str, str]) -> Router[str]:
    made: Router[str] = Router()
    for method, path in routes:
        made.add(method, path, f"{method} {path}")
    return made


def found(made: Router[str], method: str, path: bytes) -> tuple[str, dict[str, str]] | None:
    match = made.find(method, path)
    return None if match is None else (match[0], dict(match[1]))


def test_a_whole_path_is_found() -> None:
    assert found(router(("GET", "/healthz")), "GET", b"/healthz") == ("GET /healthz", {})


def test_the_root_is_found() -> None:
    assert found(router(("GET", "/")), "GET", b"/") == ("GET /", {})


def test_parameters_are_read_from_their_segments() -> None:
    made = router(("GET", "/users/{name}/posts/{id}"))
    assert found(made, "GET", b"/users/ann/posts/7") == (
        "GET /users/{name}/posts/{id}",
        {"name": "ann", "id": "7"},
    )


def test_a_literal_segment_wins_over_a_parameter() -> None:
    made = router(("GET", "/users/{name}"), ("GET", "/users/me"))
    assert found(made, "GET", b"/users/me") == ("GET /users/me", {})


def test_a_dead_end_behind_a_literal_segment_tries_the_parameter() -> None:
    made = router(("GET", "/a/b/c"), ("GET", "/a/{x}/d"))
    assert found(made, "GET", b"/a/b/d") == ("GET /a/{x}/d", {"x": "b"})


@pytest.mark.parametrize("path", [b"/users/find", b"/users/find/", b"/users/%66ind"])
def test_a_literal_path_has_only_its_own_methods(path: bytes) -> None:
    made = router(("POST", "/users/find"), ("GET", "/users/{name}"), ("GET", "/{other}/find"))
    assert found(made, "GET", path) is None
    assert made.methods(path) == ("POST", "OPTIONS")


def test_methods_of_one_shape_may_name_their_parameters_differently() -> None:
    made = router(("GET", "/posts/{id}"), ("DELETE", "/posts/{post}"))
    assert found(made, "DELETE", b"/posts/7") == ("DELETE /posts/{post}", {"post": "7"})


def test_a_trailing_slash_is_tolerated() -> None:
    made = router(("GET", "/a"), ("GET", "/b/{x}"))
    assert found(made, "GET", b"/a/") == ("GET /a", {})
    assert found(made, "GET", b"/b/7/") == ("GET /b/{x}", {"x": "7"})


def test_an_encoded_slash_stays_inside_its_segment() -> None:
    made = router(("GET", "/pages/{url}"), ("GET", "/pages/{a}/{b}"))
    assert found(made, "GET", b"/pages/a%2Fb") == ("GET /pages/{url}", {"url": "a/b"})


def test_percent_encoded_letters_of_a_literal_path_match() -> None:
    assert found(router(("GET", "/healthz")), "GET", b"/%68ealthz") == ("GET /healthz", {})


@pytest.mark.parametrize("path", [b"//a", b"/a//", b"*", b"/a/b", b"/b/", b"/A"])
def test_other_paths_are_not_found(path: bytes) -> None:
    assert router(("GET", "/a"), ("GET", "/b/{x}")).find("GET", path) is None


@pytest.mark.parametrize("path", [b"/%ff", b"/\xff", b"/%ed%a0%80"])
def test_a_path_that_is_not_utf8_is_refused(path: bytes) -> None:
    with pytest.raises(BadRequest):
        router(("GET", "/{x}")).find("GET", path)


def test_methods_of_a_path_include_head_and_options() -> None:
    made = router(("GET", "/a"), ("POST", "/a"), ("DELETE", "/{x}"))
    assert made.methods(b"/a") == ("GET", "HEAD", "POST", "OPTIONS")
    assert made.methods(b"/b") == ("DELETE", "OPTIONS")
    assert made.methods(b"/a/b") == ()


@pytest.mark.parametrize(
    ("first", "second"), [("/a", "/a"), ("/a/{x}", "/a/{y}")], ids=["literal", "parameter"]
)
def test_two_claims_to_one_path_are_a_conflict(first: str, second: str) -> None:
    with pytest.raises(RouteConflict):
        router(("GET", first), ("GET", second))


@pytest.mark.parametrize("path", ["a", "/a/", "//", "/{x", "/{}", "/a{x}", "/{x}/{x}", "/a%20b"])
def test_paths_that_can_never_match_are_refused_at_the_start(path: str) -> None:
    with pytest.raises(RouteConflict):
        router(("GET", path))


class Looked(dict[str, Any]):
    """Counts how often somebody looks something up."""

    times = 0

    def get(self, key: str, default: Any = None) -> Any:
        Looked.times += 1
        return super().get(key, default)


def count_lookups(node: _Node[str]) -> None:
    node.literals = Looked(node.literals)
    for child in (*node.literals.values(), *([node.parameter] if node.parameter else [])):
        count_lookups(child)


def test_finding_looks_up_as_often_with_200_routes_as_with_one() -> None:
    def lookups(made: Router[str], path: bytes) -> int:
        count_lookups(made._root)
        Looked.times = 0
        assert made.find("GET", path) is not None
        return Looked.times

    one = router(("GET", "/s0/r0/{id}"))
    many = router(*(("GET", f"/s{s}/r{r}/{{id}}") for s, r in product(range(10), range(20))))
    assert lookups(many, b"/s9/r19/x") == lookups(one, b"/s0/r0/x") == 3
