"""What tells of a special kind of data is written nowhere while such content is off (sensitive.txt), whatever it is taken for.

Said to a real memory with the models that Glovebox carries, which keeps conversations; after each sentence every cell of the vault
is read. Half of the sentences (by the first byte of their hash) were for tuning, the other half for looking once.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deploy.config import load_config
from deploy.engines import Engines
from memory.recall.lexical import STOP
from memory.service import DriverMemory
from models.catalog import Catalog
from models.special import special_words
from models.text import words
from schemas.errors import ConsentError
from schemas.memory import CONVERSATIONS, Outcome, Turn, Waiting
from schemas.ports import Encoder
from schemas.preferences import KINDS
from tests.memories import memory_of
from tests.vaults import every_word

NOW = datetime(2026, 11, 24, 10, 0, tzinfo=UTC)
CHEMO = "i like it at 24 degrees because of my chemotherapy"


def _lines(name: str = "sensitive.txt") -> list[tuple[str, str]]:
    kind, found = "", list[tuple[str, str]]()
    for line in (Path(__file__).parent / name).read_text("utf-8").splitlines():
        if line.startswith("== "):
            kind = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            found.append((kind, line))
    return found


LINES = _lines()
AGAIN = _lines("sensitive_again.txt")


def half(line: str) -> str:
    """Which half a line is of."""
    return "kept" if hashlib.sha256(line.encode()).digest()[0] % 2 else "tuned"


def telling(line: str) -> set[str]:
    """The words in brackets that say something and stand nowhere else in the line."""
    parts = [part.split("]") for part in line.split("[")]
    inside = {word for part in parts[1:] for word in words(part[0])}
    outside = {word for part in parts for word in words(part[-1])}
    return {word for word in inside - outside if word not in STOP and len(word) > 2}


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    config = load_config(environment={}, flags={"profile": "small"})
    return Engines(config, Catalog.load(config.data)).encoder()


@pytest.fixture
def memory(encoder: Encoder) -> Iterator[DriverMemory]:
    made = memory_of(clock=lambda: NOW, encoder=encoder)
    made.opt_in(CONVERSATIONS)
    yield made
    made.close()


def told(memory: DriverMemory, text: str, number: int = 0) -> set[str]:
    """Every word that lies in the vault when a sentence was said, and when it was learnt from and thought about."""
    name = f"talk-{number}"
    memory.note(Turn(speaker="driver", text=text, at=NOW), name)
    memory.note(Turn(speaker="assistant", text="Okay, I see.", at=NOW), name)
    waiting = {word for cell in every_word(memory.session.store) for word in words(cell)}
    memory.learn_pending()
    memory.reflect()
    return waiting | {word for cell in every_word(memory.session.store) for word in words(cell)}


def test_there_are_enough_of_them() -> None:
    assert len(LINES) >= 300 and {kind for kind, _ in LINES} == {*KINDS, "ordinary"}
    assert sum(kind != "ordinary" for kind, _ in LINES) >= 200


@pytest.mark.parametrize("which", ["tuned", "kept"])
def test_nothing_of_it_is_stored(which: str, memory: DriverMemory) -> None:
    stored: list[str] = []
    lines = [line for kind, line in LINES if kind != "ordinary" and half(line) == which]
    for number, line in enumerate(lines):
        found = told(memory, line.replace("[", "").replace("]", ""), number)
        if found & telling(line):
            stored.append(line)
        memory.forget("everything")
    assert not stored, f"{len(stored)} of {len(lines)}: {stored}"


def test_what_can_be_kept_without_it_is(memory: DriverMemory) -> None:
    told(memory, CHEMO)
    (kept,) = memory.preferences()
    assert kept.value == "24 degrees" and kept.sentences == ("i like it at 24 degrees",)


@pytest.mark.parametrize(
    "said",
    [
        "I like techno because it helps with my depression",
        "metal because it drowns out the voices in my head",
        "i like it warm in here since the biopsy came back",
    ],
)
def test_what_a_sentence_is_about_does_not_hide_the_reason_it_gives(said: str, memory: DriverMemory) -> None:
    told(memory, said)
    held = {word for cell in every_word(memory.session.store) for word in words(cell)}
    assert not {"depression", "voices", "biopsy"} & held


def test_it_is_kept_once_it_was_asked_for_by_its_name(memory: DriverMemory) -> None:
    memory.opt_in("health")
    assert "chemotherapy" in told(memory, CHEMO)
    memory.opt_out("health")
    memory.forget("everything")
    assert "chemotherapy" not in told(memory, CHEMO, 1)


def test_whoever_asked_for_a_diet_may_tell_what_it_is_for(memory: DriverMemory) -> None:
    memory.opt_in("dietary_preference")
    assert "allergic" in told(memory, "i am allergic to peanuts so i only eat nut free food")
    assert "chemotherapy" not in told(memory, CHEMO, 1)


def test_what_stands_beside_it_is_no_fact_by_itself(memory: DriverMemory) -> None:
    (decision,) = memory.remember("i am allergic to nuts, please keep that in mind when we look for restaurants")
    assert decision.outcome is Outcome.REFUSED and memory.facts() == ()


def test_what_is_asked_to_be_remembered_is_refused_with_its_reason(memory: DriverMemory) -> None:
    (decision,) = memory.remember("i vote for the green party")
    assert decision.outcome is Outcome.REFUSED and "politics" in decision.reason
    with pytest.raises(ConsentError, match="optin health"):
        memory.edit_profile("illness", "diabetes")
    with pytest.raises(ConsentError, match="optin belief"):
        memory.edit_profile("belief", "buddhist")
    assert not {"green", "diabetes", "buddhist"} & {
        word for cell in every_word(memory.session.store) for word in words(cell)
    }


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("belief", "buddhist", "belief"), ("party", "labour", "politics"), ("orientation", "gay", "orientation"),
        ("heritage", "polish", "origin"), ("church", "st. mary's", "belief"), ("chronic", "asthma", "health"),
        ("children", "three", "children"), ("book", "the bible", "belief"), ("wheelchair", "yes", "health"),
    ],
)  # fmt: skip
def test_neither_key_nor_value_of_a_line_hides_what_the_other_tells(
    key: str, value: str, kind: str, memory: DriverMemory
) -> None:
    assert memory.session.guard.forbidden_line(key, value, memory.consent()) == {kind}
    assert not memory.session.guard.forbidden_line(key, value, memory.opt_in(kind))


@pytest.mark.parametrize(
    "line",
    [
        "home: in kiel", "wife: anna", "language: english", "home_town: istanbul", "cuisine: turkish", "phone: nokia",
        "doctor: Dr Ames", "job: teacher", "colour: green", "hobby: sailing", "commute: by motorway", "boss: mr khan",
        "labour: eight hours", "reply_length: brief", "usual_temperature: 21 degrees", "music for the party: abba",
    ],
)  # fmt: skip
def test_ordinary_lines_of_the_profile_are_left_alone(line: str, memory: DriverMemory) -> None:
    key, _, value = line.partition(": ")
    assert not memory.session.guard.forbidden_line(key, value, memory.consent())


def test_a_reminder_rings_with_its_words_and_leaves_none_in_the_vault(memory: DriverMemory) -> None:
    pills, milk = (Waiting(kind="reminder", label=label, at=NOW) for label in ("take my insulin", "buy milk"))
    state, _ = memory.reminders.load()
    memory.reminders.save([pills, milk], state)
    lies = str(memory.session.store.read("SELECT value FROM meta"))
    assert "insulin" not in lies and "milk" in lies
    assert [one.label for one in memory.reminders.load()[1]] == ["buy milk", "take my insulin"]
    memory.reminders.save([], state)
    assert "milk" not in str(memory.session.store.read("SELECT value FROM meta"))


def test_an_import_asks_the_guard_and_consent_for_every_text(memory: DriverMemory, encoder: Encoder) -> None:
    other = memory_of(clock=lambda: NOW, encoder=encoder)
    exported = other.export()
    other.close()
    said = {"conversation": "c", "at": NOW.isoformat(), "confidence": 1.0, "basis": "provided"}
    exported["waiting"] = [
        {**said, "text": text} for text in (CHEMO, "i am vegan", "i love ja\x00zz\u202e music", "my rabbi likes rock")
    ]
    exported["profile"] = [
        {
            "basis": "provided", "id": key, "aspect": "fact", "key": key, "value": value, "details": [], "sources": [],
            "confidence": 1.0, "since": NOW.isoformat(),
        }
        for key, value in (("illness", "epilepsy"), ("belief", "buddhist"), ("party", "labour"))
    ]  # fmt: skip
    taken = memory.take_in(exported)
    cells = every_word(memory.session.store)
    held = {word for cell in cells for word in words(cell)}
    assert not {"chemotherapy", "vegan", "rabbi", "epilepsy", "buddhist", "labour"} & held and {"24", "music"} <= held
    assert not any(ord(letter) < 32 or letter == "\u202e" for cell in cells for letter in cell)
    assert {"health", "belief", "politics"} <= set(taken.refused)


def test_of_timers_and_reminders_that_are_read_in_only_the_time_is_written_where_the_words_tell(
    memory: DriverMemory,
) -> None:
    exported = memory.export()
    labels = "take my antidepressants", "buy insulin", "dialysis", "buy milk"
    exported["notices"] = [
        {"basis": "provided", "kind": "reminder", "label": label, "due_at": (NOW + timedelta(hours=n)).isoformat()}
        for n, label in enumerate(labels, start=1)
    ]
    exported["notices"] += [{**exported["notices"][0], "kind": "timer", "label": "dialysis"}]
    taken = memory.take_in(exported)
    assert (taken.timers, taken.reminders) == (1, 4) and set(taken.refused) == {"health"}
    assert {(one.kind, one.label) for one in memory.reminders.load()[1]} == {
        ("timer", ""), ("reminder", ""), ("reminder", "buy milk"),
    }  # fmt: skip
    lies = str(memory.session.store.read("SELECT value FROM meta"))
    assert "milk" in lies and not any(word in lies for word in ("antidepressants", "insulin", "dialysis"))
    again = memory.take_in(exported)
    assert (again.timers, again.reminders, again.known) == (0, 0, 5), "their times are there already"
    memory.opt_in("health")
    assert memory.take_in(exported).refused == {}
    assert sorted(one.label for one in memory.reminders.load()[1]) == sorted((*labels, "dialysis"))


@pytest.mark.parametrize(
    ("name", "missed", "taken"),
    [
        ("sensitive_third.txt", 3, 8),
        ("sensitive_fourth.txt", 2, 32),
        ("sensitive_fifth.txt", 0, 44),
        ("sensitive_sixth.txt", 5, 20),
        ("sensitive_seventh.txt", 2, 12),
        ("sensitive_eighth.txt", 0, 8),
        ("sensitive_ninth.txt", 2, 35),
        ("sensitive_tenth.txt", 0, 16),
        ("sensitive_eleventh.txt", 0, 10),
        ("sensitive_twelfth.txt", 0, 8),
        ("sensitive_thirteenth.txt", 6, 14),
        ("sensitive_fourteenth.txt", 5, 21),
    ],
)
def test_of_sentences_that_it_was_not_taught_no_more_is_missed_than_was_measured(
    name: str, missed: int, taken: int, memory: DriverMemory
) -> None:
    lines, guard = _lines(name), memory.session.guard
    through = [line for kind, line in lines if kind != "ordinary" and not guard.kinds(line)]
    stopped = [line for kind, line in lines if kind == "ordinary" and guard.kinds(line)]
    # nobody has read the sentences: what fails is counted and not shown
    assert len(through) <= missed
    assert len(stopped) <= taken


def test_ordinary_sentences_are_left_alone(memory: DriverMemory) -> None:
    """Of the half for tuning; they were chosen to be mistaken."""
    lines = [line for kind, line in LINES if kind == "ordinary" and half(line) == "tuned"]
    taken = [line for line in lines if memory.session.guard.kinds(line)]
    assert len(taken) <= 0.12 * len(lines), taken


def test_a_second_writing_is_told_too(memory: DriverMemory) -> None:
    telling_ = [line for kind, line in AGAIN if kind != "ordinary"]
    assert len(telling_) >= 150
    assert not [line for line in telling_ if not memory.session.guard.kinds(line)]


def test_a_second_writing_of_what_is_ordinary_is_left_alone(memory: DriverMemory) -> None:
    """A third of these lines were chosen to be mistaken ("i'm allergic to slow drivers")."""
    lines = [line for kind, line in AGAIN if kind == "ordinary"]
    taken = [line for line in lines if memory.session.guard.kinds(line)]
    assert len(lines) >= 280 and len(taken) <= 0.06 * len(lines), taken


def test_a_word_that_is_spelled_out_is_told() -> None:
    assert special_words("i take s e r t r a l i n e every day").surely == {"health"}
    assert not special_words("play a b c by the jackson five").surely


@pytest.mark.parametrize(
    "text",
    [
        "i like turkish coffee",
        "i had a great meal in italy",
        "i'm from the office",
        "my wife's indian cooking is great",
    ],
)
def test_a_people_or_a_country_alone_tells_nothing(text: str) -> None:
    told = special_words(text)
    assert not told.surely and not told.maybe


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("my mother is from the congo", "origin"), ("we in the GMB get a discount", "union"), ("my MS is bad today", "health"),
        ("i grew up in ghana so i like it hot", "origin"), ("drive me to the CDU party convention", "politics"),
    ],
)  # fmt: skip
def test_a_term_tells_its_kind(text: str, kind: str) -> None:
    assert kind in special_words(text).surely


@pytest.mark.parametrize("text", ["remember that the spare key is under the mat", "the hospital is on the left side"])
def test_what_is_asked_to_be_kept_or_names_a_place_tells_nothing(memory: DriverMemory, text: str) -> None:
    assert not memory.session.guard.kinds(text)


def test_a_word_that_is_also_a_place_tells_where_the_sentence_does(memory: DriverMemory) -> None:
    guard = memory.session.guard
    assert (
        special_words("the clinic wants me back").maybe
        == special_words("the clinic is on the left").maybe
        == {"health"}
    )
    assert guard.kinds("the clinic wants me back on thursday") == {"health"}
    assert not guard.kinds("the clinic is behind the station")


def test_the_end_of_a_long_text_is_read_too(memory: DriverMemory) -> None:
    long = "we drove along the coast and had the windows open and the music on and talked about the holidays " * 3
    assert not memory.session.guard.kinds(long)
    assert memory.session.guard.kinds(f"{long} and then i had to stop since the infusion makes me shiver") == {"health"}


def test_a_long_word_is_read_in_time_that_grows_with_its_length() -> None:
    began = time.process_time()
    assert not special_words("x" * 2_000_000).terms
    assert time.process_time() - began < 10
