"""Checks of our own for Schemathesis, which imports this module."""

from typing import Any

import schemathesis
from schemathesis.core.parameters import ParameterLocation


@schemathesis.check
def refusal_is_documented(ctx: Any, response: Any, case: Any) -> None:
    """Every code that a client gets is in the description of its status."""
    if not 400 <= response.status_code < 500 or "json" not in response.headers.get("content-type", [""])[0]:
        return
    code = response.json().get("code")  # clients of an earlier system get none
    if code in (None, "method_not_allowed", "not_found"):
        return
    documented = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    assert f"(`{code}`)" in documented.get("description", ""), f"undocumented code {code}"


@schemathesis.check
def invalid_body_is_refused(ctx: Any, response: Any, case: Any) -> None:
    body = case.meta and case.meta.components.get(ParameterLocation.BODY)
    if body and body.mode.is_negative and "svg" not in response.headers.get("content-type", [""])[0]:
        assert response.status_code >= 400, "an invalid body is accepted"
