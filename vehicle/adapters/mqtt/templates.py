"""The templates of announcements: how a state is taken out of a payload, and how a command is put into one.

Home Assistant's templates are Jinja's with many functions of its own. Those that look at the message alone are rendered here as
they are there; one that needs anything else is refused by the name of what it needs. Rendering is sandboxed and short.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

LONGEST = 1000
"""Characters of a template. Our choice: those of gateways take one line."""

_KNOWN = frozenset({"value", "value_json"})
POSITION, COLOURS = "position", ("red", "green", "blue")
"""What the template of a cover's position and that of a light's colour may ask for beside ``value``."""

_JINJA = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
_JINJA.globals.clear()
_JINJA.filters["from_json"] = json.loads
_JINJA.filters["to_json"] = lambda value: json.dumps(value, ensure_ascii=False)


@cache
def template_of(text: str, *more: str) -> Template:
    """The template.

    Args:
        text: as it was announced.
        more: what it may ask for beside the message.

    Raises:
        ValueError: it is none, or it needs more than the message; the text says what.
    """
    if len(text) > LONGEST:
        raise ValueError(f"a template of {len(text)} characters is not understood")
    try:
        parsed = _JINJA.parse(text)
        strange = sorted(meta.find_undeclared_variables(parsed) - _KNOWN - set(more))
        if strange:
            raise ValueError(f"its template needs {', '.join(strange)}, which is not known here")
        if any(parsed.find_all((nodes.For, nodes.Macro, nodes.CallBlock, nodes.Include, nodes.Import))):
            raise ValueError("its template has a loop, a macro or an import, which is not known here")
        return _JINJA.from_string(text)
    except TemplateError as error:
        raise ValueError(f"its template is not understood: {error}") from None


def taken(template: Template, payload: str) -> str | None:
    """What a template makes of a payload; None where it makes nothing of it."""
    told: dict[str, Any] = {"value": payload}
    with suppress(ValueError):
        told["value_json"] = json.loads(payload)
    try:
        return template.render(told).strip()
    except (TemplateError, ValueError, TypeError, ArithmeticError, LookupError):
        return None


def put(template: Template, payload: str) -> str:
    """The command that carries a value.

    Raises:
        ValueError: the template makes nothing of it.
    """
    value: Any = payload
    try:
        value = float(payload) if any(letter in payload for letter in ".eE") else int(payload)
    except ValueError:
        value = payload
    try:
        return template.render(
            {"value": value, POSITION: value, **dict(zip(COLOURS, payload.split(","), strict=False))}
        )
    except (TemplateError, ValueError, TypeError, ArithmeticError, LookupError) as error:
        raise ValueError(f"its command template makes nothing of {payload!r}: {error}") from None
