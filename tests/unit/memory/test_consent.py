"""What the switches mean, and that nothing of a forbidden category is ever in the vault, whatever is done."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memory import consent as switches
from memory.service import DriverMemory
from memory.store.preferences import Store
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import VALUES, KeywordEncoder
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import Consent, Outcome, Preference, Turn
from schemas.preferences import BY_DETAIL, CATEGORIES
from tests.memories import Desk, talk

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
KEYS = sorted({key for detail in VALUES for key in BY_DETAIL[detail].path})
WRITTEN = frozenset((Outcome.APPEND, Outcome.UPDATE, Outcome.PASS, Outcome.ASK))
SAYINGS = sorted(
    {f"i love {value}" for values in VALUES.values() for value in values}
    | {f"no more {value} for me" for values in VALUES.values() for value in values}
    | {"i love jazz and italian food", "vegan italian food", "what a nice day"}
)


def allowed(consent: Consent) -> set[str]:
    return {c.detail for c in CATEGORIES if consent.forbids(c, START) is None}


def test_switching_a_parent_off_covers_all_below() -> None:
    off = switches.opt_out(switches.opt_out(Consent(), "favorite_genres"), "music")
    assert off.opted_out == {"music"}
    assert not allowed(off) & {c.detail for c in CATEGORIES if c.sub == "music"}


def test_switching_a_child_on_keeps_its_siblings_off() -> None:
    on = switches.opt_in(switches.opt_out(Consent(), "entertainment_and_media"), "favorite_songs")
    assert {d for d in allowed(on) if BY_DETAIL[d].main == "entertainment_and_media"} == {"favorite_songs"}
    assert "radio_and_podcasts" in on.opted_out and "entertainment_and_media" not in on.opted_out


def test_switching_on_and_off_again_is_where_it_began() -> None:
    for key in KEYS:
        assert switches.opt_in(switches.opt_out(Consent(), key), key).opted_out == frozenset()
        assert switches.opt_out(switches.opt_in(Consent(), key), key).opted_out == {key}


def test_sensitive_categories_are_switched_on_by_their_own_name_only() -> None:
    assert "dietary_preference" not in allowed(switches.opt_in(Consent(), "restaurant"))
    on = switches.opt_in(Consent(), "points_of_interest.restaurant.dietary_preference")
    assert "dietary_preference" in allowed(on)
    again = switches.opt_in(switches.opt_out(on, "restaurant"), "restaurant")
    assert "dietary_preference" not in allowed(again) and "favourite_cuisine" in allowed(again)


def test_unknown_categories() -> None:
    for change in (switches.opt_in, switches.opt_out):
        with pytest.raises(UnknownEntryError, match="cheese"):
            change(Consent(), "cheese")


class Driver(RuleBasedStateMachine):
    """Says, switches, pauses, learns and forgets at random; the vault is checked after every step."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.vault = Vault.in_memory(clock=lambda: self.now)
        self.memory = DriverMemory("ada", self.vault, encoder=KeywordEncoder(), clock=lambda: self.now)
        self.store = Store(self.vault)
        self.before = self.rows()
        self.proposed: set[tuple[str, str, str]] = set()
        self.count = 0

    def teardown(self) -> None:
        self.memory.close()

    def rows(self) -> dict[str, Preference]:
        return {p.id: p for p in self.store.preferences(history=True)}

    def forbidden(self) -> set[str]:
        consent = self.memory.consent()
        return {c.detail for c in CATEGORIES if consent.forbids(c, self.now) is not None}

    @rule(text=st.sampled_from(SAYINGS), conversation=st.sampled_from(["a", "b", "c"]))
    def say(self, text: str, conversation: str) -> None:
        before = self.store.turns()
        self.memory.note(Turn(speaker="driver", text=text, at=self.now), conversation)
        new = self.store.turns()[len(before) :]
        topics = KeywordEncoder().topics(text)
        for _, kept in new:
            assert kept == text and not {d for d in topics if d != "none" and topics[d] >= 0.45} & self.forbidden()

    @rule(texts=st.lists(st.sampled_from(SAYINGS), min_size=1, max_size=3), sure=st.booleans())
    def learn(self, texts: list[str], sure: bool) -> None:
        self.count += 1
        told = texts if sure else [f"perhaps {text}" for text in texts]
        decisions = self.memory.learn(talk(*told, at=self.now, name=f"talk-{self.count}"))
        written = {d.detail for d in decisions if d.outcome in WRITTEN}
        assert not written & self.forbidden()
        assert all(d.value is None for d in decisions if d.outcome is Outcome.REFUSED)

    @precondition(lambda self: bool(self.memory.proposals()))
    @rule(yes=st.booleans(), data=st.data())
    def answer(self, yes: bool, data: st.DataObject) -> None:
        proposal = data.draw(st.sampled_from(self.memory.proposals()))
        decision = self.memory.answer(proposal.id, yes)
        refused = yes and proposal.detail in self.forbidden()
        assert (decision.outcome is Outcome.REFUSED) == refused
        assert (proposal.id in {p.id for p in self.memory.proposals()}) == refused

    @rule()
    def learn_pending(self) -> None:
        self.memory.learn_pending()

    @rule(detail=st.sampled_from(sorted(VALUES)))
    def write_straight_into_the_store(self, detail: str) -> None:
        self.count += 1
        made = Preference(
            id=f"direct-{self.count}", detail=detail, value="direct value", sentences=(f"written {self.count} straight",),
            conversation="x", confidence=1.0, valid_from=self.now,
        )  # fmt: skip
        if detail in self.forbidden():
            with pytest.raises(ConsentError):
                self.store.add(made, self.now)
        else:
            self.store.add(made, self.now)

    @rule(key=st.sampled_from(KEYS))
    def switch_off(self, key: str) -> None:
        self.memory.opt_out(key)

    @rule(key=st.sampled_from(KEYS))
    def switch_on(self, key: str) -> None:
        self.memory.opt_in(key)

    @rule(private=st.booleans())
    def private_trip(self, private: bool) -> None:
        self.memory.set_private_trip(private)

    @rule(hours=st.integers(-1, 5))
    def pause(self, hours: int) -> None:
        self.memory.pause(self.now + timedelta(hours=hours))

    @rule()
    def resume(self) -> None:
        self.memory.pause(None)

    @rule(minutes=st.integers(0, 200))
    def time_goes_by(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @precondition(lambda self: bool(self.store.preferences(history=True)))
    @rule(key=st.sampled_from([*KEYS, "everything"]))
    def forget(self, key: str) -> None:
        assert self.memory.forget(key).verified

    @rule()
    def recall_and_use(self) -> None:
        found = self.memory.recall("jazz music italian food vegan petrol", limit=20)
        always = self.memory.consent().model_copy(update={"private_trip": False, "paused_until": None})
        assert all(always.forbids(r.preference.category, self.now) is None for r in found)
        self.memory.used(found)

    @invariant()
    def nothing_forbidden_was_written(self) -> None:
        now, forbidden = self.rows(), self.forbidden()
        for name, preference in now.items():
            if preference.detail in forbidden:
                old = self.before.get(name)
                assert old is not None, f"{preference.detail} was written while forbidden"
                assert set(preference.sentences) <= set(old.sentences) or "..." in str(preference.sentences)
        self.before = now

    @invariant()
    def nothing_forbidden_was_proposed(self) -> None:
        now = {(p.id, p.sentence, p.detail) for p in self.store.proposals()}
        assert not {detail for *_, detail in now - self.proposed} & self.forbidden()
        always = self.memory.consent().model_copy(update={"private_trip": False, "paused_until": None})
        assert all(always.forbids(BY_DETAIL[detail], self.now) is None for *_, detail in now), "switched off, yet open"
        self.proposed = now

    @invariant()
    def the_log_names_no_refused_category(self) -> None:
        assert all(entry["detail"] is None for entry in self.store.logged() if entry["outcome"] == "refused")

    @invariant()
    def the_searchable_copy_is_the_table(self) -> None:
        held, stored = self.memory.session.search.cache, self.store.preferences()
        active = [
            p for p in stored if not p.id.startswith("direct")
        ]  # what is written past the memory is found by the next search
        assert all(held.holds([p.id]) for p in active) and len(active) <= len(held) <= len(stored)


Driver.TestCase.settings = settings(
    max_examples=60, stateful_step_count=50, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
test_thousands_of_random_operations = pytest.mark.slow(Driver.TestCase)


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk(lambda: START)
    yield made
    made.close()


def test_a_forbidden_turn_never_reaches_the_vault(desk: Desk) -> None:
    memory = desk()
    memory.opt_out("restaurant")
    memory.note(Turn(speaker="driver", text="i love italian food", at=START), "trip")
    memory.note(Turn(speaker="driver", text="i love jazz", at=START), "trip")
    assert [text for _, text in desk.store.turns()] == ["i love jazz"]
    refused, stored = memory.learn_pending()
    assert refused.outcome is Outcome.REFUSED and refused.detail == "favourite_cuisine"
    assert refused.reason.endswith("off") and stored.value == "jazz"


def test_switching_off_erases_what_waits(desk: Desk) -> None:
    memory = desk()
    memory.note(Turn(speaker="driver", text="i love italian food", at=START), "trip")
    memory.note(Turn(speaker="driver", text="i love jazz", at=START), "trip")
    memory.opt_out("points_of_interest")
    assert [text for _, text in desk.store.turns()] == ["i love jazz"]
