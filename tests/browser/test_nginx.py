"""The server behind nginx with the files of deploy/: TLS, WebSockets, a path prefix."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.blog import open_blog
from tests.support.engines import free_ports, wait_until
from tests.support.servers import PROJECT, Server

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx: apt-get install nginx-light"),
]

DEPLOY = PROJECT / "deploy"
SELF_SIGNED = [
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "1",
    "-subj",
    "/CN=localhost",
]
AROUND = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {servers}
}}
"""


def certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [*SELF_SIGNED, "-out", certificate, "-keyout", key],
        check=True,
        capture_output=True,
    )
    return certificate, key


def at_the_root(folder: Path, server: int, port: int, plain_port: int) -> str:
    """nginx.conf with our ports and certificate."""
    chain, key = certificate(folder)
    config = (DEPLOY / "nginx.conf").read_text()
    for old, new in {
        "127.0.0.1:8000": f"127.0.0.1:{server}",
        "listen 443": f"listen 127.0.0.1:{port}",
        "listen 80": f"listen 127.0.0.1:{plain_port}",
        "    listen [::]:80;\n": "",
        "    listen [::]:443 ssl http2;\n": "",
        "/etc/ssl/certs/community.example.org.pem": str(chain),
        "/etc/ssl/private/community.example.org.key": str(key),
        "$host": f"$host:{port}",
    }.items():
        assert old in config, old
        config = config.replace(old, new)
    return config


def below_a_prefix(folder: Path, server: int, port: int, plain_port: int) -> str:
    """nginx-prefix.conf in a server block of another site."""
    shared = (DEPLOY / "nginx.conf").read_text().partition("server {\n    listen")[0]
    shared = shared.replace("127.0.0.1:8000", f"127.0.0.1:{server}")
    locations = (DEPLOY / "nginx-prefix.conf").read_text().replace("$host", f"$host:{port}")
    return f"{shared} server {{ listen 127.0.0.1:{port}; {locations} }}"


@contextmanager
def nginx(folder: Path, servers: str) -> Iterator[None]:
    config = folder / "nginx.conf"
    config.write_text(AROUND.format(folder=folder, servers=servers))
    checked = subprocess.run(["nginx", "-t", "-c", config], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen(["nginx", "-c", config], stderr=subprocess.DEVNULL)
    try:
        pid = folder / "nginx.pid"
        wait_until(lambda: pid.exists() and pid.read_text(), "nginx starts")
        yield
    finally:
        process.terminate()
        process.wait()


class ProxiedServer(Server):
    """A server that people reach at another address."""

    def __init__(self, folder: Path, public_url: str, port: int) -> None:
        super().__init__(folder, public_url=public_url, trusted_proxies="127.0.0.1")
        self.port = port
        self._public_url = public_url

    @property
    def url(self) -> str:
        return self._public_url

    def _greeted(self) -> bool:
        return '"event":"serving"' in self.log


@pytest.mark.parametrize(
    ("config", "scheme", "prefix"), [(at_the_root, "https", ""), (below_a_prefix, "http", "/community")]
)
async def test_people_comment_and_follow_live_through_nginx(
    browser: Browser, tmp_path: Path, config: Callable[..., str], scheme: str, prefix: str
) -> None:
    own_port, port, plain_port = free_ports(3)
    server = ProxiedServer(tmp_path / "data", f"{scheme}://127.0.0.1:{port}{prefix}", own_port)
    context = await browser.new_context(ignore_https_errors=True)
    try:
        await server.start()
        proxy = nginx(tmp_path, config(tmp_path, own_port, port, plain_port))
        with proxy:
            async with open_blog(server) as blog:
                blog.embed()
                bob = await blog.account("bob")
                page = await context.new_page()
                async with page.expect_websocket() as opened:
                    widget = await blog.open(page)
                socket = await opened.value
                assert socket.url.startswith(server.url.replace("http", "ws"))
                await blog.sign_in(page, "bob")
                await widget.get_by_role("textbox", name="Write a comment").fill("through nginx")
                await widget.get_by_role("button", name="Post").click()
                await expect(widget.get_by_role("article")).to_contain_text("through nginx")
                await blog.comment(bob, "live")
                await expect(widget.get_by_role("button", name="1 new comment")).to_be_visible()
                await page.goto(f"{server.url}/social")
                await expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
                for path in ("metrics", "readyz"):
                    response = await page.request.get(f"{server.url}/{path}")
                    assert response.status == 404
    finally:
        await context.close()
        await server.bury()
