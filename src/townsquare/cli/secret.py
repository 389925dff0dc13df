"""`townsquare secret`"""

import secrets
from enum import StrEnum
from typing import Annotated

import click

from townsquare.kit.command_parameters import Argument
from townsquare.kit.commands import chosen_settings, run_command
from townsquare.open_store import open_existing_store
from townsquare.problems import Problem
from townsquare.store import keys
from townsquare.store.data_state import Offline
from townsquare.store.keys import FORMER_SECRET_SECONDS
from townsquare.store.store import Store

ROTATE = """
local secret = redis.call('GET', KEYS[1])
if not secret then return 0 end
redis.call('SET', KEYS[3], secret, 'NX')
redis.call('SET', KEYS[2], secret, 'EX', ARGV[2])
redis.call('SET', KEYS[1], ARGV[1])
return 1
"""


class SecretInSettings(Problem):
    code, status, title = "secret_in_settings", 409, "The secret is a setting"


class SecretAction(StrEnum):
    ROTATE = "rotate"
    FORGET = "forget"


def secret(action: Annotated[SecretAction, Argument(help="What to do.")]) -> None:
    """Replace the generated secret of the server, or forget the former one.

    Stop all servers before `rotate`. For 90 days, signatures of the former secret are accepted too. After
    `forget`, and a restart of the servers, they are not.
    """
    run_command(rotate() if action is SecretAction.ROTATE else forget())


async def rotate() -> None:
    settings = chosen_settings()
    if settings.secret:
        raise SecretInSettings(
            "Set TOWNSQUARE_FORMER_SECRET to the present value and TOWNSQUARE_SECRET to a new one, then "
            "restart all servers at once"
        )
    async with open_existing_store(settings) as store, Offline(store):
        if not await replace_secret(store, secrets.token_hex(32)):
            raise SecretInSettings("The store has no generated secret")
    click.echo("The secret is replaced. Signatures made with the former secret are accepted for 90 days.")


async def replace_secret(store: Store, new: str) -> bool:
    """In one step: the present secret becomes the former one."""
    side = store.role_store(keys.secret())
    names = [store.name(key) for key in (keys.secret(), keys.former_secret(), keys.first_secret())]
    slot = side.layout.slot(keys.secret())
    return bool(await side.nodes.execute(slot, "EVAL", ROTATE, 3, *names, new, FORMER_SECRET_SECONDS))


async def forget() -> None:
    async with open_existing_store(chosen_settings()) as store:
        known = await store.call("DEL", keys.former_secret())
    click.echo(
        "The former secret is deleted. Restart the servers." if known else "There is no former secret."
    )
