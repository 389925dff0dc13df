"""`townsquare serve --check`: what would prevent the server from starting or from sending mail."""

import asyncio

import click

from townsquare.extensions import ExtensionError
from townsquare.failing import CANNOT_RUN, fail
from townsquare.kit.outgoing import NotSent
from townsquare.problems import Problem
from townsquare.services.accounts.signin.delivery import Smtp
from townsquare.settings import Settings
from townsquare.square import check_settings
from townsquare.store.requirements import require_safe
from townsquare.store.wire.connection import ReplyError


def check_server(settings: Settings) -> None:
    check_settings(settings)
    report("settings", "ok")
    try:
        asyncio.run(_check_services(settings))
    except (Problem, ReplyError, ExtensionError, NotSent) as error:
        fail(error, CANNOT_RUN)


async def _check_services(settings: Settings) -> None:
    for warning in await require_safe(settings):
        report(warning.role.value, f"warning: {warning}")
    for name, url in (("data", settings.data_url), ("cache", settings.cache_url)):
        report(name, "ok" if url else f"embedded, in {settings.data_dir}")
    if settings.delivery == "smtp":
        await Smtp(settings.smtp_url, settings.mail_from).check()
        report("mail", "ok")
    else:
        report("mail", f"not checked: delivery is {settings.delivery}")


def report(subject: str, state: str) -> None:
    click.echo(f"{subject:9} {state}")
