"""Says the sentences of the suite to the assistant as it is assembled, each to a car of its own, and looks at what is kept.

Owns what a driver of the suite has asked for: every special kind of data, and the sensitive categories that the entry names.
Judges nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from deploy.lab.dialogue.driving import Fleet, Talk
from deploy.lab.dialogue.suite import Case, Turn
from deploy.lab.dialogue.wording import offers
from deploy.lab.keeping.judging import Judgement, Seen, judge, stored
from deploy.lab.keeping.suite import Entry
from deploy.lab.report.blocks import Progress
from memory.service import DriverMemory
from schemas.errors import EvaluationDataError
from schemas.preferences import KINDS


@dataclass(frozen=True, slots=True)
class Played:
    """A sentence, and what became of it."""

    entry: Entry
    seen: Seen
    judgement: Judgement

    def line(self) -> str:
        """For a person."""
        news, notes = self.seen.news
        kept = [
            f"{p.category}: {p.sense} {p.value} {[w for _, w in p.conditions] or ''}".strip()
            for p in sorted(news, key=str)
        ]
        kept += [f"fact ({n.about or '-'}; {n.until or '-'}): {n.text}" for n in sorted(notes, key=str)]
        answer = f" | {self.entry.ask} -> {self.seen.answer}" if self.entry.ask else ""
        return (
            f"{self.entry.id} [{self.judgement.verdict}] {self.entry.say} -> {self.seen.reply} | {'; '.join(kept) or 'nothing'}"
            f"{answer} ({self.judgement.why})"
        )


def run(fleet: Fleet, entries: Sequence[Entry], progress: Progress) -> Generator[Played]:
    """Say all sentences; one by one what came of them.

    Args:
        fleet: cars.
        entries: the sentences.
        progress: told how far it is.
    """
    for done, entry in enumerate(entries):
        progress("sentences", done, len(entries))
        seen = _seen(fleet, entry, done)
        yield Played(entry, seen, judge(entry, seen))
    progress("sentences", len(entries), len(entries))


def _seen(fleet: Fleet, entry: Entry, number: int) -> Seen:
    turns = tuple(Turn(say=text) for text in (*entry.before, entry.say, *((entry.ask,) if entry.ask else ())))
    case = Case(id=entry.id, group=entry.kind, turns=turns)
    with fleet.car(case, number) as talk:
        memory = talk.memory
        if not isinstance(memory, DriverMemory):
            raise EvaluationDataError("nobody drives: there is no memory to look at")
        for key in (*KINDS, *entry.consent):
            memory.opt_in(key)
        for place in range(len(entry.before)):
            _over(talk, case, place)
        before, facts_before = stored(memory.export())
        reply, asked = _over(talk, case, len(entry.before))
        preferences, facts = stored(memory.export())
        asks = asked or bool(memory.proposals())
        tables = _tables(memory) if any(one.text for one in entry.never) else ""
        answer = _over(talk, case, len(turns) - 1)[0] if entry.ask else ""
        return Seen(reply, answer, before, preferences, facts, facts_before, asks, tables)


def _over(talk: Talk, case: Case, number: int) -> tuple[str, bool]:
    """Say a sentence in a conversation of its own, without an answer to what is offered: the reply, and whether it offers."""
    played = talk.turn(case, number, answer=False)
    talk.over()
    return played.result.reply, offers(played.result.reply)


def _tables(memory: DriverMemory) -> str:
    """All text in the vault."""
    store = memory.session.store
    names = [name for (name,) in store.read("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    rows = [row for name in names for row in store.read(f'SELECT * FROM "{name}"')]  # noqa: S608 - names of its own tables
    return "\n".join(str(value) for row in rows for value in row if isinstance(value, str))
