"""What the driver can do with a memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from schemas.errors import ConsentError, ExportError, UnknownEntryError
from schemas.memory import Conversation, Kind, Outcome, Period, Selector, Status, Turn
from schemas.ports import MemoryPort
from tests.memories import StoppedClock, memory_of

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
Make = Callable[[str], MemoryPort]


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock(START)


@pytest.fixture
def make(clock: StoppedClock) -> Iterator[Make]:
    made: list[MemoryPort] = []

    def making(driver: str) -> MemoryPort:
        made.append(memory_of(driver, clock=clock))
        return made[-1]

    yield making
    for memory in made:
        memory.close()


@pytest.fixture
def memory(make: Make) -> MemoryPort:
    return make("ada")


def tell(memory: MemoryPort, text: str, name: str = "trip", at: datetime = START) -> str | None:
    turn = Turn(speaker="driver", text=text, at=at)
    (decision,) = memory.learn(Conversation(id=name, turns=(turn,)))
    return decision.preference


def values(memory: MemoryPort) -> set[str]:
    return {p.value for p in memory.preferences()}


@pytest.fixture
def told(memory: MemoryPort) -> MemoryPort:
    tell(memory, "i love jazz", "one")
    tell(memory, "i love italian food", "one", START + timedelta(minutes=1))
    tell(memory, "i love thai food", "two", START + timedelta(days=1))
    return memory


@pytest.mark.parametrize(
    ("what", "gone"),
    [
        (Selector(key="restaurant"), {"italian", "thai"}),
        (Selector(text="thai"), {"thai"}),
        (Selector(text="love"), {"jazz", "italian", "thai"}),
        (Selector(conversation="one"), {"jazz", "italian"}),
        (Selector(conversation="one", key="music"), {"jazz"}),
        (Selector(period=Period(since=START + timedelta(hours=1))), {"thai"}),
        (Selector(period=Period(until=START + timedelta(hours=1)), text="food"), {"italian"}),
        (Selector(everything=True), {"jazz", "italian", "thai"}),
        (Selector(key="parking"), set[str]()),
        (Selector(text="nobody said this"), set[str]()),
    ],
)
def test_what_a_selector_stands_for_is_what_goes(told: MemoryPort, what: Selector, gone: set[str]) -> None:
    preview = told.matching(what)
    assert {p.value for p in preview.preferences} == gone and preview.empty == (not gone)
    assert preview.kinds.get(Kind.PREFERENCE, 0) == len(gone)
    receipt = told.forget_where(what)
    assert values(told) == {"jazz", "italian", "thai"} - gone
    assert receipt.verified and len(receipt.erased) == len(gone) == receipt.kinds.get(Kind.PREFERENCE, 0)
    assert {c.split(".")[1] for c in receipt.categories} <= {"restaurant", "music"}
    assert not {"jazz", "italian", "thai", "love"} & set(receipt.model_dump_json().replace('"', " ").split())
    assert told.matching(what).empty


def test_an_empty_selector_forgets_nothing(told: MemoryPort) -> None:
    assert told.matching(Selector()).empty
    with pytest.raises(UnknownEntryError):
        told.forget_where(Selector())
    assert len(values(told)) == 3


def test_unknown_ids_and_categories(told: MemoryPort) -> None:
    for what in (Selector(id="nothing"), Selector(key="weather")):
        with pytest.raises(UnknownEntryError):
            told.forget_where(what)
    with pytest.raises(UnknownEntryError):
        told.matching(Selector(key="weather"))
    assert told.matching(Selector(id="nothing")).empty


def test_an_id_can_be_combined(told: MemoryPort) -> None:
    jazz = next(p for p in told.preferences() if p.value == "jazz")
    assert told.matching(Selector(id=jazz.id, key="music")).preferences == (jazz,)
    assert told.matching(Selector(id=jazz.id, key="restaurant")).empty


def test_what_waits_and_what_was_proposed_goes_by_words_and_time(memory: MemoryPort) -> None:
    memory.note(Turn(speaker="driver", text="i love jazz", at=START), "one")
    memory.note(Turn(speaker="driver", text="i love rock", at=START + timedelta(days=1)), "two")
    tell(memory, "perhaps i love thai food", "three", START + timedelta(days=1))
    assert memory.matching(Selector(text="jazz")).turns == 1
    later = Selector(period=Period(since=START + timedelta(hours=1)))
    preview = memory.matching(later)
    assert (preview.turns, preview.proposals) == (1, 1)
    receipt = memory.forget_where(later)
    assert (receipt.turns_erased, receipt.proposals_erased) == (1, 1) and memory.proposals() == ()
    assert [d.value for d in memory.learn_pending()] == ["jazz"]


def test_what_is_withheld_vanishes_at_once_and_can_be_taken_back(told: MemoryPort, clock: StoppedClock) -> None:
    withheld = told.withhold(Selector(key="restaurant"))
    assert {p.value for p in withheld.matches.preferences} == {"italian", "thai"}
    assert values(told) == {"jazz"} and told.recall("italian food") == ()
    assert "italian" not in str(told.export())
    assert withheld.until - clock.now == timedelta(seconds=10)
    clock.now += timedelta(seconds=9)
    told.restore(withheld.token)
    assert values(told) == {"jazz", "italian", "thai"}
    assert "italian" in {r.preference.value for r in told.recall("italian food")}
    for act in (told.restore, told.carry_out):
        with pytest.raises(UnknownEntryError):
            act(withheld.token)


def test_what_is_withheld_goes_for_good_when_it_is_carried_out(told: MemoryPort) -> None:
    withheld = told.withhold(Selector(key="restaurant"))
    receipt = told.carry_out(withheld.token)
    assert receipt.verified and len(receipt.erased) == 2
    assert values(told) == {"jazz"}
    with pytest.raises(UnknownEntryError):
        told.restore(withheld.token)


def test_it_is_too_late_after_ten_seconds(told: MemoryPort, clock: StoppedClock) -> None:
    withheld = told.withhold(Selector(key="music"))
    clock.now += timedelta(seconds=11)
    with pytest.raises(UnknownEntryError):
        told.restore(withheld.token)
    assert values(told) == {"italian", "thai"}
    told.carry_out(withheld.token)


def test_two_things_can_be_withheld_at_a_time(told: MemoryPort) -> None:
    food, music = told.withhold(Selector(key="restaurant")), told.withhold(Selector(key="music"))
    assert values(told) == set()
    told.carry_out(food.token)
    told.restore(music.token)
    assert values(told) == {"jazz"}


def test_what_is_on_its_way_out_goes_with_everything(told: MemoryPort) -> None:
    food = told.withhold(Selector(key="restaurant"))
    told.forget("everything")
    assert values(told) == set()
    with pytest.raises(UnknownEntryError):
        told.restore(food.token)


def test_nothing_cannot_be_withheld(told: MemoryPort) -> None:
    with pytest.raises(UnknownEntryError):
        told.withhold(Selector(key="parking"))


def test_waiting_turns_and_proposals_are_withheld_too(memory: MemoryPort) -> None:
    memory.note(Turn(speaker="driver", text="i love jazz", at=START), "one")
    tell(memory, "perhaps i love thai food", "three")
    withheld = memory.withhold(Selector(everything=True))
    assert memory.proposals() == () and memory.learn_pending() == ()
    memory.restore(withheld.token)
    assert len(memory.proposals()) == 1 and [d.value for d in memory.learn_pending()] == ["jazz"]


def test_why_something_is_remembered(memory: MemoryPort, clock: StoppedClock) -> None:
    name = tell(memory, "i love jazz")
    assert name is not None
    memory.used(memory.recall("jazz"), "play_music")
    clock.now += timedelta(hours=1)
    memory.used(memory.recall("jazz"), "play_radio")
    memory.used(memory.recall("jazz"))
    why = memory.explain(name)
    assert why.preference.value == "jazz" and why.because == ((START, "i love jazz"),)
    assert [action for _, action in why.used_for] == ["play_radio", "play_music"]
    assert why.used_for[0][0] - why.used_for[1][0] == timedelta(hours=1)
    with pytest.raises(UnknownEntryError):
        memory.explain("nothing")


def test_no_use_is_noted_on_a_private_trip(memory: MemoryPort) -> None:
    name = tell(memory, "i love jazz")
    memory.set_private_trip(True)
    memory.used(memory.recall("jazz"), "play_music")
    assert name is not None and memory.explain(name).used_for == ()


def test_what_took_the_place_of_what(memory: MemoryPort) -> None:
    tell(memory, "i like it at twenty one degrees", "one")
    name = tell(memory, "i like it at twenty two degrees", "two", START + timedelta(days=1))
    assert name is not None
    assert [p.value for p in memory.explain(name).history] == ["21 degrees"]


def test_a_correction_supersedes(memory: MemoryPort, clock: StoppedClock) -> None:
    name = tell(memory, "i love jazz")
    assert name is not None
    clock.now += timedelta(days=1)
    fresh = memory.correct(name, "blues")
    assert fresh.value == "blues" and fresh.confidence == 1.0 and values(memory) == {"blues"}
    old = next(p for p in memory.preferences(history=True) if p.id == name)
    assert old.status is Status.SUPERSEDED and old.valid_to == fresh.valid_from
    assert [p.value for p in memory.explain(fresh.id).history] == ["jazz"]
    with pytest.raises(UnknownEntryError):
        memory.correct(name, "rock")


def test_a_correction_has_to_be_a_value_of_its_category(memory: MemoryPort) -> None:
    music = tell(memory, "i love jazz")
    fan = memory.remember("i like the fan low", "fan_speed_preferences")[0].preference
    assert music is not None and fan is not None
    for name, value in ((music, "  "), (fan, "purple"), ("nothing", "jazz")):
        with pytest.raises(UnknownEntryError):
            memory.correct(name, value)
    assert memory.correct(fan, "high").value == "high"


def test_no_correction_against_consent(memory: MemoryPort) -> None:
    name = tell(memory, "i love jazz")
    memory.opt_out("music")
    with pytest.raises(ConsentError):
        memory.correct(name or "", "blues")


def test_what_is_asked_to_be_remembered_is(memory: MemoryPort) -> None:
    (decision,) = memory.remember("i love jazz")
    assert decision.outcome is Outcome.APPEND and values(memory) == {"jazz"}
    (decision,) = memory.remember("my sister always plays zydeco", "favorite_genres")
    assert decision.outcome is Outcome.APPEND
    assert any("zydeco" in p.value for p in memory.preferences("favorite_genres"))


def test_what_is_asked_to_be_remembered_needs_consent(memory: MemoryPort) -> None:
    (decision,) = memory.remember("i eat vegan", "dietary_preference")
    assert decision.outcome is Outcome.REFUSED and values(memory) == set()
    memory.opt_in("dietary_preference")
    (decision,) = memory.remember("i eat vegan", "dietary_preference")
    assert decision.outcome is Outcome.APPEND and values(memory) == {"vegan"}
    memory.set_private_trip(True)
    assert all(d.outcome is Outcome.REFUSED for d in memory.remember("i love jazz"))
    assert values(memory) == {"vegan"}
    with pytest.raises(UnknownEntryError):
        memory.remember("i love jazz", "weather")


def test_an_export_is_read_into_another_memory(told: MemoryPort, make: Make) -> None:
    told.opt_out("parking")
    exported = told.export()
    other = make("grace")
    taken = other.take_in(exported)
    assert taken.kinds == {Kind.PREFERENCE: 3} and taken.known == 0 and taken.refused == {}
    assert values(other) == values(told) and other.consent() == told.consent()
    again = other.take_in(exported)
    assert again.kinds == {} and again.known == 3
    assert [p.model_dump() for p in other.preferences(history=True)] == [
        p.model_dump() for p in told.preferences(history=True)
    ]


def test_consent_is_asked_of_what_is_read_in(told: MemoryPort, make: Make) -> None:
    told.opt_in("dietary_preference")
    told.remember("i eat vegan", "dietary_preference")
    other = make("grace")
    other.opt_out("music")
    taken = other.take_in(told.export())
    assert set(taken.refused) == {"favorite_genres", "dietary_preference"}
    assert values(other) == {"italian", "thai"} and "jazz" not in str(taken)
    taken = other.take_in(told.export(), allow=True)
    assert set(taken.refused) == {"favorite_genres"} and "vegan" in values(other)


def test_what_is_no_export_is_refused(memory: MemoryPort) -> None:
    with pytest.raises(ExportError):
        memory.take_in({"preferences": []})
    assert values(memory) == set()


# A page at a time


def test_a_page_holds_so_many_and_knows_how_many_there_are(memory: MemoryPort, clock: StoppedClock) -> None:
    for number, value in enumerate(("jazz", "italian", "rock")):
        clock.now = START + timedelta(days=number)
        turn = Turn(speaker="driver", text=f"I like {value}", at=clock.now)
        memory.learn(Conversation(id=f"c{number}", turns=(turn,)))

    first, second = memory.browse(limit=2), memory.browse(limit=2, offset=2)

    assert first.total == second.total == 3
    assert [p.value for p in (*first.preferences, *second.preferences)] == ["rock", "italian", "jazz"]
    assert memory.tally() == {"favorite_genres": 2, "favourite_cuisine": 1}
    assert [p.value for p in memory.browse("music").preferences] == ["rock", "jazz"]
    assert [p.value for p in memory.browse(text="I LIKE J").preferences] == ["jazz"]
    assert [p.value for p in memory.browse(text="I LÏKE J").preferences] == ["jazz"]
    day = Period(since=START + timedelta(days=1), until=START + timedelta(days=2))
    assert [p.value for p in memory.browse(period=day).preferences] == ["italian"]
    with pytest.raises(UnknownEntryError):
        memory.browse("no_such_category")


def test_what_is_withheld_is_on_no_page(memory: MemoryPort, clock: StoppedClock) -> None:
    memory.learn(Conversation(id="c", turns=(Turn(speaker="driver", text="I like jazz", at=clock.now),)))
    withheld = memory.withhold(Selector(id=memory.preferences()[0].id))

    assert memory.browse().total == 0 and memory.browse(text="jazz").preferences == () and memory.tally() == {}

    memory.restore(withheld.token)
    assert memory.browse(text="jazz").total == 1


def test_what_is_kept_beside_preferences_comes_a_page_at_a_time(memory: MemoryPort, clock: StoppedClock) -> None:
    for key, value in (("name", "ada"), ("pet", "a dog"), ("job", "baker")):
        memory.edit_profile(key, value)
        clock.now += timedelta(minutes=1)

    page = memory.browse_kept(limit=2)

    assert page.total == 3 and [(o.kind, o.text) for o in page.others] == [
        (Kind.PROFILE, "baker"),
        (Kind.PROFILE, "a dog"),
    ]
    assert [o.text for o in memory.browse_kept(limit=2, offset=2).others] == ["ada"]
    assert [o.text for o in memory.browse_kept(text="DOG").others] == ["a dog"]
    memory.edit_profile("pet", "a Café cat on Weißer Straße")
    for typed in ("CAFÉ", "cafe", "CAFE\u0301", "weisser STRASSE", "WEIẞER"):
        assert memory.browse_kept(text=typed).total == 1, typed
    memory.edit_profile("pet", "a dog")
    assert memory.browse_kept(name=page.others[0].id).others == page.others[:1]
    assert memory.browse_kept(period=Period(until=START)).total == 0
