"""What pydantic found wrong with a settings file, in the user's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from edgegat.data._words import did_you_mean, listing, show

_KINDS = {
    "string_type": "text in double quotes",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "list_type": "a list in square brackets",
    "dict_type": "a table of settings",
    "model_type": "a table of settings",
    "model_attributes_type": "a table of settings",
}


def say_mistakes(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """One line for each mistake: the path in the TOML file, what stands there, what is allowed."""
    return [line for detail in error.errors(include_url=False) for line in _say(detail, model)]


def _say(detail: ErrorDetails, model: type[BaseModel]) -> Iterator[str]:
    *parents, last = detail["loc"] or ("file",)
    path = ".".join(str(part) for part in (*parents, last))
    kind, value = detail["type"], detail["input"]
    if kind == "extra_forbidden":
        known = _known_keys(model, parents)
        yield f"{path}: unknown key.{did_you_mean(str(last), known)} Known here are {listing(known, 20)}."
    elif kind == "missing":
        yield f"{path}: missing. {_purpose(str(last))}".rstrip()
    elif kind == "literal_error":
        allowed = re.findall(r"'([^']*)'", str(detail.get("ctx", {}).get("expected", "")))
        guess = did_you_mean(value, allowed) if isinstance(value, str) else ""
        yield f"{path} is {show(value)}, but it must be one of {listing(allowed)}.{guess}"
    elif kind in _KINDS:
        yield f"{path} is {show(value)}, but it must be {_KINDS[kind]}."
    elif kind == "value_error":
        for line in str(detail.get("ctx", {}).get("error", detail["msg"])).split("\n"):
            yield f"{path}: {line}."
    else:
        yield f"{path} is {show(value)}: {detail['msg'][:1].lower()}{detail['msg'][1:]}."


def _purpose(key: str) -> str:
    return {
        "edges": "Write a section [edges] with the columns 'source' and 'target'.",
        "id": "Name the column that holds the ids of the nodes.",
        "source": "Name the column that holds the id of the node an edge leaves.",
        "target": "Name the column that holds the id of the node an edge reaches.",
        "type": "Name the type of the feature.",
    }.get(key, "")


def _known_keys(model: type[BaseModel], parents: list[str | int]) -> list[str]:
    """The keys that the section at this path may have."""
    found: Any = model
    for part in parents:
        field = getattr(found, "model_fields", {}).get(part)
        found = _section_in(field.annotation if field is not None else found)
    return list(getattr(found, "model_fields", {}))


def _section_in(annotation: Any) -> Any:
    """The first section inside an annotation such as ``dict[str, Feature] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = [_section_in(part) for part in getattr(annotation, "__args__", ())]
    return next((part for part in inner if part is not None), None)
