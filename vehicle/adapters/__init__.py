"""Ways to reach a vehicle: one folder each, of the same shape, behind one small contract.

Owns the contract and the registry of adapters. An adapter carries out what it is told and tells what it reads; it
judges nothing (``vehicle.gate``) and never queues: what cannot be written now is an error now, so that nothing old is
carried out later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from schemas.errors import ConfigError
from schemas.events import VehicleState
from schemas.ports import Clock
from schemas.registry import Registry, Row
from vehicle.adapters.findings import Finding
from vehicle.signals import SIGNALS

__all__ = ["ADAPTERS", "Finding", "VehicleAdapter", "open_adapter", "report"]


class VehicleAdapter(Protocol):
    """A connection to one vehicle."""

    def offers(self) -> frozenset[str]:
        """Names of the signals (``vehicle.signals``) that this vehicle has: the last known while it cannot be reached.

        Of a vehicle that was never reached: what it could have, so that a wish is understood and its failure told.
        """
        ...

    async def read(self) -> VehicleState:
        """Present values of everything offered; ``age_s`` tells how old speed and gear are.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached, or the adapter is closed.
        """
        ...

    async def write(self, changes: Mapping[str, Any]) -> None:
        """Ask the vehicle for these target values, all together or, on an error, none. Returns when it has accepted.

        Where the other end cannot promise that (a databroker sends a batch on signal by signal), a part that went through is told
        as such and never as nothing.

        What was not accepted in time, or was cancelled, is taken back: it must not reach the vehicle later, and nothing that is
        asked for afterwards may be overtaken by it. The time is the adapter's own, below ``vehicle.service.PATIENCE_S``.

        Raises:
            schemas.errors.AdapterError: unknown or unoffered signal, a signal that is only read, a value out of range, or
                the vehicle cannot be reached.
            schemas.errors.PartlyDoneError: the connection stands, and a part of it may have been taken.
            schemas.errors.BetweenError: nothing was sent: what only opens or closes was to stop between the two.
        """
        ...

    async def close(self) -> None:
        """Release the connection; closing twice is fine."""
        ...

    def check(self) -> tuple[Finding, ...]:
        """What the adapter found: the connection, and signals that are missing, unmapped or of another type."""
        ...


ADAPTERS = Registry(
    "vehicle adapter",
    "glovebox.adapters",
    {
        "simulated": Row("vehicle.adapters.simulated:SimulatedVehicle"),
        "kuksa": Row("vehicle.adapters.kuksa:KuksaVehicle", extra="kuksa"),
        "can": Row("vehicle.adapters.can:CanVehicle", extra="can"),
        "mqtt": Row("vehicle.adapters.mqtt:MqttVehicle", extra="mqtt"),
    },
)
"""Each takes a ``Clock`` and its settings by keyword, and gives a `VehicleAdapter`."""


def open_adapter(name: str, *, clock: Clock, **settings: Any) -> VehicleAdapter:
    """A connection by the adapter of that name.

    Args:
        name: one of ``ADAPTERS``.
        clock: the adapter's time.
        settings: what its class takes; for ``simulated`` the ``profile``: the name of a drive; for the others ``patient``, to start
            without the vehicle and reach it later; for one that another package adds what stands under ``vehicle.added``.

    Raises:
        schemas.errors.ConfigError: no adapter has that name, a setting of it cannot be used, or its optional package is
            not installed.
        schemas.errors.AdapterError: the vehicle cannot be reached.
    """
    try:
        opener: Callable[..., VehicleAdapter] = ADAPTERS.opener(name)
    except ModuleNotFoundError as error:
        missing = f"the adapter {name!r} needs {error.name}, which is not installed"
        raise ConfigError(f"{missing}; install Glovebox with the extra [{name}]") from error
    return opener(clock, **settings)


def report(adapter: VehicleAdapter) -> tuple[Finding, ...]:
    """What the adapter found, and which signals of the table this vehicle does not have; worst first."""
    absent = sorted(set(SIGNALS) - adapter.offers())
    findings = list(adapter.check())
    told = {finding.subject for finding in findings}
    findings += [Finding("warn", name, "this vehicle does not have it") for name in absent if name not in told]
    return tuple(sorted(findings, key=lambda finding: ("fail", "warn", "ok").index(finding.verdict)))
