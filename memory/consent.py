"""What the driver's switches mean: opting out and in by main, sub or detail key, pausing, private trips.

Pure: takes a `Consent`, returns the next. Stored by `memory.store.preferences`, enforced in its write path and by the vault's
triggers; asked by extraction before a turn is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from schemas.errors import UnknownEntryError
from schemas.manners import OFFERS
from schemas.memory import CONVERSATIONS, FACTS, Consent
from schemas.preferences import CATEGORIES, KINDS, Category, find

_ALONE = frozenset((FACTS, *OFFERS))
"""Keys of what is no category and on until it is switched off."""


def categories(key: str) -> tuple[Category, ...]:
    """The categories under a key: a main, sub or detail key, or a dotted path.

    Raises:
        UnknownEntryError: no category has that key.
    """
    try:
        return find(key)
    except KeyError:
        raise UnknownEntryError(
            f"no category is called {key[:80]!r}: use a main, sub or detail key such as music or favorite_genres"
        ) from None


def detail_keys(key: str | None) -> tuple[str, ...] | None:
    """The detail keys under a main, sub or detail key; None for all.

    Raises:
        UnknownEntryError: no category has that key.
    """
    return None if key is None else tuple(category.detail for category in categories(key))


def opt_out(consent: Consent, key: str) -> Consent:
    """Switch a category off, with all below it.

    A sensitive category below it that was asked for has to be asked for again: switching its parent back on is not that.
    With `schemas.memory.CONVERSATIONS` conversations are not kept any more, with `schemas.memory.FACTS` no facts, and with one of
    `schemas.manners.OFFERS` that is not done any more.
    """
    if key in _ALONE:
        return consent.model_copy(update={"opted_out": consent.opted_out | {key}})
    if key == CONVERSATIONS or key in KINDS:
        return consent.model_copy(update={"opted_in": consent.opted_in - {key}})
    below = categories(key)
    details = {category.detail for category in below}
    last = key.rsplit(".", 1)[-1]
    covered = {part for category in below for part in _below(category, last)}
    return consent.model_copy(
        update={"opted_out": (consent.opted_out - covered) | {last}, "opted_in": consent.opted_in - details}
    )


def opt_in(consent: Consent, key: str) -> Consent:
    """Switch a category on again, with all below it; the rest of a parent that was off stays off.

    A sensitive category is switched on only by its own key, never with its parent, and so is `CONVERSATIONS`.
    """
    if key in _ALONE:
        return consent.model_copy(update={"opted_out": consent.opted_out - {key}})
    if key == CONVERSATIONS or key in KINDS:
        return consent.model_copy(update={"opted_in": consent.opted_in | {key}})
    below = categories(key)
    last = key.rsplit(".", 1)[-1]
    wanted = {category.detail for category in below}
    still_off = [c for c in CATEGORIES if c.detail not in wanted and any(part in consent.opted_out for part in c.path)]
    opted_out = frozenset(_keys_of(still_off)) | (consent.opted_out & _ALONE)
    opted_in = consent.opted_in
    if len(below) == 1 and last == below[0].detail and below[0].sensitive:
        opted_in = opted_in | {last}
    return consent.model_copy(update={"opted_out": opted_out, "opted_in": opted_in})


def pause(consent: Consent, until: datetime | None) -> Consent:
    """Remember nothing until then; None resumes."""
    return consent.model_copy(update={"paused_until": until})


def private_trip(consent: Consent, private: bool) -> Consent:
    """Remember nothing from now on, or remember again."""
    return consent.model_copy(update={"private_trip": private})


def _below(category: Category, key: str) -> tuple[str, ...]:
    """The keys of the category's path that lie under a key of it."""
    path = category.path
    return path[path.index(key) + 1 :]


def _keys_of(off: Sequence[Category]) -> set[str]:
    """The fewest keys that stand for these categories and no others."""
    keys: set[str] = set()
    for category in off:
        for part in category.path:
            if all(other in off for other in CATEGORIES if part in other.path):
                keys.add(part)
                break
    return keys
