import json
from typing import Annotated, Any, Generic, Literal, TypeVar

import jsonschema_rs
import msgspec
import pytest
import schemathesis

from tests.web.asking import Echo, Nothing, answering, app_with, ask, endpoint
from townsquare.api import AnyEndpoint, Auth, Call, Content
from townsquare.problems import Conflict, NotFound, Problem
from townsquare.web.openapi import describe
from townsquare.web.openapi.schemas import schema_names

D = TypeVar("D")


class Success(msgspec.Struct, Generic[D]):
    data: D


class Look(msgspec.Struct):
    id: str
    digits: Annotated[int, msgspec.Meta(ge=1, le=10, description="How many")] = 5
    echo: Echo | None = None


class Create(msgspec.Struct):
    url: str
    id: str = ""


class Edit(msgspec.Struct):
    id: str
    text: str


async def documented(call: Call, given: Look) -> Echo:
    """Look at a thing.

    Longer words about it.
    """
    return Echo("")


async def replayed(call: Call, given: Any, result: str) -> Echo:
    return Echo(result)


EVERYTHING: list[AnyEndpoint] = [
    endpoint("/things/{id}", documented, Look, errors=(NotFound,), aliases=("/old/{id}",)),
    endpoint("/things/{id}", method="PUT", input=Edit, auth=Auth.USER, output=Success[Echo]),
    endpoint("/things/{id}", method="DELETE", input=Edit, auth=Auth.ADMIN, output=type(None)),
    endpoint("/things", method="POST", input=Create, replay=replayed, status=201, errors=(Conflict,)),
    endpoint("/act", action="look", input=Look, run=documented),
    endpoint(
        "/act", action="make", input=Create, run=answering(None), output=Success[Echo], auth=Auth.OPTIONAL
    ),
    endpoint("/act", action="look", method="POST", input=Look),
    endpoint("/act", action="make", method="POST", input=Create, replay=replayed, status=201),
    endpoint("/picture", output=Content, input=Nothing, limit=None),
    endpoint("/hidden", documented=False),
]


@pytest.fixture(scope="module")
def document() -> Any:
    return json.loads(describe(EVERYTHING, {}))


def parameters(operation: Any) -> dict[str, tuple[str, bool]]:
    return {each["name"]: (each["in"], each.get("required", False)) for each in operation["parameters"]}


@pytest.mark.slow
def test_the_document_is_valid_openapi(document: Any) -> None:
    schemathesis.openapi.from_dict(document).validate()


def test_every_schema_is_a_valid_json_schema(document: Any) -> None:
    for name in document["components"]["schemas"]:
        jsonschema_rs.validator_for(
            {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
        )


async def test_it_is_served_with_the_servers_own_operations() -> None:
    app = app_with(*EVERYTHING)
    reply = await ask(app, "GET", "/openapi.json")
    schemathesis.openapi.from_dict(reply.json).validate()
    assert {"/healthz", "/readyz", "/metrics", "/things"} <= reply.json["paths"].keys()
    again = await ask(app, "GET", "/openapi.json", headers={"If-None-Match": reply.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def test_summary_and_description_come_from_the_docstring(document: Any) -> None:
    look = document["paths"]["/things/{id}"]["get"]
    assert look["summary"] == "Look at a thing."
    assert look["description"].startswith(
        "Longer words about it.\n\nAnybody may call it. At most 1,200 in 60 s"
    )


def test_without_a_body_everything_else_is_in_the_query(document: Any) -> None:
    look = document["paths"]["/things/{id}"]["get"]
    assert parameters(look) == {"id": ("path", True), "digits": ("query", False), "echo": ("query", False)}
    digits = next(each for each in look["parameters"] if each["name"] == "digits")
    assert digits["description"] == "How many"
    assert digits["schema"] == {"type": "integer", "minimum": 1, "maximum": 10, "default": 5}


def test_path_parameters_are_not_repeated_in_the_body(document: Any) -> None:
    edit = document["paths"]["/things/{id}"]["put"]
    reference = edit["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    schema = document["components"]["schemas"][reference.rpartition("/")[2]]
    assert (list(schema["properties"]), schema["required"]) == (["text"], ["text"])
    assert parameters(edit) == {"id": ("path", True)}


def test_actions_of_one_path_are_one_operation(document: Any) -> None:
    act = document["paths"]["/act"]["get"]
    assert act["parameters"][0]["schema"]["enum"] == ["look", "make"]
    assert parameters(act) == {
        "action": ("query", True),
        "id": ("query", False),
        "digits": ("query", False),
        "echo": ("query", False),
        "url": ("query", False),
    }
    url = next(each for each in act["parameters"] if each["name"] == "url")
    assert url["description"] == "Required for make."
    assert "- `look`: Look at a thing." in act["description"]


def test_bodies_of_actions_are_alternatives(document: Any) -> None:
    act = document["paths"]["/act"]["post"]
    schema = act["requestBody"]["content"]["application/json"]["schema"]
    validator = jsonschema_rs.validator_for({**schema, "components": document["components"]})
    assert validator.is_valid({"action": "make", "url": "x"})
    assert not validator.is_valid({"action": "make", "id": "x"})
    assert set(act["responses"]) >= {"200", "201"}


def test_problems_are_told(document: Any) -> None:
    responses = document["paths"]["/things"]["post"]["responses"]
    assert {"201", "409", "422", "429", "503"} <= responses.keys()
    assert "`conflict`" in responses["409"]["description"]
    assert list(responses["409"]["content"]) == ["application/problem+json"]


def test_who_may_call_is_told(document: Any) -> None:
    paths = document["paths"]
    assert paths["/things/{id}"]["put"]["security"] == [{"bearer": []}]
    assert paths["/act"]["get"]["security"] == [{}, {"bearer": []}]
    assert "security" not in paths["/things"]["post"]
    assert "403" in paths["/things/{id}"]["delete"]["responses"]


def test_creating_operations_take_an_idempotency_key(document: Any) -> None:
    assert "Idempotency-Key" in parameters(document["paths"]["/things"]["post"])


def test_answers_without_json_are_told_as_such(document: Any) -> None:
    paths = document["paths"]
    assert paths["/picture"]["get"]["responses"]["200"]["content"] == {
        "application/octet-stream": {"schema": {"type": "string"}}
    }
    assert paths["/things/{id}"]["delete"]["responses"]["204"] == {"description": "No Content"}


def test_media_types_are_in_the_annotations() -> None:
    def shaped(problem: Problem, call: Call) -> Annotated[Content, "image/svg+xml"]:
        raise problem

    drawn: Any = Annotated[Content, "image/png"]
    document = json.loads(
        describe([endpoint("/png", output=drawn), endpoint("/data", on_problem=shaped)], {})
    )
    assert list(document["paths"]["/png"]["get"]["responses"]["200"]["content"]) == ["image/png"]
    data = document["paths"]["/data"]["get"]["responses"]["200"]["content"]
    assert list(data) == ["application/json", "image/svg+xml"]


def test_aliases_are_told_and_hidden_endpoints_are_not(document: Any) -> None:
    assert "/old/{id}" not in document["paths"]
    assert "Also at `/old/{id}`." in document["paths"]["/things/{id}"]["get"]["description"]
    assert "/hidden" not in document["paths"]


def test_operations_are_called_by_their_functions_or_else_by_their_paths(document: Any) -> None:
    paths = document["paths"]
    assert paths["/things"]["post"]["operationId"] == "test_post_things"  # others have the same function
    assert paths["/act"]["get"]["operationId"] == "test_get_act"
    assert paths["/things/{id}"]["get"]["operationId"] == "test_documented"


def test_schemas_of_one_name_get_their_modules() -> None:
    assert schema_names(
        {"a.boards.Message": "Message", "a.chats.Message": "Message", "Page_Item_": "Page[Item]"}
    ) == {"a.boards.Message": "BoardsMessage", "a.chats.Message": "ChatsMessage", "Page_Item_": "ItemPage"}


def test_what_generators_do_not_know_is_said_otherwise() -> None:
    class Odd(msgspec.Struct):
        anything: list[Any]
        always: Literal[True] = True

    document = json.loads(describe([endpoint("/odd", output=Odd)], {}))
    assert document["components"]["schemas"]["Odd"]["properties"] == {
        "anything": {"type": "array", "items": {}},
        "always": {"type": "boolean", "default": True},
    }
