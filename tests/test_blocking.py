"""The library for synchronous code: in a script, in Flask, from many threads."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask import Flask

import townsquare
from tests.support.squares import Place
from townsquare.blocking import BlockingSquare
from townsquare.problems import Invalid


@pytest.fixture
def square(plain_place: Place) -> Iterator[BlockingSquare]:
    with townsquare.connect(settings=plain_place.settings()) as square:
        yield square


def test_methods_answer_at_once(square: BlockingSquare) -> None:
    square.accounts.sign_up("alice")
    square.accounts.sign_up("bob")
    post = square.social.posts.create("alice", "Hello #travel")
    assert square.social.posts.like(post.id, "bob").count == 1
    assert [item.post.id for item in square.social.feeds.explore(None).items] == [post.id]
    assert square.accounts.users.find("alice").username == "alice"
    counter = square.widgets.counter.create("https://example.org", "an owner's token")
    assert square.widgets.counter.get(counter.id).total == 0
    assert "social" in dir(square)
    assert "like" in dir(square.social.posts)


def test_problems_are_raised_where_one_waits(square: BlockingSquare) -> None:
    with pytest.raises(Invalid):
        square.social.feeds.explore(None, limit=-3)
    with pytest.raises(AttributeError, match="no service 'bakery'"):
        square.bakery  # type: ignore[attr-defined]  # noqa: B018


def test_many_threads_share_a_square(square: BlockingSquare) -> None:
    square.accounts.sign_up("alice")
    post = square.social.posts.create("alice", "Hello")
    names = [f"fan{number}" for number in range(20)]
    with ThreadPoolExecutor(10) as threads:
        list(threads.map(square.social.profiles.register, names))
        list(threads.map(lambda name: square.social.posts.like(post.id, name), names))
    assert square.social.posts.get(post.id).likes_count == 20


def test_a_closed_square_says_so(plain_place: Place) -> None:
    square = townsquare.connect(settings=plain_place.settings())
    square.close()
    square.close()
    with pytest.raises(RuntimeError, match="is closed"):
        square.social.feeds.explore(None)
    assert repr(square) == "<BlockingSquare, closed>"


def test_a_square_that_cannot_open_leaves_no_thread(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(townsquare.EngineError):
        townsquare.connect(settings=townsquare.Settings.load(environ={}, data_dir=str(file)))


def test_inside_flask(square: BlockingSquare) -> None:
    app = Flask("host")

    @app.post("/join/<name>")
    def join(name: str) -> str:
        return square.accounts.sign_up(name).id

    @app.get("/people/<name>")
    def person(name: str) -> dict[str, str]:
        return {"username": square.social.profiles.get(name).username}

    client = app.test_client()
    assert client.post("/join/alice").status_code == 200
    assert client.get("/people/alice").json == {"username": "alice"}


@pytest.mark.slow
def test_a_plain_script_ends_by_itself(tmp_path: Path) -> None:
    """On its own engine, and without closing: what it has started ends with it."""
    script = """
        import townsquare
        square = townsquare.connect(settings=townsquare.Settings.load(environ={}, data_dir="data"))
        square.accounts.sign_up("alice")
        square.social.posts.create("alice", "Hello")
        print(square.social.feeds.explore(None).items[0].post.content)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, "Hello\n"), ended.stderr
    assert not list(tmp_path.glob("data/*.pid"))
