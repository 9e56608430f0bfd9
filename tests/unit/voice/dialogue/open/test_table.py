"""The dialogue's table: every cell, what it promises whatever is said, and that it is drawn as it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.dialogue.open.table import ASKING, OPEN_FOR, TABLE, Do, Event, Open, OpenTable

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
KINDS = [kind for kind in Open if kind is not Open.NOTHING]
ASKS = frozenset(ASKING.values())
MADE = frozenset({Event.UNCLEAR_AGAIN, Event.LATE})
"""Events that the table makes itself."""
SAID = [event for event in Event if event not in ASKS | MADE]
LEAVES = {Event.WHY, Event.AGAIN, Event.ASIDE, Event.UNMEANT}


@dataclass(frozen=True, slots=True)
class Thing:
    """Something to be asked."""

    kind: Open
    number: int = 0


def asked(*kinds: Open) -> OpenTable[Thing]:
    table = OpenTable[Thing]()
    for number, kind in enumerate(kinds):
        table.ask(Thing(kind, number), NOW)
    return table


EXPECTED: dict[Event, dict[Open, tuple[Open, tuple[Do, ...]]]] = {
    Event.YES: {
        Open.NOTHING: (Open.NOTHING, (Do.SAY_NOTHING_WAITS,)),
        Open.CONFIRMATION: (Open.NOTHING, (Do.CARRY_OUT,)),
        Open.CHOICE: (Open.CHOICE, (Do.ASK,)),
        Open.MISSING: (Open.MISSING, (Do.ASK,)),
        Open.FORGETTING: (Open.NOTHING, (Do.FORGET,)),
        Open.INTRODUCING: (Open.INTRODUCING, (Do.ASK,)),
        Open.REMEMBERING: (Open.NOTHING, (Do.AGREE,)),
    },
    Event.NO: {
        Open.NOTHING: (Open.NOTHING, (Do.SAY_OKAY,)),
        **dict.fromkeys(KINDS, (Open.NOTHING, (Do.WITHDRAW, Do.SAY_LEFT))),
        Open.INTRODUCING: (Open.NOTHING, (Do.TAKE_IN,)),
        Open.REMEMBERING: (Open.NOTHING, (Do.DECLINE,)),
    },
    Event.CALLED_OFF: {
        Open.NOTHING: (Open.NOTHING, (Do.OFFER_UNDO,)),
        **dict.fromkeys(KINDS, (Open.NOTHING, (Do.WITHDRAW, Do.SAY_LEFT))),
        Open.REMEMBERING: (Open.NOTHING, (Do.DECLINE,)),
    },
    Event.STOP: {
        Open.NOTHING: (Open.NOTHING, (Do.HALT,)),
        **dict.fromkeys(KINDS, (Open.NOTHING, (Do.WITHDRAW, Do.SAY_LEFT, Do.CLOSE))),
        Open.REMEMBERING: (Open.NOTHING, (Do.HALT,)),
    },
    Event.FITS: {
        Open.CHOICE: (Open.NOTHING, (Do.COMPLETE,)),
        Open.MISSING: (Open.NOTHING, (Do.COMPLETE,)),
        Open.FORGETTING: (Open.NOTHING, (Do.FORGET,)),
        Open.INTRODUCING: (Open.NOTHING, (Do.TAKE_IN,)),
    },
    Event.WHY: {
        Open.NOTHING: (Open.NOTHING, (Do.EXPLAIN,)),
        **{kind: (kind, (Do.EXPLAIN, Do.ASK)) for kind in KINDS},
    },
    Event.AGAIN: {
        Open.NOTHING: (Open.NOTHING, (Do.REPEAT,)),
        **{kind: (kind, (Do.REPEAT, Do.ASK)) for kind in KINDS},
        Open.FORGETTING: (Open.FORGETTING, (Do.ASK,)),
    },
    Event.ASIDE: {kind: (kind, (Do.TALK,)) for kind in Open},
    Event.OTHER: {
        Open.NOTHING: (Open.NOTHING, (Do.HANDLE,)),
        **dict.fromkeys(KINDS, (Open.NOTHING, (Do.WITHDRAW, Do.HANDLE))),
    },
    Event.UNCLEAR: {
        Open.NOTHING: (Open.NOTHING, (Do.HANDLE,)),
        **{kind: (kind, (Do.SAY_UNCLEAR, Do.ASK)) for kind in KINDS},
        Open.REMEMBERING: (Open.NOTHING, (Do.HANDLE,)),
    },
    Event.UNCLEAR_AGAIN: dict.fromkeys(KINDS[:-1], (Open.NOTHING, (Do.WITHDRAW, Do.SAY_DROPPED))),
    Event.UNMEANT: {kind: (kind, ()) for kind in Open},
    Event.LATE: dict.fromkeys(KINDS, (Open.NOTHING, (Do.WITHDRAW,))),
    Event.GONE: {Open.NOTHING: (Open.NOTHING, ()), **dict.fromkeys(KINDS, (Open.NOTHING, (Do.WITHDRAW,)))},
}
"""What each answer is meant to do, written beside the table."""


@pytest.mark.parametrize("now", Open)
@pytest.mark.parametrize("event", [event for event in Event if event not in ASKS])
def test_every_cell_is_as_it_was_meant(now: Open, event: Event) -> None:
    assert TABLE.get((now, event)) == EXPECTED[event].get(now)


@pytest.mark.parametrize("now", Open)
@pytest.mark.parametrize("event", SAID)
def test_the_object_does_what_the_cell_says(now: Open, event: Event) -> None:
    table = asked(now) if now is not Open.NOTHING else asked()
    row = TABLE.get((now, event))
    assert table.feed(event, NOW) == (row[1] if row is not None else ())
    assert table.state is (row[0] if row is not None else now)
    ended = row is not None and row[0] is Open.NOTHING and now is not Open.NOTHING
    assert [thing.kind for thing in table.left] == ([now] if ended else [])


def test_one_thing_is_asked_at_a_time_and_the_more_important_first() -> None:
    for first in KINDS:
        for second in KINDS:
            table = asked(first, second)
            ranked = sorted((first, second), key=KINDS.index)
            assert table.state is (second if first is Open.REMEMBERING else ranked[0])
            kept = [] if Open.REMEMBERING in (first, second) else ranked[1:]
            assert [thing.kind for thing in table.later] == kept, (first, second)


def test_what_was_kept_is_asked_once_the_first_is_answered_and_in_order() -> None:
    table = asked(Open.FORGETTING, Open.MISSING, Open.CONFIRMATION)
    for kind in (Open.CONFIRMATION, Open.MISSING, Open.FORGETTING):
        assert table.state is kind and table.go_on(NOW) == ()
        table.feed(Event.NO, NOW)
        table.go_on(NOW)
    assert table.state is Open.NOTHING and table.go_on(NOW) == ()


@pytest.mark.parametrize("event", [Event.OTHER, Event.STOP, Event.GONE])
def test_what_ends_the_first_by_no_answer_ends_what_was_kept(event: Event) -> None:
    table = asked(Open.CONFIRMATION, Open.CONFIRMATION)
    table.feed(event, NOW)
    assert [thing.number for thing in table.left] == [0, 1], "both are withdrawn at the gate"
    assert table.later == () and table.state is Open.NOTHING


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not Open.REMEMBERING])
def test_what_is_not_understood_is_asked_for_once_more_then_dropped_with_a_word(kind: Open) -> None:
    table = asked(kind)
    assert table.feed(Event.UNCLEAR, NOW) == (Do.SAY_UNCLEAR, Do.ASK)
    table.feed(Event.WHY, NOW)
    assert table.feed(Event.UNCLEAR, NOW) == (Do.WITHDRAW, Do.SAY_DROPPED)
    assert table.state is Open.NOTHING
    table.ask(Thing(kind), NOW)
    assert table.feed(Event.UNCLEAR, NOW) == (Do.SAY_UNCLEAR, Do.ASK), "counted anew for another question"


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_ends_with_time(kind: Open) -> None:
    table = asked(kind)
    table.feed(Event.ASIDE, NOW + OPEN_FOR)
    assert table.tick(NOW + OPEN_FOR) == () and table.state is kind
    assert table.tick(NOW + OPEN_FOR + timedelta(seconds=1)) == (Do.WITHDRAW,)
    assert table.state is Open.NOTHING and table.feed(Event.YES, NOW) == (Do.SAY_NOTHING_WAITS,)


STEPS = st.one_of(st.sampled_from(SAID), st.sampled_from(KINDS), st.integers(0, 90))
"""An event, something that is asked, or seconds that pass."""


@given(st.lists(STEPS, max_size=60))
def test_whatever_is_said_an_answer_goes_to_what_is_open_and_nothing_stays_for_ever(
    steps: list[Event | Open | int],
) -> None:
    table, at, number = OpenTable[Thing](), NOW, 0
    ended: set[Thing] = set()
    for step in steps:
        if isinstance(step, int):
            at += timedelta(seconds=step)
            table.tick(at)
        elif isinstance(step, Open):
            number += 1
            table.ask(Thing(step, number), at)
        else:
            before, kept = table.thing, table.later
            commands = table.feed(step, at)
            state = before.kind if before is not None else Open.NOTHING
            assert (Do.CARRY_OUT in commands) == (step is Event.YES and state is Open.CONFIRMATION)
            assert not {Do.FORGET, Do.AGREE, Do.COMPLETE} & set(commands) or step in (Event.YES, Event.FITS)
            if before is not None and table.thing is not before:
                assert table.thing is None and table.left[0] is before
                assert set(table.left) | set(table.later) == {before, *kept}, "nothing is lost without being ended"
                assert Do.WITHDRAW in commands or step in (Event.YES, Event.FITS) or state is Open.REMEMBERING
            if step in LEAVES:
                assert table.thing is before and table.later == kept
            ended |= set(table.left)
            table.go_on(at)
        assert table.thing not in ended and not ended & set(table.later), "what has ended is never open again"
        assert table.thing is not None or not table.later or isinstance(step, int)
        assert commands_are_one_question(table)
    table.feed(Event.GONE, at)
    assert table.state is Open.NOTHING and table.later == ()


def commands_are_one_question(table: OpenTable[Thing]) -> bool:
    things = [*((table.thing,) if table.thing is not None else ()), *table.later]
    return len(things) == len(set(things))


def drawn() -> str:
    """The table for people: a row for each event, a column for each thing that may be open."""
    lines = [f"| | {' | '.join(Open)} |", f"|---|{'---|' * len(Open)}"]
    for event in Event:
        cells = [_cell(now, TABLE.get((now, event))) for now in Open]
        lines.append(f"| {event} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(now: Open, row: tuple[Open, tuple[Do, ...]] | None) -> str:
    if row is None:
        return "–"
    then, commands = row
    done = ", ".join(commands) or "leave it"
    return done if then is now else f"{done} → **{then}**"


def diagram() -> str:
    """The table as a Mermaid state diagram: one arrow from each thing that is open to each that may be open then."""
    arrows: dict[tuple[Open, Open], list[str]] = {}
    for (now, event), (then, _) in TABLE.items():
        if now is not then:
            arrows.setdefault((now, then), []).append(event.value)
    lines = ["stateDiagram-v2", "    [*] --> nothing"]
    lines += [f"    {now} --> {then}: {', '.join(events)}" for (now, then), events in arrows.items()]
    return "\n".join(lines)


def test_the_table_and_the_picture_in_the_architecture_page_are_the_table() -> None:
    page = (Path(__file__).parents[5] / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert drawn() in page
    assert diagram() in page
