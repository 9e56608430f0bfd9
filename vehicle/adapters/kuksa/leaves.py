"""Leaves of a vehicle's tree and their typed values. Owns the step between Python values and ``kuksa.val`` messages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from kuksa.val.v2 import types_pb2 as types

from schemas.errors import AdapterError
from vehicle.adapters.translation import Scalar

ROOT = "Vehicle."

FIELDS = {
    types.DATA_TYPE_STRING: "string",
    types.DATA_TYPE_BOOLEAN: "bool",
    types.DATA_TYPE_INT8: "int32",
    types.DATA_TYPE_INT16: "int32",
    types.DATA_TYPE_INT32: "int32",
    types.DATA_TYPE_INT64: "int64",
    types.DATA_TYPE_UINT8: "uint32",
    types.DATA_TYPE_UINT16: "uint32",
    types.DATA_TYPE_UINT32: "uint32",
    types.DATA_TYPE_UINT64: "uint64",
    types.DATA_TYPE_FLOAT: "float",
    types.DATA_TYPE_DOUBLE: "double",
}
"""Datatype -> the field of a value that carries it. Numbers of ``DataType`` and ``EntryType`` are the same in v1 and v2."""

_WHOLE = frozenset({"int32", "int64", "uint32", "uint64"})
_BITS = {"INT8": (-(2**7), 2**7 - 1), "INT16": (-(2**15), 2**15 - 1), "INT32": (-(2**31), 2**31 - 1),
         "INT64": (-(2**63), 2**63 - 1), "UINT8": (0, 2**8 - 1), "UINT16": (0, 2**16 - 1), "UINT32": (0, 2**32 - 1),
         "UINT64": (0, 2**64 - 1)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf as the vehicle describes it. ``path`` is without the root."""

    path: str
    datatype: int
    actuator: bool
    unit: str = ""
    low: float = -math.inf
    high: float = math.inf
    allowed: tuple[Scalar, ...] = ()

    @property
    def field(self) -> str | None:
        """The field of a value that carries it; None for a list."""
        return FIELDS.get(self.datatype)  # pyright: ignore[reportArgumentType]

    @property
    def whole(self) -> bool:
        """Whether its numbers are integers."""
        return self.field in _WHOLE

    @property
    def type_name(self) -> str:
        """The datatype in VSS's words."""
        return types.DataType.Name(self.datatype).removeprefix("DATA_TYPE_").lower()  # pyright: ignore[reportArgumentType]

    def takes(self, value: Scalar) -> bool:
        """Whether a value is of its type, and among what is allowed."""
        if self.allowed and value not in self.allowed:
            return False
        if self.field == "string":
            return isinstance(value, str)
        if self.field == "bool":
            return isinstance(value, bool)
        if isinstance(value, bool | str) or self.field is None:
            return False
        low, high = _BITS.get(self.type_name.upper(), (-math.inf, math.inf))
        return max(low, self.low) <= value <= min(high, self.high) and (not self.whole or value == int(value))

    def filled(self, message: Any, value: Scalar) -> Any:
        """The message (a v2 ``Value`` or a v1 ``Datapoint``) with the value in its field.

        Raises:
            schemas.errors.AdapterError: the vehicle says that it does not take this value.
        """
        if not self.takes(value):
            shown = type(value).__name__ if isinstance(value, str) else repr(value)
            raise AdapterError(f"the vehicle's {self.path} is a {self.type_name} that does not take {shown}")
        setattr(message, self.field or "", int(value) if self.whole and not isinstance(value, str) else value)
        return message


def value_in(message: Any, group: str) -> Scalar | None:
    """The value that a message holds, or None: it has none, or a list.

    Args:
        message: a v2 ``Value`` or a v1 ``Datapoint``.
        group: name of its one-of group.
    """
    field = message.WhichOneof(group) if message is not None else None
    if field is None or field.endswith("_array"):
        return None
    return getattr(message, field)


def bounds(low: Any, high: Any) -> tuple[float, float]:
    """A leaf's range from two v2 values that may be absent."""
    return (
        -math.inf if not isinstance(low, int | float) or isinstance(low, bool) else low,
        math.inf if not isinstance(high, int | float) or isinstance(high, bool) else high,
    )


def allowed_in(value: types.Value) -> tuple[Scalar, ...]:
    """The list of allowed values that metadata carry as a list in a v2 value."""
    field = value.WhichOneof("typed_value")
    return tuple(getattr(value, field).values) if field is not None and field.endswith("_array") else ()
