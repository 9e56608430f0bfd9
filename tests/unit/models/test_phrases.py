"""The phrase bank is complete and well formed, and what is generated from it is true to its gold answers."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
import yaml

from models.training import conversations, phrases
from schemas.actions import ACTIONS, parse_action
from schemas.preferences import CATEGORIES

SIDES = [False, True]


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - repeatable on purpose


def test_every_category_has_its_phrases() -> None:
    assert list(phrases.topics()) == [category.detail for category in CATEGORIES]
    for topic in phrases.topics().values():
        assert len(topic.reveals.patterns) + len(topic.reveals.sentences) >= 20, topic.detail
        assert len(topic.negations.patterns) + len(topic.negations.sentences) >= 4, topic.detail
        assert len(topic.changes.patterns) + len(topic.changes.sentences) >= 2, topic.detail


def test_no_sentence_stands_in_two_categories() -> None:
    seen: dict[str, str] = {}
    for topic in phrases.topics().values():
        for sentence in topic.reveals.sentences:
            assert seen.setdefault(sentence.text, topic.detail) == topic.detail


def test_sentences_carry_only_values_that_the_category_lists_or_that_are_new_in_an_open_one() -> None:
    for topic in phrases.topics().values():
        listed = {value.canonical for value in topic.values}
        said = {s.canonical for lines in (topic.reveals, topic.negations, topic.changes) for s in lines.sentences}
        assert said <= listed or len(listed) >= phrases.OPEN_VALUES, (topic.detail, said - listed)


def test_every_action_can_be_asked_for_in_several_ways() -> None:
    ways: dict[str, int] = {}
    for phrasing in phrases.requests():
        ways[phrasing.action] = ways.get(phrasing.action, 0) + len(phrasing.say)
    assert list(ways) == [action.name for action in ACTIONS]
    assert min(ways.values()) >= 20


def test_there_are_enough_negatives() -> None:
    lines = [line for group in phrases.negatives() for line in group.lines]
    assert len(set(lines)) == len(lines) >= 200


def test_the_held_out_part_is_a_fifth_and_apart() -> None:
    items = [f"line {number}" for number in range(50)]
    trained, held_out = phrases.part(items, held_out=False), phrases.part(items, held_out=True)
    assert len(held_out) == 10
    assert set(trained) | set(held_out) == set(items)
    assert not set(trained) & set(held_out)


@pytest.mark.parametrize(
    ("marked", "reason"),
    [("no mark at all", "mark"), ("[one] and [two]", "mark"), ("an [open one", "mark"), ("an [] empty one", "mark")],
)
def test_a_sentence_marks_its_value_once(
    marked: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = {"favorite_genres": {"values": {"jazz": ["jazz"]}, "sentences": {"jazz": [marked]}}}
    (tmp_path / "music.yaml").write_text(yaml.safe_dump(topic), "utf-8")
    monkeypatch.setattr(phrases, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=reason):
        phrases.topics.__wrapped__()


@pytest.mark.parametrize("line", ["With A Capital", "with 2 digits", "with, a comma", "with {another} slot"])
def test_lines_are_in_spoken_form(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = {"openings": {}, "named": {"likes": [line], "picks": []}}
    (tmp_path / "contexts.yaml").write_text(yaml.safe_dump(named), "utf-8")
    monkeypatch.setattr(phrases, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="spoken form"):
        phrases.contexts.__wrapped__()


@pytest.mark.parametrize("held_out", SIDES)
def test_statements_hold_the_words_of_their_value(held_out: bool) -> None:
    made = conversations.statements(seeded(1), 3000, held_out=held_out)
    assert {statement.detail for statement in made} == set(phrases.topics())
    for statement in made:
        assert statement.said in statement.text
        assert phrases.SPOKEN.fullmatch(statement.text), statement.text


def test_held_out_statements_share_no_pattern_with_the_trained_ones() -> None:
    def bare(held_out: bool) -> set[tuple[str, str]]:
        made = conversations.statements(seeded(2), 4000, held_out=held_out)
        return {(s.detail, s.text.replace(s.said, "*")) for s in made}

    assert len(bare(True)) > 500
    assert len(bare(True) & bare(False)) < 5  # two different sentences may be alike once their marked words are gone


@pytest.mark.parametrize("held_out", SIDES)
def test_requests_are_valid_actions(held_out: bool) -> None:
    made = conversations.requests(seeded(1), 3000, held_out=held_out)
    assert {request.intent for request in made} == {action.name for action in ACTIONS}
    for request in made:
        assert phrases.SPOKEN.fullmatch(request.text), request.text
        if request.action is None:
            assert request.slots is None
        else:
            assert request.slots is not None
            parse_action(request.action, dict(request.slots))


def test_words_in_slots_come_from_the_text_or_the_facts() -> None:
    for request in conversations.requests(seeded(3), 3000):
        known = " ".join((request.text, *request.facts))
        for slot in ("genre", "artist", "song", "station", "show", "destination"):
            value = (request.slots or {}).get(slot)
            assert value is None or value in known, request


def test_a_remembered_fact_completes_a_vague_request() -> None:
    completed = [r for r in conversations.requests(seeded(4), 2000) if any("favourite_cuisine" in f for f in r.facts)]
    hungry = [r for r in completed if (r.slots or {}).get("kind") == "restaurant" and "quality" in (r.slots or {})]
    assert any(f"favourite_cuisine: {r.slots['quality']}" in r.facts for r in hungry if r.slots)


def test_the_same_seed_gives_the_same_text() -> None:
    assert conversations.conversations(seeded(5), 50) == conversations.conversations(seeded(5), 50)
    assert conversations.conversations(seeded(5), 50) != conversations.conversations(seeded(6), 50)


@pytest.mark.parametrize("noisy", [False, True])
def test_conversations_hold_their_gold(noisy: bool) -> None:
    made = conversations.conversations(seeded(7), 400, noisy=noisy)
    assert {len(dialogue.gold) for dialogue in made} == {0, 1, 2}
    for dialogue in made:
        assert 2 <= len(dialogue.turns) <= 8
        assert dialogue.turns[0][0] == "driver"
        driver = [text for speaker, text in dialogue.turns if speaker == "driver"]
        for gold in dialogue.gold:
            assert gold.said in driver[gold.turn]


def test_mishearing_swallows_and_confuses_but_keeps_the_value() -> None:
    text = "i always want the air on my feet in the car"
    heard = conversations.misheard(seeded(1), text, keep="my feet", rate=0.9)
    assert heard != text
    assert "my feet" in heard
    assert conversations.misheard(seeded(1), text, rate=0.0) == text
    assert conversations.misheard(seeded(1), "it", rate=1.0) != ""


@pytest.mark.parametrize(("number", "words"), [(0, "zero"), (13, "thirteen"), (21, "twenty one"), (100, "one hundred")])
def test_numbers_are_spoken(number: int, words: str) -> None:
    assert conversations.spoken_number(number) == words


@pytest.mark.parametrize("number", [-1, 101])
def test_other_numbers_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match=str(number)):
        conversations.spoken_number(number)


def test_spoken_text_mixes_all_kinds() -> None:
    texts = conversations.spoken(seeded(8), 600)
    assert len(texts) == 600
    assert all(re.fullmatch(phrases.SPOKEN, text) for text in texts)
