"""`eval commands`: how many spoken orders of a closed domain a recogniser understands in full.

An order is accepted if the recogniser took it for a command and every slot has the labelled value, none missing and none too
many (Picovoice's speech-to-intent benchmark counts in this way). Slot accuracy is the share of labelled slots with the right
value in what was taken for a command; a rejected order has none. The same recordings are heard as they are and in noise.
Real time factors are processor time over the recordings' length, so that they do not depend on what else the machine does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from deploy.lab.orders.ears import Heard
from deploy.lab.orders.recordings import Floats, Order, in_noise
from deploy.lab.report.blocks import Cell, Dot, Dots, Plot, Progress, Report, Series, Table, silent
from deploy.lab.report.statistics import Ratio, share
from schemas.events import Samples

GOALS = {"clean": 0.90, "10": 0.75}
"""What the project set itself, acceptance by noise (10 dB in a kitchen)."""
GOAL_RTF = 0.1
MISTAKES = 12
"""Rows of the table of mistakes."""


class Ear(Protocol):
    """Something that hears an order."""

    def hear(self, samples: Samples) -> Heard:
        """Hear one recording."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played."""

    orders: Sequence[Order]
    snrs: Sequence[float]
    """Decibels, beside the recordings as they are."""
    noise: Floats | None
    """None for synthetic road noise."""
    noise_name: str
    grammar: str
    recognizer: str
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Condition:
    """What was heard at one ratio; None for the recordings as they are."""

    snr: float | None
    orders: Sequence[Order]
    heard: tuple[Heard, ...]

    @property
    def name(self) -> str:
        """``clean``, or the ratio: ``10``."""
        return "clean" if self.snr is None else f"{self.snr:g}"

    @property
    def accepted(self) -> Ratio:
        """Taken for a command with all slots right."""
        return share(one.slots == order.slots for one, order in self._pairs())

    @property
    def wrong(self) -> Ratio:
        """Taken for a command that it is not."""
        return share(one.slots is not None and one.slots != order.slots for one, order in self._pairs())

    @property
    def rejected(self) -> Ratio:
        """Not taken for a command."""
        return share(one.slots is None for one in self.heard)

    @property
    def guessed(self) -> Ratio:
        """All slots right in what the grammar made of it, accepted or not: what the decision could have had."""
        return share(one.guessed == order.slots for one, order in self._pairs())

    @property
    def split(self) -> Ratio:
        """Orders in which the endpointer heard a pause long enough to end them."""
        return share(one.utterances > 1 for one in self.heard)

    @property
    def slots(self) -> Ratio:
        """Labelled slots with the right value, by recording."""
        above = tuple(
            float(sum((one.slots or {}).get(name) == value for name, value in order.slots.items()))
            for one, order in self._pairs()
        )
        return Ratio(above, tuple(float(len(order.slots)) for order in self.orders))

    @property
    def rtf(self) -> float:
        """Processor time over the length of the recordings."""
        return sum(one.cpu_s for one in self.heard) / max(1e-9, sum(order.seconds for order in self.orders))

    @property
    def rtf_speech(self) -> float:
        """Processor time over the length of what the recogniser was given."""
        return sum(one.cpu_s for one in self.heard) / max(1e-9, sum(one.speech_s for one in self.heard))

    def slot(self, name: str) -> Ratio:
        """The same as ``slots`` for one slot, over the orders that have it."""
        return share(
            (one.slots or {}).get(name) == order.slots[name] for one, order in self._pairs() if name in order.slots
        )

    def mistakes(self) -> Counter[tuple[str, str, str]]:
        """Slot, what was said and what was understood ("–" for none), of the orders that were taken for commands."""
        found: Counter[tuple[str, str, str]] = Counter()
        for one, order in self._pairs():
            understood = order.slots if one.slots is None else one.slots
            for name in sorted({*order.slots, *understood}):
                if order.slots.get(name) != understood.get(name):
                    found[name, order.slots.get(name, "–"), understood.get(name, "–")] += 1
        return found

    def json(self) -> dict[str, Any]:
        """The figures."""
        names = [order.name for order in self.orders]
        return {
            "n": len(self.heard),
            "acceptance": round(self.accepted.value, 4),
            "acceptance_interval": _rounded(self.accepted.interval(names)),
            "slot_accuracy": round(self.slots.value, 4),
            "slot_accuracy_interval": _rounded(self.slots.interval(names)),
            "wrong": round(self.wrong.value, 4),
            "rejected": round(self.rejected.value, 4),
            "grammar_right": round(self.guessed.value, 4),
            "split": round(self.split.value, 4),
            "rtf": round(self.rtf, 4),
            "rtf_speech": round(self.rtf_speech, 4),
        }

    def _pairs(self) -> list[tuple[Heard, Order]]:
        return list(zip(self.heard, self.orders, strict=True))


def measure(
    ear: Ear,
    plan: Plan,
    progress: Progress = silent,
    tell: Callable[[Condition, Order, Heard], None] | None = None,
) -> list[Condition]:
    """Play every order as it is, then at each ratio.

    Args:
        ear: what listens.
        plan: what is played.
        progress: told how far it is.
        tell: told of every order that was not accepted.
    """
    found: list[Condition] = []
    for snr in (None, *plan.snrs):
        what = "orders as recorded" if snr is None else f"orders in {plan.noise_name} noise at {snr:g} dB"
        heard: list[Heard] = []
        for done, order in enumerate(plan.orders):
            progress(what, done, len(plan.orders))
            samples = order.samples if snr is None else in_noise(order, plan.noise, snr, plan.seed)
            heard.append(ear.hear(samples))
        progress(what, len(plan.orders), len(plan.orders))
        found.append(Condition(snr, plan.orders, tuple(heard)))
        if tell is not None:
            for one, order in zip(heard, plan.orders, strict=True):
                if one.slots != order.slots:
                    tell(found[-1], order, one)
    return found


def report(conditions: Sequence[Condition], plan: Plan) -> Report:
    """Figures, tables and plots; the first condition is the recordings as they are."""
    clean, noisy = conditions[0], conditions[1:]
    figures: dict[str, Any] = {
        "recognizer": plan.recognizer,
        "grammar": plan.grammar,
        "noise": plan.noise_name if noisy else None,
        **clean.json(),
        "by_snr": {one.name: {"snr": one.snr, **one.json()} for one in noisy},
        "by_slot": {
            name: {one.name: round(one.slot(name).value, 4) for one in conditions} for name in _slots(plan.orders)
        },
    }
    blocks = (
        _table(conditions, plan),
        _slot_table(conditions, plan),
        *(_mistakes(one) for one in (clean, *(one for one in noisy if one.snr == 10.0)) if one.mistakes()),
        *((_plot(conditions),) if noisy else ()),
        _dots(conditions),
    )
    return Report(
        title="Spoken orders of a closed domain",
        lead=(
            f"{len(plan.orders)} recordings, {sum(order.seconds for order in plan.orders) / 60.0:.1f} minutes, heard by "
            f"{plan.recognizer} with the grammar {plan.grammar}"
            + (f", also in {plan.noise_name} noise." if noisy else ".")
        ),
        figures=figures,
        blocks=blocks,
        facts=(
            ("recognizer", plan.recognizer),
            ("grammar", plan.grammar),
            ("noise", f"{plan.noise_name}, seed {plan.seed}" if noisy else "none added"),
            ("real time factor", "processor time of VAD and recogniser over the length of the recordings"),
        ),
    )


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(end, 4) for end in interval]


def _slots(orders: Sequence[Order]) -> list[str]:
    return sorted({name for order in orders for name in order.slots})


def _label(condition: Condition) -> str:
    return "as recorded" if condition.snr is None else f"{condition.snr:g} dB"


def _table(conditions: Sequence[Condition], plan: Plan) -> Table:
    names = [order.name for order in plan.orders]
    rows: list[tuple[Cell, ...]] = []
    for one in conditions:
        low, high = one.accepted.interval(names)
        rows.append((
            _label(one), one.accepted.value, f"{low:.2f} to {high:.2f}", one.slots.value, one.wrong.value,
            one.rejected.value, one.guessed.value, one.split.value, one.rtf, GOALS.get(one.name),
        ))  # fmt: skip
    columns = (
        "sound", "accepted", "95 % interval", "slots right", "wrong", "rejected", "grammar right", "cut by a pause",
        "real time", "goal",
    )  # fmt: skip
    return Table(
        "Orders understood",
        columns,
        tuple(rows),
        f"Accepted: every slot right. Grammar right: also where the decision rejected it. Goal for decoding: "
        f"{GOAL_RTF} of real time.",
    )


def _slot_table(conditions: Sequence[Condition], plan: Plan) -> Table:
    rows = tuple(
        (name, sum(name in order.slots for order in plan.orders), *(one.slot(name).value for one in conditions))
        for name in _slots(plan.orders)
    )
    return Table("Slots right", ("slot", "labelled", *(_label(one) for one in conditions)), rows)


def _mistakes(condition: Condition) -> Table:
    rows = tuple((*what, count) for what, count in condition.mistakes().most_common(MISTAKES))
    return Table(f"Mistaken most often, {_label(condition)}", ("slot", "said", "understood", "times"), rows)


def _plot(conditions: Sequence[Condition]) -> Plot:
    noisy = sorted((one for one in conditions if one.snr is not None), key=lambda one: -(one.snr or 0.0))
    shares: dict[str, Callable[[Condition], Ratio]] = {
        "accepted": lambda one: one.accepted,
        "slots right": lambda one: one.slots,
        "taken for another order": lambda one: one.wrong,
    }
    series = tuple(Series(name, tuple((one.snr or 0.0, of(one).value) for one in noisy)) for name, of in shares.items())
    return Plot(
        title="In noise",
        x_label="speech over noise, dB",
        y_label="share",
        series=series,
        x_range=(noisy[0].snr or 0.0, noisy[-1].snr or 0.0) if len(noisy) > 1 else None,
        y_range=(0.0, 1.0),
    )


def _dots(conditions: Sequence[Condition]) -> Dots:
    names = [order.name for order in conditions[0].orders]
    return Dots(
        "Acceptance",
        tuple(
            Dot(_label(one), one.accepted.value, one.accepted.interval(names), goal=GOALS.get(one.name))
            for one in conditions
        ),
    )
