"""The names of a driver's contacts and playlists are what can be said, in the place of the examples of the templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploy.car import RELATIONS, sayable
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from schemas.errors import ModelError
from vehicle.media import MediaLibrary
from vehicle.organizer import Contact, Organizer
from voice.asr import sphinx
from voice.asr.pocketsphinx import PocketSphinxRecognizer

ASR = Path(__file__).parents[4] / "models" / "builtin" / "asr"
PEOPLE = (
    Contact(name="Zyxa Quorl", also=("the boss",)),
    Contact(name="Anna Berg"),
    Contact(name="Anna Lund"),
)
SMALL = "intents: {call: {data: [{sentences: ['call {contact}', \"what's {contact_s} number\"]}]}}\nlists: {contact: {values: [anna]}, contact_s: {values: [\"anna's\"]}}"  # noqa: E501


def organizer() -> Organizer:
    return Organizer(lambda: 0.0, contacts=PEOPLE)


def test_first_names_are_names_where_they_are_one_contacts() -> None:
    assert organizer().people == ("Zyxa Quorl", "the boss", "Anna Berg", "Anna Lund", "Zyxa")


def test_relations_stay_and_nothing_changes_without_contacts() -> None:
    assert sayable({"contact": ("Zyxa",), "playlist": ()}) == {"contact": ("Zyxa", *RELATIONS), "playlist": ()}
    assert sayable({"contact": (), "playlist": ()}) == {"contact": (), "playlist": ()}
    assert load_templates(names={"contact": ()}).lists["contact"] == load_templates().lists["contact"]


def test_the_matcher_takes_the_names() -> None:
    names = sayable({"contact": organizer().people, "playlist": MediaLibrary.load().playlist_names()})
    matcher = TemplateMatcher(load_templates(names=names))
    for text, name, slots in (
        ("call zyxa quorl", "call_contact", {"person": "zyxa quorl"}),
        ("call the boss", "call_contact", {"person": "the boss"}),
        ("what's zyxa's number", "get_contact", {"person": "zyxa", "part": "phone"}),
        ("email anna lund that i'm running late", "send_email", {"person": "anna lund", "message": "i'm running late"}),
        ("call my sister", "call_contact", {"person": "my sister"}),
        ("play my quiet evening playlist", "play_playlist", {"playlist": "quiet evening"}),
    ):
        found = matcher.match(text)
        assert found is not None and (found.name, found.slots) == (name, slots), text
    assert matcher.match("call peter") is None
    assert matcher.match("play my workout playlist") is None


def test_the_recogniser_asks_how_a_name_sounds_that_no_dictionary_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(SMALL, encoding="utf-8")
    matcher = TemplateMatcher(load_templates(file, names={"contact": ("Zyxa",)}))
    asked: list[str] = []

    def guess(word: str) -> str:
        asked.append(word)
        return "Z IH K S AH"

    decoders: list[Any] = []

    class Noted(sphinx.Pass):
        def __init__(self, decoder: Any) -> None:
            super().__init__(decoder)
            decoders.append(decoder)

    monkeypatch.setattr(sphinx, "Pass", Noted)
    PocketSphinxRecognizer(ASR, matcher, guess=guess)
    assert asked == ["zyxa", "zyxa's"]
    assert [decoder.lookup_word("zyxa") for decoder in decoders] == ["Z IH K S AH"] * 2, (
        "the grammar's and the open one"
    )
    with pytest.raises(ModelError, match="zyxa"):
        PocketSphinxRecognizer(ASR, matcher)
