"""What a language model named in a slice of the category tree, as a flat list."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from schemas.preferences import BY_DETAIL, Category, Mention


def mentions(filled: BaseModel) -> Iterator[tuple[Category, Mention]]:
    """The mentions in a filled slice, in the order of the tree."""
    for main in type(filled).model_fields:
        subs = getattr(filled, main)
        for sub in type(subs).model_fields if isinstance(subs, BaseModel) else ():
            details = getattr(subs, sub)
            for detail in type(details).model_fields if isinstance(details, BaseModel) else ():
                for mention in getattr(details, detail) or ():
                    yield BY_DETAIL[detail], mention
