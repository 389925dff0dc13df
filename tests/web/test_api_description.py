"""What /openapi.json says of the whole API: complete, by short names, with samples that work."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import quote

import httpx
import jsonschema_rs
import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, bearer, browse, open_square

pytestmark = pytest.mark.slow

OPERATOR = "a token of the operator"
SHORT = 40  # characters
ENDS_THE_SESSION = (
    "accounts_change_password",
    "accounts_end_sessions",
    "accounts_logout",
    "social_rename_user",
    "social_delete_user",
    "accounts_delete_me",
)


@pytest.fixture
async def http(plain_place: Place, clock: PinnedClock) -> AsyncIterator[httpx.AsyncClient]:
    async with open_square(plain_place, clock, admin_token=OPERATOR) as square, browse(square) as client:
        yield client


@pytest.fixture
async def document(http: httpx.AsyncClient) -> Any:
    return (await http.get("/openapi.json")).json()


def operations(document: Any) -> Iterator[tuple[str, str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def samples(content: Any) -> list[Any]:
    found = [content["example"]] if "example" in content else []
    return found + [each["value"] for each in content.get("examples", {}).values()]


def body_samples(operation: Any) -> list[Any]:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:  # none, or a file
        return [None]
    return samples(content["application/json"])


def test_names_are_short_unique_and_of_letters_and_digits(document: Any) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    assert not [name for name in ids if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or len(name) > SHORT]
    schemas = document["components"]["schemas"]
    assert not [name for name in schemas if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name) or len(name) > SHORT]
    assert {schema["title"] for schema in schemas.values()} == schemas.keys()


def test_every_tag_operation_and_server_is_described(document: Any) -> None:
    assert document["servers"]
    assert all(tag["description"] for tag in document["tags"])
    assert {tag["name"] for tag in document["tags"]} == {
        tag for _, _, operation in operations(document) for tag in operation["tags"]
    }
    assert not [path for _, path, each in operations(document) if not each["summary"]]
    assert not [path for _, path, each in operations(document) if not each["description"]]
    assert not re.findall(r"\bseed\b", json.dumps(document))


def test_every_request_and_every_answer_has_an_example_that_fits(document: Any) -> None:
    missing = []
    for method, path, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            if "example" in parameter:
                assert_fits(document, parameter["schema"], parameter["example"])
            elif parameter.get("required"):
                missing.append((method, path, parameter["name"]))
        content = operation.get("requestBody", {}).get("content", {})
        answers = {status: each for status, each in operation["responses"].items() if status < "300"}
        for each in (content, *(answer.get("content", {}) for answer in answers.values())):
            if "application/json" not in each:
                continue
            found = samples(each["application/json"])
            for sample in found:
                assert_fits(document, each["application/json"]["schema"], sample)
            if not found:
                missing.append((method, path, "body"))
    assert not missing


def assert_fits(document: Any, schema: Any, value: Any) -> None:
    whole = {**schema, "components": document["components"]}
    jsonschema_rs.validator_for(whole).validate(value)


async def test_every_sample_request_is_understood(http: httpx.AsyncClient, document: Any) -> None:
    """Refused it may be, since there is no such record; but never as a mistake of who copied it."""
    signed_up = await http.post(
        "/accounts/signup", json=body_samples(document["paths"]["/accounts/signup"]["post"])[0]
    )
    assert signed_up.status_code == 201, signed_up.text
    user = bearer(signed_up.json()["access_token"])
    mistaken = []
    for method, path, operation in sorted(operations(document), key=ends_the_session):
        for sample in body_samples(operation):
            for headers in (user, bearer(OPERATOR)):
                answer = await send(http, method, path, operation, sample, headers)
                if answer.status_code not in (401, 403):
                    break
            if sample is None and answer.status_code == 422 and "requestBody" in operation:
                break  # a file, of which there is no sample
            known = '"code":"unauthorized"' not in answer.text if answer.status_code == 401 else True
            if not known or answer.status_code in (400, 405, 422) or answer.status_code >= 500:
                mistaken.append((method, path, sample, answer.text))
    assert not mistaken


def ends_the_session(operation: tuple[str, str, Any]) -> int:
    _, _, described = operation
    name = described["operationId"]
    return ENDS_THE_SESSION.index(name) if name in ENDS_THE_SESSION else -1


async def send(
    http: httpx.AsyncClient, method: str, path: str, operation: Any, body: Any, headers: dict[str, str]
) -> httpx.Response:
    query = {}
    for parameter in operation.get("parameters", ()):
        if "example" not in parameter:
            continue
        value = parameter["example"]
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(str(value), safe=""))
        else:
            query[parameter["name"]] = ",".join(value) if isinstance(value, list) else value
    return await http.request(method, path, params=query, json=body, headers=headers)
