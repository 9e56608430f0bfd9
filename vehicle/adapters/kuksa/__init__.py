"""A vehicle behind an Eclipse KUKSA databroker: signals of the COVESA Vehicle Signal Specification over gRPC.

Targets go out by ``kuksa.val.v2`` ``Actuate`` and ``BatchActuate``, present values come in by one
subscription that a thread keeps open. Which path is which signal is data: ``vehicle/mappings/vss6.yaml``, with the names of
VSS 4.0 and 5.1 where they differ; the vehicle's own list of leaves decides what is offered. Needs the extra ``kuksa``.

- An accepted target is not a finished one: the broker does not say whether a provider rejected it. The service watches the
  present value.
- Nothing waits for a connection. A target that cannot be handed over now is an error now; after a reconnect none is sent
  again. Each goes out only over a connection that has just answered an echo. One that is not answered in time is taken back,
  and its failure is told when the broker has heard so, or the connection is given up: it is not carried out later. (Left: a
  broker that stops in the milliseconds between echo and target, and when it wakes up acts before it reads on.)
- By v1 the *broker* would keep a target for whoever comes later, so v1 is used only if ``allow_v1`` says so.
- A batch is checked as a whole and then sent on signal by signal, up to the first that nobody provides: what may have been taken is
  told as that (``PartlyDoneError``), and the service looks what moved.
- The broker keeps the values of a provider that died; they count as unknown when no speed came for ten seconds.
- The first values after connecting may be old: they count by their own timestamp. A speed without one is unknown until the
  next report.

Not done: providing signals, lists of values, and the roof to a percentage (VSS has a switch for it).
"""

from vehicle.adapters.kuksa.adapter import KuksaVehicle

__all__ = ["KuksaVehicle"]
