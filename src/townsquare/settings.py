"""Settings: given values, then TOWNSQUARE_* variables, then a TOML file, then defaults."""

import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self, get_args, get_origin
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Meta

PREFIX = "TOWNSQUARE_"
DEFAULT_FILE = "townsquare.toml"
REDACTED = "***"
OFF = "off"
DAY = 86_400
FILE_URL = "file://"
LARGEST_PAGE = 1_048_576  # bytes of the operator's own home page

Rate = Annotated[str, Meta(pattern=r"^(off|[1-9][0-9]{0,8}/[1-9][0-9]{0,8})$")]  # count/seconds
Origin = Annotated[str, Meta(pattern=r"^(\*|https?://[^/\s]+)$")]
WebUrl = Annotated[str, Meta(pattern=r"^https?://\S+$")]
NonEmpty = Annotated[str, Meta(min_length=1)]
HIDDEN = object()
LONG = object()
Secret = Annotated[str, HIDDEN]  # never shown
OwnSecret = Annotated[str, HIDDEN, LONG]  # chosen by the operator: must be long
SHORTEST_SECRET = 16
STORE_URLS = frozenset({"data_url", "cache_url"})  # shown without their passwords


class SettingsError(Exception):
    """An invalid setting; the message has its source, its value and the expected form."""


class SettingRow(NamedTuple):
    name: str
    variable: str
    default: str
    doc: str


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Each setting has its type, constraints and, as the last annotation, its description."""

    env: Annotated[
        str,
        Meta(pattern="^[a-z0-9_-]{1,32}$", examples=["prod"]),
        "First part of every key; keeps installations apart",
    ] = "prod"
    data_url: Annotated[
        str,
        "Redis for persistent data: redis://, rediss://, unix://, redis+sentinel://, redis+cluster://; "
        "empty = embedded",
    ] = ""
    cache_url: Annotated[str, "Redis for the cache; empty = embedded"] = ""
    data_dir: Annotated[NonEmpty, "Folder of the embedded store"] = "townsquare-data"
    durability: Annotated[
        Literal["everysec", "always"],
        "When the embedded store syncs to disk: every second, or before it acknowledges a write",
    ] = "everysec"
    cache_memory: Annotated[
        str, Meta(pattern="^[1-9][0-9]*(kb|mb|gb)?$", examples=["450mb"]), "Memory of the embedded cache"
    ] = "450mb"
    client_cache_memory: Annotated[
        str,
        Meta(pattern="^(0|[1-9][0-9]*(kb|mb|gb)?)$", examples=["64mb"]),
        "Memory of each process for the client cache, which Redis invalidates; 0 = off",
    ] = "64mb"
    allow_unsafe_store: Annotated[
        bool, "Use a Redis that evicts persistent data or is too old, instead of refusing it"
    ] = False
    image_dir: Annotated[str, "Folder of uploaded images; empty = images in the data folder"] = ""
    backup_every: Annotated[
        str,
        Meta(pattern="^(off|[1-9][0-9]{0,3}[mhd])$", examples=["24h"]),
        "Interval of scheduled backups in minutes, hours or days: 24h",
    ] = OFF
    backup_dir: Annotated[str, "Folder of scheduled backups; empty = backups in the data folder"] = ""
    backup_keep: Annotated[int, Meta(ge=1, le=10_000), "Number of scheduled backups to keep"] = 7
    integrity_every: Annotated[
        str,
        Meta(pattern="^(off|[1-9][0-9]{0,3}[mhd])$", examples=["24h"]),
        "Interval of scheduled checks of the data in minutes, hours or days: 24h",
    ] = OFF
    host: Annotated[NonEmpty, "Address to listen on"] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535), "Port to listen on; 0 = any free port"] = 8000
    workers: Annotated[int, Meta(ge=1, le=256), "Server processes"] = 1
    disabled_services: Annotated[tuple[str, ...], "Services to disable"] = ()
    trusted_proxies: Annotated[
        tuple[str, ...],
        Meta(examples=["10.0.0.0/8"]),
        "Networks (CIDR) whose forwarding headers are trusted",
    ] = ()
    rate_limits: Annotated[Literal["on", "off"], "off = no limits, for load tests"] = "on"
    rate_limit: Annotated[
        dict[str, Rate], Meta(examples=["240/60"]), "Limits by name: count/seconds, or off"
    ] = {}
    cors_origins: Annotated[
        tuple[Origin, ...],
        Meta(examples=["https://example.org"]),
        "Origins whose pages may call with credentials",
    ] = ()
    body_limit: Annotated[int, Meta(ge=1), "Largest request body, in bytes"] = 1_048_576
    upload_limit: Annotated[int, Meta(ge=1), "Largest uploaded file, in bytes"] = 268_435_456
    body_seconds: Annotated[float, Meta(gt=0, le=600), "Seconds in which a request body must arrive"] = 30.0
    head_limit: Annotated[int, Meta(ge=1_024), "Largest request head, in bytes"] = 32_768
    line_limit: Annotated[int, Meta(ge=512), "Longest request line or header, in bytes"] = 16_384
    header_count: Annotated[int, Meta(ge=10), "Maximum number of request headers"] = 100
    head_seconds: Annotated[float, Meta(gt=0, le=600), "Seconds in which a request head must arrive"] = 15.0
    idle_seconds: Annotated[
        int, Meta(gt=0), "Seconds before an idle connection is closed; a proxy in front should use less"
    ] = 65
    connections_per_address: Annotated[
        int,
        Meta(ge=1),
        "Maximum connections of one address to one worker, and live ones per path; no limit for proxies",
    ] = 500
    live_connections: Annotated[
        int, Meta(ge=0), "Maximum live connections for comments to one worker; further clients poll"
    ] = 10_000
    command_timeout: Annotated[float, Meta(gt=0, le=60), "Seconds before a command to Redis times out"] = 2.0
    log_format: Annotated[Literal["auto", "json", "console"], "auto = console on a terminal, else json"] = (
        "auto"
    )
    log_level: Annotated[Literal["debug", "info", "warning", "error"], "Lowest level that is logged"] = "info"
    social_own_posts_in_home: Annotated[bool, "The home feed includes the own posts of the reader"] = True
    social_sensitive_fields: Annotated[
        bool, "Profiles can store passwords, cards and similar fields; no endpoint returns them"
    ] = False
    search_catalogue: Annotated[str, "Catalogue of films as JSON Lines; empty = the built-in catalogue"] = ""
    search_understanding: Annotated[
        Literal["local", "llm"], "How film queries are understood: by rules, or by a language model"
    ] = "local"
    search_llm_url: Annotated[
        str, Meta(pattern=r"^(https?://\S+)?$"), "Base URL of an OpenAI-compatible API for understanding"
    ] = ""
    search_llm_key: Annotated[Secret, "Its key"] = ""
    search_llm_model: Annotated[NonEmpty, "Model for understanding"] = "gpt-4o-mini"
    search_embeddings: Annotated[
        Literal["local", "openai"],
        "How texts are embedded: by an installed model, or by an OpenAI-compatible API",
    ] = "local"
    search_embeddings_url: Annotated[
        str, Meta(pattern=r"^(https?://\S+)?$"), "Base URL of the API for embeddings"
    ] = ""
    search_embeddings_key: Annotated[Secret, "Its key"] = ""
    search_embeddings_model: Annotated[
        str, Meta(pattern=r"^[A-Za-z0-9._-]{1,48}$"), "Model for embeddings"
    ] = "text-embedding-3-small"
    search_embeddings_dimensions: Annotated[
        int, Meta(ge=0, le=8192), "Reduce vectors to this many dimensions; 0 = do not reduce"
    ] = 0
    search_encoder_idle_seconds: Annotated[
        int, Meta(ge=1, le=86_400), "After so many seconds without use the process of the local model ends"
    ] = 300
    search_database_url: Annotated[
        Secret,
        Meta(pattern=r"^(postgresql://\S+)?$"),
        "Postgres for films; empty = SQLite in the data folder",
    ] = ""
    search_qdrant_url: Annotated[
        str, Meta(pattern=r"^(https?://\S+)?$"), "Qdrant server for vectors; empty = in memory"
    ] = ""
    search_qdrant_key: Annotated[Secret, "Its key"] = ""
    search_trending: Annotated[
        Literal["views", "tmdb", "off"], "Source of the trending films, read once a day"
    ] = "views"
    tmdb_key: Annotated[Secret, "API key of TMDB; empty = film details come from the catalogue"] = ""
    tmdb_url: Annotated[WebUrl, "Its API"] = "https://api.themoviedb.org/3"
    admin_token: Annotated[OwnSecret, "Bearer token of the operator; empty = disabled"] = ""
    metrics_token: Annotated[
        OwnSecret, "Bearer token for /metrics; empty = open if `host` is a loopback address, else refused"
    ] = ""
    secret: Annotated[OwnSecret, "Server secret for signatures; empty = generated once and stored"] = ""
    former_secret: Annotated[OwnSecret, "Secret before the last change: its signatures are accepted"] = ""
    public_url: Annotated[
        str,
        Meta(pattern=r"^(https?://[^/\s]+\S*)?$"),
        "Public URL of the server, if it differs from the Host header",
    ] = ""
    home_page: Annotated[
        str,
        Meta(pattern=r"^(/[^/\\\s]\S*|https?://[^/\s]+\S*|file:///\S+)?$", examples=["/social"]),
        "Page at `/`: a path or URL to redirect to, or file:///… with your own HTML; empty = built-in page",
    ] = ""
    hsts_seconds: Annotated[
        int,
        Meta(ge=0, le=63_072_000, examples=["31536000"]),
        "`max-age` of Strict-Transport-Security: browsers use HTTPS only for so long; 0 = no such header",
    ] = 0
    delivery: Annotated[Literal["console", "smtp", "webhook"], "How sign-in codes are sent"] = "console"
    smtp_url: Annotated[
        Secret, Meta(pattern=r"^(smtps?://\S+)?$"), "Mail server: smtp://user:password@host:port or smtps://"
    ] = ""
    mail_from: Annotated[str, "Sender of mails"] = "Townsquare <no-reply@localhost>"
    mail_texts: Annotated[str, "Folder of your own `texts.toml` and `mail.html` for mails; empty = ours"] = ""
    delivery_webhook: Annotated[Secret, Meta(pattern=r"^(https?://\S+)?$"), "Webhook for messages"] = ""
    delivery_webhook_secret: Annotated[OwnSecret, "Secret that signs requests to the webhook"] = ""
    jwt_issuer: Annotated[NonEmpty, "`iss` of access tokens"] = "townsquare"
    jwt_audience: Annotated[NonEmpty, "`aud` of access tokens"] = "townsquare"
    outside_issuer: Annotated[
        str, "`iss` of tokens of another issuer; empty = only our own tokens are accepted"
    ] = ""
    outside_audience: Annotated[str, "Required `aud` of those tokens"] = "townsquare"
    outside_key: Annotated[
        Secret, "Key of that issuer: a PEM public key, a JWK, or a secret of at least 32 characters"
    ] = ""
    google_client_id: Annotated[str, "Enables Google sign-in"] = ""
    google_issuer: Annotated[WebUrl, "OpenID issuer behind Google sign-in"] = "https://accounts.google.com"
    github_client_id: Annotated[str, "Enables GitHub sign-in, together with its secret"] = ""
    github_client_secret: Annotated[Secret, "Secret of the GitHub OAuth app"] = ""
    github_url: Annotated[WebUrl, "URL of GitHub, or of GitHub Enterprise"] = "https://github.com"
    github_api_url: Annotated[WebUrl, "Its API"] = "https://api.github.com"

    @classmethod
    def load(
        cls, path: Path | None = None, environ: Mapping[str, str] = os.environ, **overrides: Any
    ) -> Self:
        """Read all sources. Overrides that are None are ignored."""
        return cls.load_with_sources(path, environ, **overrides)[0]

    @classmethod
    def load_with_sources(
        cls, path: Path | None = None, environ: Mapping[str, str] = os.environ, **overrides: Any
    ) -> tuple[Self, dict[str, str]]:
        """The settings, and the source of each one that is not a default."""
        values: dict[str, Any] = {}
        sources: dict[str, str] = {}
        for name, value, source in (*_from_file(path, environ), *_from_environment(environ)):
            if name == "rate_limit":
                values[name] = values.get(name, {}) | value
                sources[name] = ", ".join(filter(None, (sources.get(name), source)))
            else:
                values[name], sources[name] = value, source
        for name, value in overrides.items():
            if value is not None:
                values[name] = _checked(name, value, f"the setting {name}")
                sources[name] = "given"
        return cls(**values), sources

    @classmethod
    def describe(cls) -> list[SettingRow]:
        """Every setting, for the documentation and the command line."""
        return [
            SettingRow(name, variable_of(name), _shown(getattr(cls(), name)), kind.__metadata__[-1])
            for name, kind in TYPES.items()
        ]

    def shown(self) -> dict[str, str]:
        """Every value as text, without its secrets."""
        return {name: _shown(value) for name, value in self.__rich_repr__()}

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(name, _redacted(name, getattr(self, name))) for name in self.__struct_fields__]


TYPES = {field.name: field.type for field in msgspec.structs.fields(Settings)}
SECRETS = frozenset(name for name, kind in TYPES.items() if HIDDEN in kind.__metadata__)
WEB_URLS = frozenset(
    name
    for name, kind in TYPES.items()
    if any("://" in (getattr(one, "pattern", None) or "") for one in kind.__metadata__)
)


def variable_of(name: str) -> str:
    return f"{PREFIX}{name.upper()}" + ("_<NAME>" if name == "rate_limit" else "")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}={each}" for name, each in value.items())
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _redacted(name: str, value: Any) -> Any:
    if name in SECRETS:
        return REDACTED if value else ""
    if name in STORE_URLS:
        return re.sub(r"(password=)[^&]*", rf"\1{REDACTED}", re.sub(r"://.*@", f"://{REDACTED}@", value))
    return value


def _quoted(name: str, value: Any) -> str:
    """An invalid value without a possible password, which can be anywhere in an invalid URL."""
    if name in SECRETS:
        return REDACTED
    if name in STORE_URLS:
        scheme, separator, _ = str(value).partition("://")
        return f"{scheme}://{REDACTED}" if separator else REDACTED
    return repr(value)


def bytes_of(size: str) -> int:
    """The bytes of a memory size in the notation of Redis: 64mb."""
    number = size.rstrip("kmgb")
    return int(number) << {"kb": 10, "mb": 20, "gb": 30}.get(size[len(number) :], 0)


def seconds_of(interval: str) -> int:
    """The seconds of an interval in minutes, hours or days: 24h."""
    return int(interval[:-1]) * {"m": 60, "h": 3_600, "d": DAY}[interval[-1]]


def html_file(url: str) -> bytes:
    """The content of a file:// URL. Raises ValueError if it cannot be served."""
    try:
        with Path(unquote(url.removeprefix(FILE_URL))).open("rb") as file:
            content = file.read(LARGEST_PAGE + 1)
    except OSError as error:
        raise ValueError(f"the file cannot be read: {error.strerror}") from None
    if len(content) > LARGEST_PAGE:
        raise ValueError(f"the file has more than {LARGEST_PAGE:,} bytes")
    return content


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for the error message of an unknown name."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _from_file(path: Path | None, environ: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    named = path or (Path(environ[PREFIX + "CONFIG"]) if environ.get(PREFIX + "CONFIG") else None)
    file = named or Path(DEFAULT_FILE)
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if named is None:
            return
        raise SettingsError(f"The settings file {file} does not exist") from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"The settings file {file} cannot be read: {error}") from None
    for name, value in content.items():
        yield name, _checked(name, value, f"{name} in {file}"), str(file)


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    limits = PREFIX + "RATE_LIMIT_"
    names = {variable_of(name): name for name in TYPES}
    for variable, value in environ.items():
        if not variable.startswith(PREFIX) or variable == PREFIX + "CONFIG":
            continue
        if variable in names:
            name = names[variable]
            yield name, _checked(name, value, variable), variable
        elif variable.startswith(limits) and variable != limits:
            limit = variable.removeprefix(limits).lower()
            yield "rate_limit", _checked("rate_limit", {limit: value}, variable), variable
        else:
            hint = did_you_mean(variable, [*names, PREFIX + "CONFIG"])
            raise SettingsError(f"{variable}: there is no such setting{hint}")


def _checked(name: str, value: Any, source: str) -> Any:
    if name not in TYPES:
        raise SettingsError(f"{source}: there is no such setting{did_you_mean(name, TYPES)}")
    kind = TYPES[name]
    bare = get_args(kind)[0]
    choices = get_args(bare) if get_origin(bare) is Literal else ()
    given = value
    if isinstance(value, str) and get_origin(bare) is tuple:
        given = [part.strip() for part in value.split(",") if part.strip()]
    try:
        if choices and given not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}")
        checked = msgspec.convert(given, kind, strict=not isinstance(value, str))
        _check_meaning(name, checked)
    except ValueError as error:
        examples = [text for meta in kind.__metadata__ for text in getattr(meta, "examples", None) or ()]
        hint = f" (for example {examples[0]})" if examples else ""
        raise SettingsError(f"{source} cannot be {_quoted(name, value)}: {error}{hint}") from None
    return checked


def _check_meaning(name: str, value: Any) -> None:
    if value and LONG in TYPES[name].__metadata__ and len(value) < SHORTEST_SECRET:
        raise ValueError(f"a secret has {SHORTEST_SECRET} characters or more")
    if any(getattr(meta, "pattern", None) for meta in TYPES[name].__metadata__) and "\n" in value:
        raise ValueError("it has a line break")  # which the $ of a pattern permits
    if name in WEB_URLS:
        urlsplit(value).port  # noqa: B018 - raises if it is invalid
    if name == "home_page" and value.startswith(FILE_URL):
        html_file(value)
    if name == "trusted_proxies":
        for network in value:
            ipaddress.ip_network(network)
    if name in STORE_URLS and value:
        from townsquare.store.wire.address import parse  # imports valkey-py, which most callers do not need

        parse(value)
