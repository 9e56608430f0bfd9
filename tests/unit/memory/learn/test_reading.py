"""What the encoder makes of a conversation, and what extraction does with it when the encoder reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.learn.english.negation import series
from memory.learn.evidence import Beside, ReadingSettings, read
from memory.learn.extraction import Extraction, ExtractionSettings, Extractor
from models.runtime.fake_encoder import KeywordEncoder
from schemas.kinds import Marked
from schemas.memory import Consent, Conversation, Outcome, Turn, Words
from schemas.preferences import BY_DETAIL, CATEGORIES

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
JAZZ, FOOD, FAN, STATION = "favorite_genres", "favourite_cuisine", "fan_speed_preferences", "preferred_radio_station"


@dataclass
class Said:
    """What the encoder is made to think of a text."""

    shares: Mapping[str, float] = field(default_factory=dict[str, float])
    strength: str = "stated"
    sure: float = 0.9
    words: Mapping[str, Sequence[tuple[str, float]]] = field(default_factory=dict[str, Sequence[tuple[str, float]]])
    choices: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])


class Stated(KeywordEncoder):
    """A fake encoder with stated opinions of stated texts; everything else tells nothing."""

    def __init__(self, texts: Mapping[str, Said]) -> None:
        self.texts = texts

    def topics(self, text: str) -> dict[str, float]:
        said = self.texts.get(text, Said(sure=0.0))
        rest = 1.0 - sum(said.shares.values())
        spread = {c.detail: rest / len(CATEGORIES) + said.shares.get(c.detail, 0.0) for c in CATEGORIES}
        return {**{detail: share * said.sure for detail, share in spread.items()}, "none": 1.0 - said.sure}

    def strength(self, text: str) -> dict[str, float]:
        said = self.texts.get(text, Said(sure=0.0))
        return {"none": 1.0 - said.sure, "hinted": 0.0, "stated": 0.0, "ended": 0.0, said.strength: said.sure}

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        found = self.texts.get(text, Said()).words.get(detail, ())
        return tuple(Words(text=words, probability=probability) for words, probability in found)

    def marks(self, text: str) -> Marked:
        return Marked(text)  # the encoder alone is what these tests are about

    def choices(self, text: str, detail: str) -> dict[str, float]:
        return dict(self.texts.get(text, Said()).choices.get(detail, {}))


LOVES = "i love jazz"
ASKS = "find me some thai food"
ONE = {
    LOVES: Said({JAZZ: 0.9}, words={JAZZ: [("jazz", 0.9)]}),
    ASKS: Said({FOOD: 0.95}, strength="hinted", words={FOOD: [("thai", 0.8)]}),
}


def extract(texts: Mapping[str, Said], *turns: str, consent: Consent | None = None, **settings: Any) -> Extraction:
    said = tuple(Turn(speaker="driver", text=text, at=NOW + timedelta(minutes=n)) for n, text in enumerate(turns))
    made = Extractor(Stated(texts), ExtractionSettings(**settings))
    return made.extract(Conversation(id="trip", turns=said), consent or Consent(), NOW)


def test_a_turn_is_found_with_its_words() -> None:
    (finding,) = read(Stated(ONE), ["how far is it", LOVES], ReadingSettings())
    assert (finding.number, finding.detail, finding.main, finding.ended) == (1, JAZZ, True, False)
    assert finding.words[0].text == "jazz" and 0.7 < finding.sure(0.5) <= 0.9


def test_no_turns_give_no_findings() -> None:
    assert read(Stated(ONE), [], ReadingSettings()) == []


def test_a_hint_beside_a_statement_is_not_taken_and_a_statement_beside_a_hint_is() -> None:
    findings = read(Stated(ONE), [LOVES, ASKS], ReadingSettings())
    details = {finding.detail: finding.main for finding in findings}
    assert details in ({JAZZ: True}, {JAZZ: False, FOOD: True})
    assert [finding.detail for finding in read(Stated(ONE), [ASKS], ReadingSettings())] == [FOOD]


def test_a_hint_is_less_sure_than_a_statement() -> None:
    (hint,) = read(Stated(ONE), [ASKS], ReadingSettings())
    assert hint.sure(0.5) == pytest.approx(hint.sure(1.0) / 2) and hint.sure(0.0) == 0.0


def test_what_the_conversation_is_about_decides_between_neighbours() -> None:
    whole = f"what's on the radio {ASKS}"
    texts = {
        ASKS: Said({FOOD: 0.45, STATION: 0.5}),
        whole: Said({FOOD: 0.95}),
        f"music please {ASKS}": Said({STATION: 0.95}),
    }
    first = read(Stated(texts), ["what's on the radio", ASKS], ReadingSettings(context=1.0, before=0.0))
    second = read(Stated(texts), ["music please", ASKS], ReadingSettings(context=1.0, before=0.0))
    assert (first[0].detail, second[0].detail) == (FOOD, STATION)
    alone = read(Stated(texts), ["what's on the radio", ASKS], ReadingSettings(context=0.0, before=0.0))
    assert alone[0].detail == STATION


def test_of_a_long_conversation_the_last_words_tell_what_it_is_about() -> None:
    long = " ".join(["what's on the radio"] * 20)
    texts = {ASKS: Said({FOOD: 0.5, STATION: 0.45}), " ".join(f"{long} {ASKS}".split()[-45:]): Said({STATION: 0.95})}
    settings = ReadingSettings(context=1.0, before=0.0)
    assert read(Stated(texts), [long, ASKS], settings)[0].detail == STATION
    assert read(Stated(texts), ["no", ASKS], settings)[0].detail == FOOD


def test_a_turn_that_agrees_with_what_is_around_it_goes_before_a_clearer_one() -> None:
    clear, fitting = "i prefer blue ridge", "i like it warm"
    texts = {
        clear: Said({JAZZ: 0.95}),
        fitting: Said({STATION: 0.5, JAZZ: 0.45}),
        f"{clear} {fitting}": Said({STATION: 0.6, JAZZ: 0.1}),
    }
    for agreement, expected in ((0.0, JAZZ), (1.0, STATION)):
        settings = ReadingSettings(context=1.0, before=0.0, agreement=agreement)
        assert read(Stated(texts), [clear, fitting], settings)[0].detail == expected


def test_the_turn_before_decides_between_neighbours() -> None:
    name = "i prefer blue ridge"
    texts = {name: Said({FOOD: 0.45, STATION: 0.5}), f"where can we eat {name}": Said({FOOD: 0.95})}
    turns = ["how far is it", "where can we eat", name]
    assert read(Stated(texts), turns, ReadingSettings(context=0.0, before=1.0))[0].detail == FOOD
    assert read(Stated(texts), turns, ReadingSettings(context=0.0, before=0.0))[0].detail == STATION
    long = " ".join(["where can we eat"] * 20)
    cut = " ".join(f"{long} {name}".split()[-45:])
    found = read(Stated({**texts, cut: Said({FOOD: 0.95})}), [long, name], ReadingSettings(context=0.0, before=1.0))
    assert found[0].detail == FOOD


def test_what_the_assistant_said_next_to_a_turn_decides_between_neighbours() -> None:
    unclear = Said({JAZZ: 0.4, STATION: 0.45})
    said = {"blue ridge always": unclear, "tuning in": Said({STATION: 0.9}), "shuffling": Said({JAZZ: 0.9})}
    for beside, expected in (
        (Beside(after="shuffling"), JAZZ),
        (Beside(before="shuffling"), JAZZ),
        (Beside(after="tuning in"), STATION),
        (Beside(), STATION),
    ):
        found = read(Stated(said), ["blue ridge always"], ReadingSettings(), beside=[beside])
        assert found[0].detail == expected


def test_the_assistant_s_words_are_never_findings_of_their_own() -> None:
    said = {"yes": Said({JAZZ: 0.5}, strength="none", sure=0.9), "you love jazz": Said({JAZZ: 0.95})}
    talk = Conversation(
        id="c",
        turns=(
            Turn(speaker="assistant", text="you love jazz", at=NOW),
            Turn(speaker="driver", text="yes", at=NOW),
            Turn(speaker="assistant", text="you love jazz", at=NOW),
        ),
    )
    found = Extractor(Stated(said)).extract(talk, Consent(), NOW)
    assert not found.candidates and not found.unsure


def test_an_empty_turn_does_not_shift_what_was_said_beside_the_others() -> None:
    said = {
        "blue ridge always": Said({JAZZ: 0.4, STATION: 0.45}, words={JAZZ: [("blue ridge", 0.9)]}),
        "shuffling": Said({JAZZ: 0.95}),
    }
    turns = [("driver", ""), ("assistant", ""), ("driver", "blue ridge always"), ("assistant", "shuffling")]
    talk = Conversation(id="c", turns=tuple(Turn(speaker=who, text=text, at=NOW) for who, text in turns))
    found = Extractor(Stated(said)).extract(talk, Consent(), NOW)
    assert [c.detail for c in (*found.candidates, *found.unsure)] == [JAZZ]


def test_a_finding_without_a_value_gives_way_to_the_next_best() -> None:
    warm, text = "preferred_temperature", "keep it pleasant"
    texts = {text: Said({warm: 0.9}), LOVES: Said({JAZZ: 0.6}, words={JAZZ: [("jazz", 0.9)]})}
    assert read(Stated(texts), [text, LOVES], ReadingSettings(beside_at=1.0))[0].detail == warm
    passed = read(Stated(texts), [text, LOVES], ReadingSettings(beside_at=1.0), [(0, warm)])
    assert (passed[0].detail, passed[0].number) == (JAZZ, 1)
    found = extract(texts, text, LOVES, store_at=0.3)
    assert [candidate.value for candidate in found.candidates] == ["jazz"]


def test_a_second_category_of_a_turn_needs_words_of_its_own() -> None:
    both = "i love jazz and thai food"
    apart = Said({JAZZ: 0.55, FOOD: 0.44}, words={JAZZ: [("jazz", 0.9)], FOOD: [("thai", 0.9)]})
    same = Said({JAZZ: 0.55, STATION: 0.44}, words={JAZZ: [("jazz", 0.9)], STATION: [("jazz", 0.8)]})
    assert {f.detail for f in read(Stated({both: apart}), [both], ReadingSettings(beside_at=0.3))} == {JAZZ, FOOD}
    assert {f.detail for f in read(Stated({both: same}), [both], ReadingSettings(beside_at=0.3))} == {JAZZ}


@pytest.mark.parametrize(("sure", "where"), [(0.9, "candidates"), (0.4, "unsure"), (0.05, "decisions")])
def test_sure_is_stored_unsure_is_asked_and_the_rest_is_dropped(sure: float, where: str) -> None:
    texts = {LOVES: Said({JAZZ: 1.0}, sure=sure, words={JAZZ: [("jazz", 0.9)]})}
    found = extract(texts, LOVES, store_at=0.7, ask_at=0.3)
    counts = {name: len(getattr(found, name)) for name in ("candidates", "unsure")}
    assert counts == {name: int(name == where) for name in counts}
    for candidate in (*found.candidates, *found.unsure):
        assert (candidate.detail, candidate.value, candidate.sentence) == (JAZZ, "jazz", LOVES)


def test_a_multi_category_takes_every_value_and_a_single_one_the_likeliest() -> None:
    text = "i love jazz and blues on kiss fm or radio one"
    words = {JAZZ: [("jazz", 0.9), ("blues", 0.8), ("kiss", 0.1)], STATION: [("kiss fm", 0.9), ("radio one", 0.8)]}
    many = extract({text: Said({JAZZ: 0.95}, words=words)}, text)
    assert [candidate.value for candidate in many.candidates] == ["jazz", "blues"]
    one = extract({text: Said({STATION: 0.95}, words=words)}, text)
    assert [candidate.value for candidate in one.candidates] == ["kiss fm"]


@pytest.mark.parametrize(("text", "parts", "together"), [
    ("i like jazz, soul and some blues but not in taipei", ["soul", "taipei", "blues", "jazz"], ["jazz", "soul", "blues"]),
    ("jazz when i drive and blues at home", ["blues", "jazz"], ["blues"]),
    ("i like jazz", ["jazz"], ["jazz"]),
    ("Jazz   and  Rock", ["rock", "jazz"], ["jazz", "rock"]),
    ("something else", ["jazz"], ["jazz"]),
])  # fmt: skip
def test_values_are_taken_together_where_they_are_named_together(
    text: str, parts: list[str], together: list[str]
) -> None:
    assert series(text, parts) == together


def test_a_closed_value_is_the_encoder_s_choice() -> None:
    text = "i like a gentle breeze"
    said = Said({FAN: 0.95}, choices={FAN: {"low": 0.9, "high": 0.1}})
    (candidate,) = extract({text: said}, text).candidates
    assert (candidate.detail, candidate.value) == (FAN, "low")


def test_a_value_whose_words_are_not_found_is_not_made_up() -> None:
    found = extract({LOVES: Said({JAZZ: 0.95})}, LOVES)
    assert found.candidates == () and "could not tell which" in found.decisions[0].reason


def test_what_has_ended_is_negated() -> None:
    text = "jazz is not my thing these days"
    said = Said({JAZZ: 0.95}, strength="ended", words={JAZZ: [("jazz", 0.9)]})
    (candidate,) = extract({text: said}, text).candidates
    assert candidate.negated


def test_a_forbidden_category_takes_the_conversation_with_it() -> None:
    consent = Consent(opted_out=frozenset({"favorite_genres"}))
    hint = Said({FOOD: 0.6, JAZZ: 0.2}, strength="hinted", sure=0.6, words={FOOD: [("thai", 0.9)]})
    found = extract({LOVES: ONE[LOVES], ASKS: hint}, LOVES, ASKS, consent=consent, ask_at=0.05)
    assert found.candidates == () == found.unsure
    assert {decision.outcome for decision in found.decisions} == {Outcome.REFUSED}
    assert all("jazz" not in decision.reason for decision in found.decisions)


@pytest.mark.parametrize(("confidence", "refusals"), [(0.9, 1), (0.2, 0)])
def test_a_refusal_of_what_was_hardly_heard_is_not_told(confidence: float, refusals: int) -> None:
    turn = Turn(speaker="driver", text=LOVES, at=NOW, confidence=confidence)
    consent = Consent(opted_out=frozenset({BY_DETAIL[JAZZ].sub}))
    talk = Conversation(id="c", turns=(turn,))
    found = Extractor(Stated(ONE)).extract(talk, consent, NOW)
    assert not found.candidates and not found.unsure
    assert [d.outcome for d in found.decisions] == [Outcome.REFUSED] * refusals


def test_orders_to_memory_are_not_read() -> None:
    text = "stop remembering jazz"
    assert extract({text: Said({JAZZ: 0.95}, words={JAZZ: [("jazz", 0.9)]})}, text) == Extraction()


@pytest.mark.parametrize(("value", "where"), [("thai", "candidates"), ("napkin", "unsure")])
def test_a_cuisine_that_is_none_is_asked_about(value: str, where: str) -> None:
    text = f"i love {value} food"
    texts = {text: Said({FOOD: 0.95}, words={FOOD: [(value, 0.9)]})}
    found = extract(texts, text, store_at=0.6, ask_at=0.1)
    assert [candidate.value for candidate in getattr(found, where)] == [value]
    assert len(found.candidates) + len(found.unsure) == 1


@pytest.mark.parametrize(("detail", "text", "said", "ended"), [
    ("dietary_preference", "somewhere with no vegan rules", "no vegan rules", True),
    ("dietary_preference", "a place with vegan dishes", "vegan", False),
    ("dietary_preference", "nothing with gluten so no gluten please", "no gluten", False),
    (JAZZ, "no jazz for me", "no jazz", True),
])  # fmt: skip
def test_a_kind_of_thing_named_in_order_to_refuse_it(detail: str, text: str, said: str, ended: bool) -> None:
    texts = {text: Said({detail: 0.95}, words={detail: [(said, 0.9)]})}
    consent = Consent(opted_in=frozenset({"dietary_preference"}))
    found = extract(texts, text, consent=consent, store_at=0.3)
    assert [candidate.negated for candidate in (*found.candidates, *found.unsure)] == [ended]
    assert bool(found.unsure) is ended, "the encoder does not say so: the driver is asked"
