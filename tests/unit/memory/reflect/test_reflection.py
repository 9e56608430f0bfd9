"""Post-thinking: events, thoughts, the profile. Nothing in them that was not said, the later before the earlier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.reflect.induction import LONGEST, WITHIN_DAYS, Occasion, daytime, event, induce, tells_event
from memory.reflect.profile import Evidence, Said, facts, refined, style, usual_times
from memory.reflect.reflection import Reflection, Reflector, Snapshot
from memory.rights.provenance import borne_out
from memory.store.preferences import Sentence
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import Episode, Kind, Preference, ProfileEntry, Sense, Status, Trip

NOW = datetime(2026, 3, 31, 20, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
EMPTY = Snapshot((), frozenset(), (), (), (), {}, (), (), {})


def said(name: str, text: str, *, days: float = 0, details: tuple[str, ...] = (), **more: object) -> Episode:
    values = {
        "id": name,
        "conversation": name,
        "at": NOW - timedelta(days=days),
        "driver": text,
        "details": details,
        **more,
    }
    return Episode.model_validate(values)


# Events


@pytest.mark.parametrize(
    "text",
    [
        "i met my sister in hamburg", "we have tickets for the opera on friday", "my son is starting school next week",
        "i'm going to quit my job", "it's my daughter's birthday", "yesterday my bike was stolen", "my mother has moved to spain",
        "remember that the spare key is under the pot", "i have a dentist appointment tomorrow", "i'll call the bank on monday",
        "my son is allergic to nuts",
    ],
)  # fmt: skip
def test_events(text: str) -> None:
    assert tells_event(text)


@pytest.mark.parametrize(
    "text",
    ["play some jazz", "what is the weather tomorrow", "i like the sea", "did i lock my car?", "i went there", "turn left",
     "do you remember my sister", "the road is long"],
)  # fmt: skip
def test_no_events(text: str) -> None:
    assert not tells_event(text)


def test_an_event_is_the_sentences_that_tell_it_as_they_were_said() -> None:
    told = said("e", "What a day! I met my sister in Hamburg. Play some jazz. We got tickets for the opera.")
    assert event(told) == "I met my sister in Hamburg. We got tickets for the opera."
    assert event(said("e", "play some jazz")) is None
    long = event(said("e", "i met " + "my sister " * 40))
    assert long is not None and len(long.split()) == LONGEST


# Induction


def occasions(hours: Sequence[int], *, subject: str = "jazz", step: int = 3, asked: bool = True) -> list[Occasion]:
    first = datetime(2026, 2, 2, tzinfo=BERLIN)
    return [
        Occasion(subject, first + timedelta(days=n * step, hours=hour), f"e{n}", "favorite_genres", ("music",), asked)
        for n, hour in enumerate(hours)
    ]


def test_a_thought_needs_enough_occasions_on_enough_days() -> None:
    assert induce(occasions([7, 8]), NOW, BERLIN) == ()
    assert induce(occasions([7, 8, 9], step=0), NOW, BERLIN) == ()
    [found] = induce(occasions([7, 8, 9]), NOW, BERLIN)
    assert found.text == "often asks for jazz in the mornings" and found.sources == ("e0", "e1", "e2")
    later = NOW + timedelta(days=WITHIN_DAYS)
    assert induce(occasions([7, 8, 9]), later, BERLIN) == ()


def test_a_time_is_said_only_where_most_occasions_agree() -> None:
    [mixed] = induce(occasions([7, 12, 20]), NOW, BERLIN)
    assert (mixed.text, mixed.when) == ("often asks for jazz", "")
    [spoken] = induce(occasions([7, 7, 20, 7], asked=False), NOW, BERLIN)
    assert spoken.text == "often speaks of jazz in the mornings"
    [weekly] = induce(occasions([9] * 5, step=7), NOW, BERLIN)
    assert weekly.text == "often asks for jazz in the mornings on weekdays"
    [few] = induce(occasions([9] * 4, step=7), NOW, BERLIN)
    assert few.text == "often asks for jazz in the mornings"
    sundays = [replace(o, at=o.at - timedelta(days=1)) for o in occasions([9] * 3, step=7)]
    assert induce(sundays, NOW, BERLIN)[0].when == "in the mornings at weekends"


def test_one_moment_counts_once_whatever_tells_of_it() -> None:
    twice = [*occasions([7, 8]), *(replace(o, source=f"p{o.source}") for o in occasions([7, 8]))]
    assert induce(twice, NOW, BERLIN) == ()


def test_the_part_of_the_day_is_the_drivers() -> None:
    moment = datetime(2026, 3, 31, 21, 30, tzinfo=UTC)
    assert daytime(moment, UTC) == "in the evenings" and daytime(moment, BERLIN) == "at night"


# The reflector


class Requests(KeywordEncoder):
    """Knows a request by its first word."""

    def requests(self, text: str) -> dict[str, float]:
        """A request or none, surely."""
        return {"play_music": float(text.startswith("play")), "none": float(not text.startswith("play"))}


def reflector() -> Reflector:
    numbers = count(1)
    return Reflector(Requests(), BERLIN, lambda: f"n{next(numbers)}")


def think(
    snapshot: Snapshot, *, forbidden: frozenset[str] = frozenset(), unwanted: frozenset[str] = frozenset()
) -> Reflection:
    return reflector().plan(
        snapshot, NOW, allowed=lambda d: d not in forbidden, unwanted=lambda _, text: text in unwanted
    )  # fmt: skip


JAZZ = ("favorite_genres",)
MORNINGS = [
    said(f"e{n}", "play some jazz", details=JAZZ, tags=("music",), at=datetime(2026, 3, 3 + 7 * n, 7, tzinfo=BERLIN))
    for n in range(4)
]


def snapshot(episodes: Sequence[Episode], **more: object) -> Snapshot:
    values = {"episodes": tuple(episodes), "fresh": frozenset(e.id for e in episodes), **more}
    return replace(EMPTY, **values)  # type: ignore[arg-type]


def test_repeated_requests_become_a_thought_and_a_habit() -> None:
    plan = think(snapshot(MORNINGS))
    [thought] = plan.thoughts
    assert (thought.kind, thought.text) == (Kind.THOUGHT, "often asks for jazz in the mornings")
    assert thought.sources == ("e0", "e1", "e2", "e3") and thought.tags == ("music",) and thought.details == JAZZ
    [habit] = plan.entries
    assert (habit.aspect, habit.value, habit.sources) == ("habit", thought.text, thought.sources)
    assert plan.seen and len(plan.lines) == 4


def test_the_same_thought_is_not_made_twice_but_strengthened() -> None:
    first = think(snapshot(MORNINGS[:3])).thoughts
    again = think(replace(snapshot(MORNINGS, thoughts=tuple(first)), fresh=frozenset({"e3"})))
    assert (
        not again.thoughts
        and again.again == [first[0].id]
        and set(again.rests[first[0].id]) == {"e0", "e1", "e2", "e3"}
    )


def test_a_habit_that_changes_its_time_replaces_the_old_thought() -> None:
    old = think(snapshot(MORNINGS[:3])).thoughts[0]
    evenings = [
        said(f"f{n}", "play some jazz", details=JAZZ, at=datetime(2026, 3, 7 + n, 20, tzinfo=BERLIN)) for n in range(9)
    ]
    plan = think(replace(snapshot([*MORNINGS[:3], *evenings], thoughts=(old,)), fresh=frozenset({"f8"})))
    assert plan.gone == [old.id] and plan.thoughts[0].text == "often asks for jazz in the evenings"


def preference(name: str, value: str, *, ended: datetime | None = None) -> Preference:
    return Preference(
        id=name, detail="favorite_genres", value=value, sentences=(f"i love {value}",), conversation="c", confidence=1.0,
        valid_from=NOW - timedelta(days=60), valid_to=ended, status=Status.SUPERSEDED if ended else Status.ACTIVE,
    )  # fmt: skip


def test_what_the_driver_has_ended_since_is_thought_no_more() -> None:
    old = think(snapshot(MORNINGS)).thoughts[0]
    ended = preference("p", "jazz", ended=NOW - timedelta(hours=1))
    plan = think(replace(snapshot(MORNINGS, thoughts=(old,), preferences=(ended,)), fresh=frozenset({"e3"})))
    assert plan.gone == [old.id] and not plan.thoughts


def test_what_is_disliked_is_no_habit_however_often_it_is_spoken_of() -> None:
    disliked = preference("p", "jazz").model_copy(update={"sense": Sense.DISLIKES})
    old = think(snapshot(MORNINGS)).thoughts[0]
    plan = think(replace(snapshot(MORNINGS, thoughts=(old,), preferences=(disliked,)), fresh=frozenset({"e3"})))
    assert plan.gone == [old.id] and not plan.thoughts
    told = [Sentence(n, "p", "i hate jazz", datetime(2026, 3, 3 + 7 * n, 7, tzinfo=BERLIN), f"c{n}") for n in range(3)]
    assert not think(replace(EMPTY, preferences=(disliked,), sentences={"p": told})).thoughts


def test_refusing_words_are_no_occasion() -> None:
    refused = [e.model_copy(update={"driver": "no more jazz please"}) for e in MORNINGS]
    assert not think(snapshot(refused)).thoughts


def test_what_is_told_again_and_again_becomes_a_thought_without_any_conversation() -> None:
    told = [Sentence(n, "p", "i love jazz", datetime(2026, 3, 3 + 7 * n, 7, tzinfo=BERLIN), f"c{n}") for n in range(3)]
    plan = think(replace(EMPTY, preferences=(preference("p", "jazz"),), sentences={"p": told}))
    assert [t.text for t in plan.thoughts] == ["often speaks of jazz in the mornings"]
    assert plan.thoughts[0].sources == ("p",) and not plan.lines


def test_forbidden_categories_are_thought_about_no_more_than_they_are_kept() -> None:
    plan = think(snapshot(MORNINGS, preferences=(preference("p", "jazz"),)), forbidden=frozenset(JAZZ))
    assert not plan.thoughts and not plan.lines and not plan.entries and not plan.vectors
    assert set(plan.seen) == {"e0", "e1", "e2", "e3"}


def test_what_the_driver_deleted_is_not_made_again() -> None:
    plan = think(snapshot(MORNINGS), unwanted=frozenset({"favorite_genres jazz", "often_jazz"}))
    assert not plan.thoughts and not plan.entries


def test_two_tellings_of_an_event_become_the_later_one() -> None:
    first = said("e1", "my exam is on friday at nine", days=3)
    later = said("e2", "actually my exam is on monday at ten", days=1)
    plan = think(snapshot([first, later]))
    [held] = plan.thoughts
    assert (held.text, held.sources, held.kind) == ("actually my exam is on monday at ten", ("e1", "e2"), Kind.EVENT)
    before = think(snapshot([first]))
    known = replace(
        snapshot([first, later], thoughts=tuple(before.thoughts), vectors=before.vectors), fresh=frozenset({"e2"})
    )
    second = think(known)
    assert second.gone == [before.thoughts[0].id] and [t.text for t in second.thoughts] == [later.driver]
    assert set(second.thoughts[0].sources) == {"e1", "e2"}


def test_different_events_stay_apart() -> None:
    for one, two in (
        ("my sister had a baby", "my brother had a baby"),
        ("i have a dentist appointment on monday", "i have a dentist appointment on friday"),
        ("actually i met my sister on monday", "we sold the car"),
    ):
        assert len(think(snapshot([said("e1", one), said("e2", two)])).thoughts) == 2
    again = think(snapshot([said("e1", "my sister had a baby", days=1), said("e2", "so, my sister had a baby!")]))
    assert [t.sources for t in again.thoughts] == [("e1", "e2")]


def test_summaries_quote_what_matters_and_keep_key_words_of_the_rest() -> None:
    plan = think(
        snapshot(
            [said("e1", "i saw the harbour today", importance=0.6), said("e2", "the harbour is near the old church")]
        )
    )
    assert [line.text for _, line in plan.lines] == ["“i saw the harbour today”", "harbour, church."]


def test_a_tag_that_grows_is_put_on_what_holds_it() -> None:
    talks = [said(f"e{n}", "falconry at the castle again", days=n, tags=("a", "b", "c")) for n in range(5)]
    plan = think(snapshot(talks))
    assert plan.tags == ("castle", "falconry") and plan.tagged["e0"] == ("a", "castle", "falconry")
    assert plan.lines[0][1].tags == plan.tagged["e0"]


def test_links_join_new_and_old_memories() -> None:
    old = said("e0", "the harbour at night", days=2)
    first = think(snapshot([old]))
    new = said("e1", "the harbour at noon")
    plan = think(replace(snapshot([old, new], vectors=first.vectors), fresh=frozenset({"e1"})))
    assert plan.links["e1"] == ("e0",) and plan.links["e0"] == ("e1",)


@given(st.lists(st.sampled_from(["play some jazz", "i met my sister", "my exam is on friday", "i love rock at home", "what a day",
                                 "we sold the old car yesterday", "my dog rex is ill", "no more jazz please"]),
                min_size=1, max_size=12), st.integers(1, 20))  # fmt: skip
def test_nothing_is_in_cold_memory_that_was_not_said(texts: list[str], hours: int) -> None:
    episodes = [
        said(f"e{n}", text, days=n * hours / 24, details=JAZZ if "jazz" in text else ()) for n, text in enumerate(texts)
    ]
    plan = think(snapshot(episodes))
    spoken = {e.id: e.driver for e in episodes}
    for thought in plan.thoughts:
        assert thought.sources and borne_out(thought.text, [spoken[s] for s in thought.sources])
    for entry in plan.entries:
        assert entry.sources and borne_out(entry.value, [spoken[s] for s in entry.sources])
    for _, line in plan.lines:
        assert borne_out(line.text, [spoken[line.source]])


# The profile


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("My name is Ada", "name", "ada"), ("call me ishmael please", "name", "ishmael"),
        ("my wife's name is grace hopper", "wife", "grace hopper"), ("my dog rex is ill", "dog", "rex"),
        ("our daughter is called lin", "daughter", "lin"), ("we have two kids", "children", "two kids"),
        ("i work at the harbour", "work", "at the harbour"), ("i'm a nurse", "work", "a nurse"),
        ("i live in hamburg now", "home", "in hamburg"), ("my birthday is on the third of may", "birthday", "the third of may"),
    ],
)  # fmt: skip
def test_facts(text: str, key: str, value: str) -> None:
    assert {k: v for k, (v, _) in facts([Said("e", text, NOW)]).items()} == {key: value}


@pytest.mark.parametrize(
    "text",
    [
        "my dog is ill",
        "my sister was here",
        "my wife just called",
        "i'm a bit tired",
        "call me later",
        "my name is on it",
    ],
)
def test_no_facts(text: str) -> None:
    assert facts([Said("e", text, NOW)]) == {}


def refine(
    held: Sequence[ProfileEntry], episodes: Sequence[Episode], trips: Sequence[Trip] = ()
) -> tuple[ProfileEntry, ...]:
    numbers = count(1)
    evidence = Evidence(episodes, (), (), trips)
    return refined(held, evidence, NOW, BERLIN, new_id=lambda: f"n{next(numbers)}")


def test_the_later_of_two_facts_holds_and_every_telling_is_a_source() -> None:
    talk = [
        said("e1", "i live in hamburg", days=9),
        said("e2", "i live in kiel", days=5),
        said("e3", "i live in kiel", days=1),
    ]
    [home] = refine([], talk)
    assert (home.value, home.sources) == ("in kiel", ("e2", "e3"))
    assert refine([home], talk) == ()
    [moved] = refine([home], [*talk, said("e4", "i live in bremen")])
    assert moved.value == "in bremen" and moved.sources == ("e4",) and moved.since == NOW
    [surer] = refine([home], [*talk, said("e4", "i live in kiel")])
    assert surer.id == home.id and surer.since == home.since and surer.confidence > home.confidence


def test_what_the_driver_edited_is_left_alone() -> None:
    edited = ProfileEntry(id="x", aspect="fact", key="home", value="nowhere", since=NOW, edited=True)
    assert refine([edited], [said("e1", "i live in kiel")]) == ()


def trips(*starts: tuple[int, int, int]) -> tuple[Trip, ...]:
    return tuple(Trip(id=f"t{n}", began_at=datetime(2026, 3, *start, tzinfo=BERLIN)) for n, start in enumerate(starts))


def test_usual_times_need_enough_trips_that_agree() -> None:
    regular = trips((2, 7, 50), (3, 8, 5), (4, 8, 10), (5, 7, 58), (7, 14, 0))
    assert usual_times(regular, BERLIN) == {"usual_start_weekdays": "around 8:00 on weekdays"}
    assert usual_times(regular[:3], BERLIN) == {}
    assert usual_times(trips((2, 7, 50), (3, 12, 5), (4, 18, 10), (5, 7, 58)), BERLIN) == {}


def test_style_needs_enough_turns() -> None:
    brief = [said(f"e{n}", "met my sister please") for n in range(10)]
    assert style(brief) == {"reply_length": "brief", "courtesy": "polite"}
    assert style(brief[:9]) == {}
    long = [
        said(f"e{n}", "so today i met my sister and we went to the harbour and then we had a coffee") for n in range(10)
    ]
    assert style(long) == {"reply_length": "full"}
