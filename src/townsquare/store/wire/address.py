"""Store URLs, parsed into addresses."""

from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from townsquare.secret_repr import HidesSecrets

if TYPE_CHECKING:  # the supervisor of a server connects to unix sockets only
    import ssl

    from valkey.asyncio import Valkey

DEFAULT_PORT = 6379
DEFAULT_SENTINEL_PORT = 26379

Kind = Literal["single", "sentinel", "cluster"]

SCHEMES: dict[str, tuple[Kind, bool]] = {
    "redis": ("single", False),
    "rediss": ("single", True),
    "unix": ("single", False),
    "redis+sentinel": ("sentinel", False),
    "rediss+sentinel": ("sentinel", True),
    "redis+cluster": ("cluster", False),
    "rediss+cluster": ("cluster", True),
}
TLS_OPTIONS = frozenset({"ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_keyfile"})
SENTINEL_OPTIONS = frozenset({"sentinel_username", "sentinel_password"})


class AddressError(ValueError):
    """A store URL that cannot be understood; the text never holds its password."""


class Tls(msgspec.Struct, frozen=True):
    ca_certs: str = ""
    verify: bool = True
    certfile: str = ""
    keyfile: str = ""

    def context(self) -> "ssl.SSLContext":
        import ssl

        try:
            context = ssl.create_default_context(cafile=self.ca_certs or None)
            if self.certfile:
                context.load_cert_chain(self.certfile, self.keyfile or None)
        except (OSError, ssl.SSLError) as error:
            files = ", ".join(name for name in (self.ca_certs, self.certfile, self.keyfile) if name)
            raise AddressError(f"The TLS files of the store URL cannot be used ({files}): {error}") from None
        if not self.verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context


class Address(HidesSecrets, msgspec.Struct, frozen=True, kw_only=True):
    """One node: a host and port, or the path of a unix socket."""

    host: str = ""
    port: int = 0
    path: str = ""
    db: int = 0
    username: str = ""
    password: str = ""
    tls: Tls | None = None

    def __str__(self) -> str:
        if self.path:
            return f"unix://{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def at(self, host: str, port: int) -> "Address":
        """Another node reached in the same way, as a cluster or a sentinel names it."""
        return msgspec.structs.replace(self, host=host, port=port, path="")


class StoreUrl(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed store URL. `addresses` are the node itself, the sentinels, or the cluster's seeds."""

    kind: Kind
    addresses: tuple[Address, ...]
    service: str = ""  # of the sentinels
    node: Address = Address()  # how the primary that the sentinels name is reached; host and port are theirs


def parse(url: str) -> StoreUrl:
    """Understand `redis://`, `rediss://`, `unix://`, `redis+sentinel://` and `redis+cluster://` URLs."""
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in SCHEMES:
        raise AddressError(f"The store URL must start with one of {', '.join(f'{s}://' for s in SCHEMES)}")
    kind, secure = SCHEMES[scheme]
    try:
        parts = urlsplit(url)
    except ValueError:
        raise AddressError(f"The {scheme}:// URL cannot be understood: percent-encode its password") from None
    if parts.fragment or (parts.netloc and "@" in parts.path + parts.query):
        raise AddressError(f"Percent-encode / ? # and @ in the password of the {scheme}:// URL")
    options = _options(scheme, parts.query, kind, secure)
    credentials, _, hosts = parts.netloc.rpartition("@")
    username, _, password = credentials.partition(":")
    shared = Address(
        username=unquote(username),
        password=unquote(password),
        tls=_tls(scheme, options) if secure else None,
    )
    if scheme == "unix":
        return _unix(shared, hosts + unquote(parts.path), options)
    path = [unquote(part) for part in parts.path.split("/") if part]
    if kind == "single":
        node = msgspec.structs.replace(shared, db=_database(scheme, path, options))
        places = _places(scheme, hosts, DEFAULT_PORT)
        if len(places) > 1:
            raise AddressError(f"{scheme}:// takes one host; use {scheme}+cluster:// or {scheme}+sentinel://")
        return StoreUrl(kind=kind, addresses=(node.at(*places[0]),))
    if kind == "cluster":
        if _database(scheme, path, options):
            raise AddressError("A Redis Cluster has only database 0")
        return StoreUrl(
            kind=kind, addresses=tuple(shared.at(*place) for place in _places(scheme, hosts, DEFAULT_PORT))
        )
    if not path:
        raise AddressError(f"Name the sentinels' service: {scheme}://host:port,host:port/service/db")
    sentinel = msgspec.structs.replace(
        shared,
        username=options.get("sentinel_username", ""),
        password=options.get("sentinel_password", ""),
    )
    return StoreUrl(
        kind=kind,
        addresses=tuple(sentinel.at(*place) for place in _places(scheme, hosts, DEFAULT_SENTINEL_PORT)),
        service=path[0],
        node=msgspec.structs.replace(shared, db=_database(scheme, path[1:], options)),
    )


def redis_client(address: Address, *, timeout: float, **options: Any) -> "Valkey":
    """A client of valkey-py (it also speaks to Redis), for rare and blocking commands: discovery, pub/sub."""
    from valkey.asyncio import Valkey

    place: dict[str, Any] = {"host": address.host, "port": address.port}
    if address.path:
        place = {"unix_socket_path": address.path}
    return Valkey(**(place | client_options(address, timeout) | options))


def client_options(address: Address, timeout: float) -> dict[str, Any]:
    """Options of valkey-py for a node, without host and port. It must not retry: our callers decide."""
    from valkey.asyncio.retry import Retry
    from valkey.backoff import NoBackoff

    options: dict[str, Any] = {
        "db": address.db,
        "username": address.username or None,
        "password": address.password or None,
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        "retry": Retry(NoBackoff(), 0),
        "client_name": "townsquare",
    }
    if address.tls is not None:
        options |= {
            "ssl": True,
            "ssl_ca_certs": address.tls.ca_certs or None,
            "ssl_cert_reqs": "required" if address.tls.verify else "none",
            "ssl_check_hostname": address.tls.verify,
            "ssl_certfile": address.tls.certfile or None,
            "ssl_keyfile": address.tls.keyfile or None,
        }
    return options


def _options(scheme: str, query: str, kind: Kind, secure: bool) -> dict[str, str]:
    options = dict(parse_qsl(query, keep_blank_values=True))
    allowed = (
        {"db"} | (TLS_OPTIONS if secure else set()) | (SENTINEL_OPTIONS if kind == "sentinel" else set())
    )
    for name in options:
        if name not in allowed:
            raise AddressError(f"{scheme}:// does not take ?{name}=; it takes {', '.join(sorted(allowed))}")
    return options


def _tls(scheme: str, options: dict[str, str]) -> Tls:
    requirement = options.get("ssl_cert_reqs", "required")
    if requirement not in ("required", "none"):
        raise AddressError(f"{scheme}:// ?ssl_cert_reqs= is 'required' or 'none', not {requirement!r}")
    return Tls(
        ca_certs=options.get("ssl_ca_certs", ""),
        verify=requirement == "required",
        certfile=options.get("ssl_certfile", ""),
        keyfile=options.get("ssl_keyfile", ""),
    )


def _unix(shared: Address, path: str, options: dict[str, str]) -> StoreUrl:
    if not path.startswith("/"):
        raise AddressError("unix:// needs an absolute path: unix:///run/redis.sock")
    node = msgspec.structs.replace(shared, path=path, db=_database("unix", [], options))
    return StoreUrl(kind="single", addresses=(node,))


def _database(scheme: str, path: list[str], options: dict[str, str]) -> int:
    if len(path) > 1:
        raise AddressError(f"The {scheme}:// URL has more than a database number after its host")
    text = path[0] if path else options.get("db", "0")
    if not (text.isascii() and text.isdigit()):
        raise AddressError(f"The database of the {scheme}:// URL is a number, not {text!r}")
    return int(text)


def _places(scheme: str, hosts: str, default_port: int) -> list[tuple[str, int]]:
    places = [_place(scheme, text, default_port) for text in hosts.split(",") if text]
    return places or [("localhost", default_port)]


def _place(scheme: str, text: str, default_port: int) -> tuple[str, int]:
    if text.startswith("["):
        host, closed, port = text[1:].partition("]")
        port = port.removeprefix(":")
    else:
        host, _, port = text.partition(":")
        closed = "]"
    if not host or not closed or (port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536)):
        raise AddressError(f"A host of the {scheme}:// URL is not host:port")
    return host, int(port) if port else default_port
