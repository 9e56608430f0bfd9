"""Conversations that are kept, through the driver's memory: only when asked for, off the turn, and gone when told to go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from memory.service import DriverMemory
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import CONVERSATIONS, Episode, Kind, Period, Selector
from tests.unit.memory.reflect.bench import START, Bench


def test_conversations_are_not_kept_until_asked_for(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.memory.begin_trip("t1")
    bench.say("i met my sister in hamburg")
    bench.memory.learn_pending()
    bench.memory.reflect()
    memory = bench.memory
    assert (
        not memory.episodes() and not bench.archive.summaries() and not bench.archive.thoughts() and not memory.trips()
    )
    assert not memory.conversations.hot.all() and not memory.profile()
    memory.close()


@pytest.mark.parametrize(("said", "kept"), [("ada", {"ada"}), ("comrade green", set[str]())])
def test_a_name_that_was_said_in_passing_is_not_kept_with_a_title_that_tells(
    bench: Bench, said: str, kept: set[str]
) -> None:
    bench.say(f"my name is {said}")
    bench.memory.reflect()
    assert {e.value for e in bench.memory.profile() if e.key == "name"} == kept


def test_an_exchange_becomes_an_episode_when_the_conversation_is_over(bench: Bench) -> None:
    bench.say("i met my sister in hamburg", "How nice.")
    assert [(e.driver, e.assistant) for e in bench.memory.conversations.hot.all()] == [
        ("i met my sister in hamburg", "How nice.")
    ]
    assert not bench.memory.episodes()
    bench.memory.learn_pending()
    [kept] = bench.memory.episodes()
    assert (kept.driver, kept.assistant, kept.conversation, kept.at) == (
        "i met my sister in hamburg",
        "How nice.",
        "t1-1",
        START,
    )
    assert not bench.memory.conversations.hot.all()
    bench.memory.learn_pending()
    assert len(bench.memory.episodes()) == 1
    assert bench.spoken() == [e.driver for e in bench.again().episodes()]


FORBIDDING: dict[str, Callable[[DriverMemory], object]] = {
    "opted out": lambda m: m.opt_out("music"),
    "private": lambda m: m.set_private_trip(True),
    "paused": lambda m: m.pause(START + timedelta(days=1)),
    "switched off": lambda m: m.opt_out(CONVERSATIONS),
}


@pytest.mark.parametrize("how", FORBIDDING)
@pytest.mark.parametrize("when", ["before", "while it waits"])
def test_what_consent_forbids_leaves_nothing(bench: Bench, how: str, when: str) -> None:
    if when == "before":
        FORBIDDING[how](bench.memory)
    bench.say("i heard some jazz with my sister", "Jazz is fine.")
    bench.say("yes", "More jazz?")
    if when != "before":
        FORBIDDING[how](bench.memory)
    bench.memory.learn_pending()
    bench.memory.conversations.settle()
    bench.memory.reflect()
    assert not bench.memory.episodes() and not bench.archive.thoughts() and not bench.archive.summaries()
    bench.memory.close()
    assert not bench.open().conversations.hot.all()


def test_sensitive_things_are_kept_only_when_asked_for(bench: Bench) -> None:
    bench.say("my sister is vegan now")
    bench.memory.conversations.settle()
    assert not bench.memory.episodes()
    bench.memory.opt_in("dietary_preference")
    bench.say("my sister is vegan now")
    bench.memory.conversations.settle()
    assert bench.memory.episodes()[0].details == ("dietary_preference",)


class Divided(KeywordEncoder):
    """Hears a little of food in whatever is said of music."""

    food = 0.06

    def topics(self, text: str) -> dict[str, float]:
        topics = dict(super().topics(text))
        if topics["favorite_genres"] > 0.5:
            topics["favorite_genres"] -= self.food
            topics["favourite_cuisine"] += self.food
        return topics


def test_what_only_touches_a_forbidden_category_is_let_go_without_an_error(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.memory.close()
    bench.encoder = Divided()
    memory = bench.open()
    memory.opt_in(CONVERSATIONS)
    bench.say("i heard some jazz with my sister")
    memory.conversations.settle()
    assert memory.episodes()[0].details == ("favorite_genres", "favourite_cuisine")
    memory.opt_out("favourite_cuisine")
    bench.say("i heard some jazz with my brother")
    bench.say("i met my boss in hamburg")
    memory.learn_pending()
    memory.reflect()
    assert bench.spoken() == ["i heard some jazz with my sister", "i met my boss in hamburg"]
    memory.close()


def test_an_event_of_a_category_switched_off_since_is_left_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.memory.close()
    bench.encoder = divided = Divided()
    memory = bench.open()
    memory.opt_in(CONVERSATIONS)
    bench.say("i have a jazz concert with my sister on friday")
    memory.learn_pending()
    memory.reflect()
    [old] = [t for t in bench.archive.thoughts() if t.kind is Kind.EVENT]
    assert old.details == ("favorite_genres", "favourite_cuisine")
    memory.opt_out("favourite_cuisine")
    divided.food = 0.0
    bench.say("i have a jazz concert with my sister on friday", talk="t2-1")
    memory.learn_pending()
    memory.reflect()
    [held, fresh] = [t for t in bench.archive.thoughts() if t.kind is Kind.EVENT]
    assert (held.id, held.sources) == (old.id, old.sources) and fresh.details == ("favorite_genres",)
    memory.close()


def test_what_waits_during_a_pause_is_kept_after_it(bench: Bench) -> None:
    bench.say("i met my sister")
    bench.memory.pause(bench.now + timedelta(hours=1))
    bench.say("i met my brother")
    assert bench.memory.conversations.settle() == 0
    bench.now += timedelta(hours=2)
    assert bench.memory.conversations.settle() == 1 and bench.spoken() == ["i met my sister"]


def test_consent_that_changes_while_drafts_are_made(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.say("i heard some jazz with my sister")
    drafted = bench.memory.conversations.drafts

    def slow(*given: object) -> Sequence[Episode]:
        made = drafted(*given)  # type: ignore[arg-type]
        monkeypatch.undo()
        worker = threading.Thread(target=lambda: bench.memory.opt_out("music"))
        worker.start()
        worker.join()
        return made

    monkeypatch.setattr(bench.memory.conversations, "drafts", slow)
    assert bench.memory.conversations.settle() == 0 and not bench.memory.episodes()


# Cold memory


def mornings(bench: Bench, days: int = 4) -> None:
    for day in range(days):
        bench.now = START + timedelta(days=day)
        bench.memory.begin_trip(f"t{day}")
        bench.say("play some jazz", "Playing jazz.", f"t{day}-1")
        bench.say("i met my sister at the harbour", "Oh.", f"t{day}-1")
        bench.memory.learn_pending()
        bench.memory.end_trip(f"t{day}")
        bench.memory.reflect()


def test_a_few_trips_make_thoughts_events_summaries_links_and_a_profile(bench: Bench) -> None:
    mornings(bench)
    memory = bench.memory
    texts = {t.text for t in bench.archive.thoughts() if t.kind is Kind.THOUGHT}
    assert texts == {"often speaks of jazz in the mornings"}
    [event] = [t for t in bench.archive.thoughts() if t.kind is Kind.EVENT]
    assert event.text == "i met my sister at the harbour" and len(event.sources) == 4
    assert [s.day.isoformat() for s in bench.archive.summaries()] == [
        "2026-03-02",
        "2026-03-03",
        "2026-03-04",
        "2026-03-05",
    ]
    assert "“i met my sister at the harbour”" in bench.archive.summaries()[0].text
    profile = {e.key: e.value for e in memory.profile()}
    assert profile == {
        "usual_start_weekdays": "around 8:00 on weekdays",
        "often_jazz": "often speaks of jazz in the mornings",
    }
    assert all(e.links for e in memory.episodes() if "jazz" in e.driver)
    assert [t.id for t in memory.trips()] == ["t0", "t1", "t2", "t3"] and all(t.ended_at for t in memory.trips())
    found = memory.search("the harbour with my sister", kinds=[Kind.EVENT])
    assert [f.id for f in found] == [event.id]


def test_thinking_again_changes_nothing(bench: Bench) -> None:
    mornings(bench)
    before = (bench.archive.thoughts(), bench.archive.summaries(), bench.memory.profile(), bench.memory.episodes())
    plan = bench.memory.reflect()
    assert not plan.thoughts and not plan.entries and not plan.seen and not plan.let_go
    assert before == (
        bench.archive.thoughts(),
        bench.archive.summaries(),
        bench.memory.profile(),
        bench.memory.episodes(),
    )


def test_forgetting_a_value_takes_what_was_made_of_it(bench: Bench) -> None:
    mornings(bench)
    receipt = bench.memory.forget_where(Selector(text="jazz"))
    assert receipt.verified and receipt.kinds[Kind.EPISODE] == 4 and receipt.kinds[Kind.THOUGHT] == 1
    assert "jazz" not in repr(
        (bench.memory.episodes(), bench.archive.thoughts(), bench.archive.summaries(), bench.memory.profile())
    )
    assert len(bench.memory.episodes()) == 4 and len(bench.archive.summaries()) == 4
    bench.memory.reflect()
    assert "jazz" not in repr((bench.archive.thoughts(), bench.archive.summaries(), bench.memory.profile()))


def test_forgetting_reaches_what_waits(bench: Bench) -> None:
    bench.say("i heard some jazz with my sister")
    bench.memory.forget_where(Selector(everything=True))
    bench.memory.conversations.settle()
    assert not bench.memory.episodes()
    bench.say("i heard some jazz with my sister")
    assert bench.memory.forget_pending("t1-1") >= 1
    bench.memory.conversations.settle()
    assert not bench.memory.episodes()


def test_a_time_that_is_forgotten_takes_its_trips(bench: Bench) -> None:
    mornings(bench)
    period = bench.memory.period("on our second trip")
    assert period is not None and period.since == START + timedelta(days=1)
    bench.memory.forget_where(Selector(period=period))
    assert [t.id for t in bench.memory.trips()] == ["t0", "t2", "t3"]
    assert not [e for e in bench.memory.episodes() if e.conversation.startswith("t1-")]
    whole = Period(since=START, until=START + timedelta(days=9))
    bench.memory.forget_where(Selector(period=whole))
    assert not bench.memory.trips() and not bench.memory.episodes()


def test_an_entry_that_the_driver_deleted_does_not_come_back(bench: Bench) -> None:
    mornings(bench)
    entry = next(e for e in bench.memory.profile() if e.key == "often_jazz")
    thought = next(t for t in bench.archive.thoughts() if t.kind is Kind.THOUGHT)
    for gone in (entry.id, thought.id):
        bench.memory.forget_where(Selector(id=gone))
    bench.now += timedelta(days=1)
    bench.say("play some jazz", "Playing jazz.", "t9-1")
    bench.memory.reflect()
    assert {e.key for e in bench.memory.profile()} == {"usual_start_weekdays"}
    assert not [t for t in bench.archive.thoughts() if t.kind is Kind.THOUGHT]


def test_what_is_taken_back_can_be_made_again(bench: Bench) -> None:
    mornings(bench)
    entry = next(e for e in bench.memory.profile() if e.key == "often_jazz")
    token = bench.memory.withhold(Selector(id=entry.id)).token
    assert entry not in bench.memory.profile()
    bench.memory.restore(token)
    bench.now += timedelta(days=1)
    bench.say("play some jazz", "Playing jazz.", "t9-1")
    bench.memory.reflect()
    [later] = [e for e in bench.memory.profile() if e.key == "often_jazz"]
    assert len(later.sources) > len(entry.sources)


def test_an_entry_can_be_corrected_and_stays_so(bench: Bench) -> None:
    bench.say("i live in hamburg and love it")
    bench.memory.reflect()
    [home] = bench.memory.profile()
    edited = bench.memory.edit_profile("home", "in kiel")
    assert edited.id == home.id and edited.edited and edited.aspect == "fact"
    bench.say("i live in hamburg of course")
    bench.memory.reflect()
    assert [(e.key, e.value) for e in bench.memory.profile()] == [("home", "in kiel")]
    assert bench.memory.edit_profile("reply_length", "brief", aspect="style").aspect == "style"
    with pytest.raises(UnknownEntryError):
        bench.memory.edit_profile("home", " ")
    bench.memory.set_private_trip(True)
    with pytest.raises(ConsentError):
        bench.memory.edit_profile("home", "nowhere")
