"""Checks of the settings of the server and of its machine."""

import ipaddress
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from townsquare.backup.folder import backup_folder, newest_backup
from townsquare.doctor.findings import DoctorFinding, Machine, megabytes
from townsquare.settings import DAY, LONG, OFF, TYPES, Settings, seconds_of, variable_of

LEAST_DISK = 1 << 30  # bytes; a rewrite of the append-only file needs room for a second one
FEWEST_CHARACTERS = 8  # distinct ones of a secret
GUESSABLE = ("changeme", "change-me", "password", "secret", "townsquare", "example", "123456")
MANUAL_BACKUP_DAYS = 7
LATE = 2  # intervals


def weak_secrets(settings: Settings, machine: Machine) -> Iterator[DoctorFinding]:
    for name in (name for name, kind in TYPES.items() if LONG in kind.__metadata__):
        if is_weak(getattr(settings, name)):
            yield DoctorFinding(
                "weak_secret",
                "critical",
                "A secret can be guessed",
                f"{variable_of(name)} has few different characters or contains a common word.",
                "Use a random value: `openssl rand -hex 32`. docs/operations.md explains how to replace it.",
            )


def is_weak(secret: str) -> bool:
    return bool(secret) and (
        len(set(secret)) < FEWEST_CHARACTERS or any(word in secret.lower() for word in GUESSABLE)
    )


def proxy(settings: Settings, machine: Machine) -> Iterator[DoctorFinding]:
    networks = [ipaddress.ip_network(one) for one in settings.trusted_proxies]
    if any(one.prefixlen == 0 for one in networks):
        yield DoctorFinding(
            "proxy_everybody",
            "critical",
            "Every client is trusted as a proxy",
            "trusted_proxies contains a network of all addresses, so any client can forge its address.",
            "Name only the addresses of your proxies in TOWNSQUARE_TRUSTED_PROXIES.",
        )
    if is_local(settings.host) and settings.public_url and not is_local(public_host(settings)):
        loopback = (ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1"))
        if not any(address in network for network in networks for address in loopback):
            yield DoctorFinding(
                "proxy_untrusted",
                "warning",
                "The proxy is not trusted",
                f"public_url is {settings.public_url} and the server listens on {settings.host}, so a proxy "
                "on this machine forwards requests. It is not in trusted_proxies: all visitors have one "
                "address and share their rate limits.",
                "Set TOWNSQUARE_TRUSTED_PROXIES=127.0.0.1/32.",
            )


def public_url(settings: Settings, machine: Machine) -> Iterator[DoctorFinding]:
    local = is_local(public_host(settings)) if settings.public_url else is_local(settings.host)
    if not settings.public_url and not local:
        yield DoctorFinding(
            "public_url_missing",
            "warning",
            "The public URL is not set",
            f"The server listens on {settings.host} without public_url: no mail about comments is sent, and "
            "links use the Host header of the request.",
            "Set TOWNSQUARE_PUBLIC_URL to the address that visitors use.",
        )
    if settings.public_url.startswith("http://") and not local:
        yield DoctorFinding(
            "public_url_without_tls",
            "warning",
            "Visitors use HTTP without TLS",
            f"public_url is {settings.public_url}: passwords and tokens can be read on the way.",
            "Put a proxy with TLS in front (deploy/Caddyfile, deploy/nginx.conf) and use an https:// URL.",
        )
    if settings.hsts_seconds and not settings.public_url.startswith("https://"):
        yield DoctorFinding(
            "hsts_without_tls",
            "warning",
            "HSTS is on, but the public URL is not HTTPS",
            "Browsers that see hsts_seconds refuse plain HTTP, which public_url names or permits.",
            "Set TOWNSQUARE_PUBLIC_URL to an https:// URL, or TOWNSQUARE_HSTS_SECONDS=0.",
        )


def public_host(settings: Settings) -> str:
    return urlsplit(settings.public_url).hostname or ""


def is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def delivery(settings: Settings, machine: Machine) -> Iterator[DoctorFinding]:
    if settings.delivery == "console" and settings.public_url and not is_local(public_host(settings)):
        yield DoctorFinding(
            "delivery_console",
            "warning",
            "Mail is not sent",
            "delivery is console: sign-in codes are written to the log and reach nobody.",
            "Set TOWNSQUARE_DELIVERY=smtp and TOWNSQUARE_SMTP_URL, or a webhook.",
        )


def workers(settings: Settings, machine: Machine) -> Iterator[DoctorFinding]:
    if settings.workers > machine.cores:
        yield DoctorFinding(
            "workers_above_cores",
            "warning",
            "More workers than cores",
            f"{settings.workers} workers share {machine.cores} cores: they slow each other down.",
            f"Set TOWNSQUARE_WORKERS={max(1, machine.cores - 1)}: one core is for the store.",
        )
    elif settings.workers == 1 and machine.cores >= 4:
        yield DoctorFinding(
            "workers_below_cores",
            "notice",
            "One worker on many cores",
            f"One worker uses one of {machine.cores} cores.",
            f"If the server is busy, set TOWNSQUARE_WORKERS={machine.cores - 1}.",
        )


def disk(settings: Settings, machine: Machine) -> Iterator[DoctorFinding]:
    if not settings.data_url and machine.disk_free is not None and machine.disk_free < LEAST_DISK:
        yield DoctorFinding(
            "disk_low",
            "critical",
            "The disk is nearly full",
            f"{megabytes(machine.disk_free)} are free for {settings.data_dir}. Writes fail below 64 MB, and "
            "a rewrite of the append-only file needs room for a second one.",
            "Free space, or move the data folder to a larger disk (stop the server, copy, --data).",
        )


def backups(settings: Settings, machine: Machine) -> Iterator[DoctorFinding]:
    last = newest_backup(settings.env, backup_folder(settings))
    scheduled = settings.backup_every != OFF
    allowed = LATE * seconds_of(settings.backup_every) if scheduled else MANUAL_BACKUP_DAYS * DAY
    if not last and not scheduled:
        yield DoctorFinding(
            "no_backup",
            "warning",
            "There is no backup",
            f"backup_every is off, and {backup_folder(settings)} has no backup.",
            "Set TOWNSQUARE_BACKUP_EVERY=24h, and copy the files to another machine. If you make backups in "
            "another way, set TOWNSQUARE_BACKUP_DIR to their folder.",
        )
    elif last and (age := time.time() - last) > allowed:
        yield DoctorFinding(
            "old_backup",
            "warning",
            "The newest backup is old",
            f"It was made {age / DAY:.1f} days ago.",
            "Look for `scheduled backup failed` in the log, or run `townsquare backup FILE`.",
        )


CHECKS: tuple[Callable[[Settings, Machine], Iterator[DoctorFinding]], ...] = (
    weak_secrets,
    proxy,
    public_url,
    delivery,
    workers,
    disk,
    backups,
)
