"""What is said between the assistant and the process that holds the vehicle: typed messages, each of one schema, each bounded.

Owns the schemas and their form on the line: one message is one JSON object in one packet of a local socket (SOCK_SEQPACKET, so no
message is cut or runs into the next). JSON knows no tuple and no path: an object with the one key ``()`` or ``/`` stands for them.
Owns no socket. Nothing that is read here is run, imported or looked up by name, but for errors and actions in their own tables.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from schemas import errors
from schemas.actions import BY_NAME, Action, parse_action
from schemas.errors import ConfigError, GloveboxError, PinError, VehicleError
from schemas.events import ActionResult, ActionStatus, Moved, Ruling, VehicleState
from schemas.memory import Waiting

MOST_BYTES = 128 * 1024
"""The longest message. All signals of the largest vehicle take 8 kB; Linux carries a packet of 200 kB (net.core.wmem_default)."""

MOST_NAMES = 500
"""Names in one message: whoever has more contacts is told of in several."""

Id = Annotated[int, Field(ge=1, le=2**53, strict=True)]
Name = Annotated[str, Field(max_length=80)]
Token = Annotated[str, Field(max_length=64)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fitting(_Message):
    """Which vehicle it is, and what it takes to open it. Paths of secrets, never a secret: who opens the vehicle reads them."""

    adapter: str
    options: dict[str, Any]
    """Of the adapter (``vehicle.adapters.open_adapter``)."""
    confirmation_s: float
    organizer: Path | None = None
    outbox: Path | None = None


# From the assistant ----------------------------------------------------------------------------------------------------


class Begin(_Message):
    """Open this vehicle: the first message, once."""

    kind: Literal["begin"] = "begin"
    fitting: Fitting


class Look(_Message):
    """Tell the state."""

    kind: Literal["look"] = "look"
    id: Id


class Wish(_Message):
    """Do this action, or foresee it, or take it back."""

    kind: Literal["act", "foresee", "foresee_confirmed", "take_back"]
    id: Id
    name: Name
    slots: dict[str, Any]

    def action(self) -> Action:
        """The action, if it is one.

        Raises:
            schemas.errors.VehicleError: it is none.
        """
        try:
            return parse_action(self.name, self.slots)
        except (KeyError, ValidationError):
            raise VehicleError("no action has that name and these slots") from None


class Agree(_Message):
    """Carry out what waits under this token."""

    kind: Literal["confirm"] = "confirm"
    id: Id
    token: Token


class Put(_Message):
    """Write one signal by the rules of the action that this amounts to."""

    kind: Literal["put"] = "put"
    id: Id
    signal: Name
    value: Any


class GiveUp(_Message):
    """Nobody waits for that answer any more."""

    kind: Literal["give_up"] = "give_up"
    id: Id


class Withdraw(_Message):
    """Drop what waits under this token."""

    kind: Literal["withdraw"] = "withdraw"
    token: Token


class Restore(_Message):
    """Let these timers and reminders wait, and no others."""

    kind: Literal["restore"] = "restore"
    era: int
    """Counts these messages: what is told of an earlier one's is of no use any more, and may be another driver's."""
    waiting: Annotated[tuple[Waiting, ...], Field(max_length=100)]


class Close(_Message):
    """Release the vehicle and end."""

    kind: Literal["close"] = "close"
    id: Id


# From the vehicle's process ----------------------------------------------------------------------------------------------


class Names(_Message):
    """More of what contacts, playlists and stations are called."""

    kind: Literal["names"] = "names"
    of: Name
    names: tuple[str, ...]


class Ready(_Message):
    """The vehicle is open, and all names were told."""

    kind: Literal["ready"] = "ready"


class Standing(_Message):
    """What the vehicle has, and whether it can be reached: told first, and whenever it is different."""

    kind: Literal["standing"] = "standing"
    offers: tuple[str, ...]
    away: bool


class Kept(_Message):
    """The timers and reminders that wait now."""

    kind: Literal["kept"] = "kept"
    era: int
    waiting: tuple[Waiting, ...]


class Due(_Message):
    """What is to be said unasked."""

    kind: Literal["due"] = "due"
    era: int
    sentences: tuple[str, ...]


class State(_Message):
    """An answer: the state."""

    kind: Literal["state"] = "state"
    id: Id
    state: VehicleState


class Result(_Message):
    """An answer: what became of an action."""

    kind: Literal["result"] = "result"
    id: Id
    name: Name
    slots: dict[str, Any]
    status: ActionStatus
    ruling: Ruling
    moved: tuple[Moved, ...]
    already: bool
    answer: dict[str, Any]
    token: Token | None
    error: Name | None

    @classmethod
    def of(cls, number: int, result: ActionResult) -> Result:
        """The answer to that message."""
        told: dict[str, Any] = {name: getattr(result, name) for name in ActionResult.model_fields if name != "action"}
        slots = {slot: getattr(result.action, slot) for slot in type(result.action).model_fields}
        return cls(id=number, name=result.action.name, slots=slots, **told)

    def result(self) -> ActionResult:
        """As it is in place. What a signal was put to need not fit the steps of speech (``vehicle.undo``)."""
        try:
            action = parse_action(self.name, self.slots)
        except ValidationError:
            action = BY_NAME[self.name].model_construct(**self.slots)
        told: dict[str, Any] = {name: getattr(self, name) for name in ActionResult.model_fields if name != "action"}
        return ActionResult(action=action, **told)


class Nothing(_Message):
    """An answer: done, or there is nothing to tell."""

    kind: Literal["nothing"] = "nothing"
    id: Id


class Failed(_Message):
    """An answer: an error of ``schemas.errors``. Number 0 answers what was no message, or the opening."""

    kind: Literal["failed"] = "failed"
    id: Annotated[int, Field(ge=0, le=2**53)]
    code: Name
    message: Annotated[str, Field(max_length=4000)]
    wait_s: int = 0

    @classmethod
    def of(cls, number: int, error: BaseException) -> Failed:
        """The answer to that message. What is no error of ours was a defect: its kind is told and nothing else of it."""
        if not isinstance(error, GloveboxError):
            return cls(
                id=number, code=VehicleError.code, message=f"the vehicle's process failed: {type(error).__name__}"
            )
        wait_s = error.wait_s if isinstance(error, PinError) else 0
        return cls(id=number, code=error.code, message=str(error)[:4000], wait_s=wait_s)

    def error(self) -> GloveboxError:
        """The error itself."""
        kind = ERRORS.get(self.code, VehicleError)
        return kind(self.message, self.wait_s) if issubclass(kind, PinError) else kind(self.message)


ERRORS = {
    kind.code: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GloveboxError)
}
"""Every error of ``schemas.errors``, by its code."""

Asked: TypeAlias = Begin | Look | Wish | Agree | Put | GiveUp | Withdraw | Restore | Close
Told: TypeAlias = Names | Ready | Standing | Kept | Due | State | Result | Nothing | Failed
_ASKED: TypeAdapter[Asked] = TypeAdapter(Annotated[Asked, Field(discriminator="kind")])
_TOLD: TypeAdapter[Told] = TypeAdapter(Annotated[Told, Field(discriminator="kind")])


def packed(message: Asked | Told) -> bytes:
    """A message as it goes over the line.

    Raises:
        schemas.errors.ConfigError: it holds what has no form there, or is too long.
    """
    try:
        data = json.dumps(_plain(message.model_dump(warnings=False)), separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"{message.kind}: cannot be handed to the vehicle's process ({error})") from error
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{message.kind}: {len(data)} bytes are too long for the vehicle's process")
    return data


def asked(data: bytes) -> Asked:
    """What the assistant says.

    Raises:
        schemas.errors.VehicleError: it is no message.
    """
    return _read(_ASKED, data)


def told(data: bytes) -> Told:
    """What the vehicle's process says.

    Raises:
        schemas.errors.VehicleError: it is no message.
    """
    return _read(_TOLD, data)


def _read(schema: TypeAdapter[Any], data: bytes) -> Any:
    if len(data) > MOST_BYTES:
        raise VehicleError("a message was too long")
    try:
        return schema.validate_python(json.loads(data, object_hook=_rich))
    except (ValueError, RecursionError, TypeError):  # a ValidationError is a ValueError; nothing of the content is told
        raise VehicleError("that was no message") from None


_AS_THEY_ARE = frozenset((str, int, float, bool, type(None)))


def _plain(value: Any) -> Any:
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return {"()": [_plain(one) for one in value]}
    if isinstance(value, frozenset):
        return {"()": sorted(value)}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, Path):
        return {"/": str(value)}
    return value.isoformat() if hasattr(value, "isoformat") else value


def _rich(found: dict[str, Any]) -> Any:
    if len(found) == 1:
        ((key, value),) = found.items()
        if key == "()" and isinstance(value, list):
            return tuple(value)
        if key == "/" and isinstance(value, str):
            return Path(value)
    return found
