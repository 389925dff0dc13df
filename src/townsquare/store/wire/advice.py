"""What to do when a node cannot be reached or turns us away: every error as one plain sentence."""

import os
import socket
import sys

from townsquare.problems import OutcomeUnknown, Problem
from townsquare.store.wire.address import Address
from townsquare.store.wire.protocol import ReplyError

OLDEST = "6.2"

BY_CODE = {
    "NOAUTH": "it asks for a password: put it into the URL, as in redis://user:PASSWORD@host:port",
    "WRONGPASS": "it does not know this user and password: correct them in the URL, with / ? # @ and : in "
    "percent-encoding",
    "NOPERM": "its user may not do what we need: grant all commands and keys, as in "
    "ACL SETUSER name on >password ~* &* +@all",
    "DENIED": "it is in protected mode and takes connections of its own machine only: give it a password, or "
    "bind it to an address that is safe",
    "NOPROTO": f"it does not speak RESP3: use Redis {OLDEST} or newer, or Valkey",
}
BY_TEXT = {
    "unknown command": f"it is too old: use Redis {OLDEST} or newer, or Valkey",
    "DB index is out of range": "it has no database of this number: correct the URL, or raise `databases`",
    "SELECT is not allowed in cluster mode": "it is a cluster: use redis+cluster:// without a number",
    "max number of clients": "it has as many clients as it takes: raise its `maxclients`",
    "cluster support disabled": "it is no cluster: use redis:// instead of redis+cluster://",
}


def advice(address: Address, error: Exception) -> str:
    if isinstance(error, ReplyError):
        return _of_refusal(error)
    if isinstance(error, Problem):
        return _of_broken_session(address, error)
    ssl = sys.modules.get("ssl")  # None: no connection uses TLS
    if ssl and isinstance(error, ssl.SSLCertVerificationError):
        return (
            "its certificate is not trusted: name who signed it with ?ssl_ca_certs=FILE, and use the host "
            f"name that it is for ({error})"
        )
    if ssl and isinstance(error, ssl.SSLError):
        return f"it does not speak TLS on this port: use redis:// or its TLS port ({error})"
    if isinstance(error, socket.gaierror):
        return f"there is no host {address.host}: correct the URL, or see why its name is not known"
    if isinstance(error, OSError):
        return _of_system(address, error)
    return str(error)


def _of_refusal(error: ReplyError) -> str:
    says = BY_CODE.get(error.code) or next((says for text, says in BY_TEXT.items() if text in str(error)), "")
    return f"{says} ({error})" if says else str(error)


def _of_broken_session(address: Address, error: Problem) -> str:
    why = "; ".join([str(error), *getattr(error, "__notes__", ())])
    if isinstance(error, OutcomeUnknown) and not address.tls and not address.path:
        return f"it does not greet as Redis does: correct the port, or use rediss:// if it wants TLS ({why})"
    return why


def _of_system(address: Address, error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time" + (" (does it speak TLS on this port?)" if address.tls else "")
    says = os.strerror(error.errno) if error.errno else str(error)  # the same whatever the event loop
    if isinstance(error, ConnectionRefusedError | FileNotFoundError):
        return f"{says}: start Redis, or correct the URL"
    if isinstance(error, PermissionError):
        return f"{says}: let this user open the socket"
    return says
