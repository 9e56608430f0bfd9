"""Consent across all tiers: random operations of all kinds, after each of which the tables are read by plain SQL.

Nothing may ever be in the vault that was forbidden when it was written: no preference, proposal, waiting turn, episode, thought,
line of a summary, line of the profile, use.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory.service import DriverMemory
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import CONVERSATIONS, FACTS, Consent, Outcome, Selector, Turn
from schemas.preferences import BY_DETAIL

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
SAYINGS = [
    "i love jazz music", "i love rock music", "i love italian food", "i love thai food", "i am vegan", "i eat halal food",
    "i like it at twenty one degrees", "i fill up with petrol at shell", "my daughter has her birthday tomorrow",
    "remember that i met my boss today", "how far is it", "park under a roof",
]  # fmt: skip
KEYS = [
    "music",
    "restaurant",
    "points_of_interest",
    "dietary_preference",
    "climate_control",
    "favorite_genres",
    FACTS,
    CONVERSATIONS,
]
TABLES = {
    "preferences": "SELECT id, json_array(detail) FROM preferences",
    "proposals": "SELECT id || sentence, json_array(detail) FROM proposals",
    "sentences": "SELECT s.id, json_array(p.detail) FROM sentences s JOIN preferences p ON p.id = s.preference",
    "used_for": "SELECT u.id, json_array(p.detail) FROM used_for u JOIN preferences p ON p.id = u.preference",
    "turns": "SELECT id, '[]' FROM turns",
    "episodes": "SELECT id, details FROM episodes",
    "thoughts": "SELECT id, details FROM thoughts WHERE kind = 'thought'",
    "events": "SELECT id, details FROM thoughts WHERE kind = 'event'",
    "summary_lines": "SELECT summary || source, details FROM summary_lines",
    "profile": "SELECT id, details FROM profile",
    "trips": "SELECT id, '[]' FROM trips",
    "facts": "SELECT id || text, '[]' FROM facts",
    "decisions": "SELECT id, '[]' FROM decisions",
}
TALK = ("episodes", "events", "summary_lines", "trips")
"""Kept only where conversations are."""


class Anybody(RuleBasedStateMachine):
    """A driver who does anything at any time."""

    written: ClassVar[Counter[str]] = Counter()
    """Rows that were written, by table."""
    operations: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.vault = Vault.in_memory(clock=lambda: self.now)
        self.memory = DriverMemory("ada", self.vault, encoder=KeywordEncoder(), clock=lambda: self.now)
        self.memory.opt_in(CONVERSATIONS)
        self.before, self.changes = self.rows(), self.changed()
        self.count = 0
        self.tokens: list[str] = []
        self.exported: dict[str, Any] | None = None

    def teardown(self) -> None:
        self.memory.close()

    def changed(self) -> int:
        """How many rows were ever written: where it has not grown, no table has to be read again."""
        return int(self.vault.rows("SELECT total_changes()")[0][0])

    def rows(self) -> dict[str, dict[Any, tuple[str, ...]]]:
        return {
            table: {key: tuple(json.loads(details)) for key, details in self.vault.rows(sql)}
            for table, sql in TABLES.items()
        }

    def consent(self) -> Consent:
        """As the tables have it."""
        private, paused = self.vault.rows("SELECT private_trip, paused_until FROM learning")[0]
        return Consent(
            opted_out=frozenset(key for (key,) in self.vault.rows("SELECT key FROM opted_out")),
            opted_in=frozenset(detail for (detail,) in self.vault.rows("SELECT detail FROM opted_in")),
            paused_until=datetime.fromisoformat(paused) if paused else None,
            private_trip=bool(private),
        )

    @initialize()
    def days_on_which_everything_is_let(self) -> None:
        """Every table is written to, whatever is drawn afterwards."""
        self.everything_is_let()
        self.drive_for_days([SAYINGS[0], *SAYINGS[8:10]], 2)
        self.recall_and_use()

    @rule(text=st.sampled_from(SAYINGS), sure=st.booleans(), trip=st.integers(1, 3))
    def talk(self, text: str, sure: bool, trip: int) -> None:
        self.say(text, trip, sure=sure)

    def say(self, text: str, trip: int, *, sure: bool = True) -> None:
        name = f"trip-{trip}"
        self.memory.note(Turn(speaker="driver", text=text if sure else f"perhaps {text}", at=self.now), name)
        self.memory.note(Turn(speaker="assistant", text="Okay, noted.", at=self.now), name)

    @rule(text=st.sampled_from(SAYINGS), key=st.sampled_from([None, *KEYS[:-2]]))
    def ask_to_remember(self, text: str, key: str | None) -> None:
        consent = self.consent()
        for decision in self.memory.remember(text, key):
            stored = decision.outcome in (Outcome.APPEND, Outcome.PASS, Outcome.UPDATE)
            kept = decision.detail == FACTS
            reason = consent.forbids_facts(self.now) if kept else consent.forbids(BY_DETAIL[decision.detail], self.now)
            assert not (stored and reason), reason

    @rule(
        text=st.sampled_from(["the key is under the mat", "i parked on level three"]),
        hours=st.none() | st.integers(1, 90),
    )
    def ask_to_keep(self, text: str, hours: int | None) -> None:
        until = None if hours is None else self.now + timedelta(hours=hours)
        self.memory.learner.keeping.remember(text, until=until)

    @precondition(lambda self: bool(self.memory.facts()))
    @rule(text=st.sampled_from(["the key is in the boot", "i parked by the lift"]))
    def correct_what_is_kept(self, text: str) -> None:
        with contextlib.suppress(ConsentError):
            self.memory.correct_fact(self.memory.facts()[0].id, text)

    @rule()
    def learn(self) -> None:
        self.memory.learn_pending()

    @rule(texts=st.lists(st.sampled_from(SAYINGS), min_size=1, max_size=3), days=st.integers(1, 5))
    def drive_for_days(self, texts: list[str], days: int) -> None:
        """What recurs becomes a thought."""
        for _ in range(days):
            self.count += 1
            self.memory.begin_trip(f"drive-{self.count}")
            for text in texts:
                self.say(text, self.count)
            self.memory.learn_pending()
            self.memory.end_trip(f"drive-{self.count}")
            self.now += timedelta(days=1)
        self.memory.reflect()

    @rule()
    def reflect(self) -> None:
        self.memory.reflect()

    @rule(begin=st.booleans())
    def trip(self, begin: bool) -> None:
        self.memory.begin_trip("trip") if begin else self.memory.end_trip("trip")

    @rule(value=st.sampled_from(["early", "late"]))
    def write_into_the_profile(self, value: str) -> None:
        with contextlib.suppress(ConsentError):
            self.memory.edit_profile("departure", value)

    @precondition(lambda self: bool(self.memory.preferences()))
    @rule(data=st.data())
    def correct(self, data: st.DataObject) -> None:
        old = data.draw(st.sampled_from(self.memory.preferences()))
        allowed = self.consent().forbids(old.category, self.now) is None
        value = data.draw(st.sampled_from(["blues", "19 degrees", "yes", "greek"]))
        try:
            self.memory.correct(old.id, value)
        except ConsentError:
            assert not allowed
        except UnknownEntryError:
            assert allowed

    @precondition(lambda self: bool(self.memory.proposals()))
    @rule(yes=st.booleans())
    def answer(self, yes: bool) -> None:
        self.memory.answer(self.memory.proposals()[0].id, yes)

    @rule()
    def recall_and_use(self) -> None:
        self.memory.used(self.memory.recall("jazz music italian food vegan petrol", limit=20), "play_music")

    @rule(key=st.sampled_from(KEYS))
    def switch_off(self, key: str) -> None:
        self.memory.opt_out(key)

    @rule(key=st.sampled_from(KEYS))
    def switch_on(self, key: str) -> None:
        self.memory.opt_in(key)

    @rule()
    def everything_is_let(self) -> None:
        self.memory.set_private_trip(False)
        self.memory.pause(None)
        for key in KEYS:
            self.memory.opt_in(key)

    @rule(private=st.booleans())
    def private_trip(self, private: bool) -> None:
        self.memory.set_private_trip(private)

    @rule(hours=st.none() | st.integers(-1, 5))
    def pause(self, hours: int | None) -> None:
        self.memory.pause(None if hours is None else self.now + timedelta(hours=hours))

    @rule(minutes=st.integers(-60, 900))
    def the_clock_steps(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule(text=st.sampled_from(["jazz", "food", "love"]))
    def withhold(self, text: str) -> None:
        with contextlib.suppress(UnknownEntryError):
            self.tokens.append(self.memory.withhold(Selector(text=text)).token)

    @precondition(lambda self: bool(self.tokens))
    @rule(back=st.booleans())
    def go_on(self, back: bool) -> None:
        token = self.tokens.pop()
        with contextlib.suppress(UnknownEntryError):
            self.memory.restore(token) if back else self.memory.carry_out(token)

    @rule(text=st.sampled_from(["jazz", "vegan", "home"]))
    def forget(self, text: str) -> None:
        assert self.memory.forget_where(Selector(text=text)).verified

    @rule(anew=st.booleans())
    def export_or_read_in(self, anew: bool) -> None:
        if self.exported is None or anew:
            self.exported = self.memory.export()
            self.exported["consent"] |= {"paused_until": None, "private_trip": False}
        else:
            self.memory.take_in(self.exported)

    @invariant()
    def nothing_forbidden_was_written(self) -> None:
        type(self).operations += 1
        if self.changes == self.changed():
            return
        self.changes = self.changed()
        now, consent = self.rows(), self.consent()
        silent = consent.private_trip or (consent.paused_until is not None and self.now < consent.paused_until)
        for table, held in now.items():
            fresh = {key: details for key, details in held.items() if key not in self.before[table]}
            assert not (silent and fresh), f"{table} grew while nothing may be remembered"
            assert not (fresh and table in TALK and CONVERSATIONS not in consent.opted_in), (
                f"{table} without being asked for"
            )
            assert not (fresh and table == "facts" and FACTS in consent.opted_out), "a fact while they are off"
            if fresh:
                self.written[table] += len(fresh)
            for details in fresh.values():
                reasons = [consent.forbids(BY_DETAIL[detail], self.now) for detail in details]
                assert not any(reasons), f"{table}: {details}"
        self.before = now


@pytest.mark.slow
def test_random_operations_over_all_tiers() -> None:
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    many = settings(
        max_examples=7, stateful_step_count=400, deadline=None, derandomize=True, suppress_health_check=checks
    )
    Anybody.written.clear()
    Anybody.operations = 0
    run_state_machine_as_test(Anybody, settings=many)
    assert Anybody.operations > 2_000
    untried = set(TABLES) - set(Anybody.written)
    assert untried <= {"proposals"}, "some table was never written to"  # test_consent.py makes proposals enough
