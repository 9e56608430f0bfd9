"""What the screen says: the same keys in every language, a title for every action and a word for every value of its slots."""

from __future__ import annotations

import re
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from memory.learn.english.vocabulary import CLOSED
from memory.screen.wording import LANGUAGES, NAMELESS, Wording, sentences, short
from schemas.actions import ACTIONS
from schemas.memory import Sense
from schemas.preferences import CATEGORIES, MAIN_TITLES, SUB_TITLES, Category
from vehicle.policy import ROWS, Verdict

FREE = {"digits", "genre", "artist",
        "song", "station", "show", "playlist", "destination", "quality", "stop", "place", "label", "what",
        "person", "other", "message", "about", "near"}  # fmt: skip
"""Slots that hold the driver's words."""


@pytest.fixture(params=LANGUAGES)
def words(request: pytest.FixtureRequest) -> Wording:
    return Wording(request.param, UTC)


def test_every_language_has_the_same_sentences_with_the_same_places() -> None:
    english = sentences("en")
    for language in LANGUAGES[1:]:
        other = {k: v for k, v in sentences(language).items() if not k.startswith(("category.", "word.", "gate."))}
        english = {
            k: v for k, v in english.items() if not k.startswith("word.")
        }  # a language has words where it needs them
        assert set(other) == set(english)
        for key, text in english.items():
            assert set(re.findall(r"{\w+}", str(text))) == set(re.findall(r"{\w+}", str(other[key]))), key
        titles = {f"category.{key}" for c in CATEGORIES for key in (*c.path,)}
        assert {c.detail for c in CATEGORIES} == {k.partition(".")[2] for k in english if k.startswith("description.")}
        assert titles == {k for k in sentences(language) if k.startswith("category.")}
        assert set(MAIN_TITLES) | set(SUB_TITLES) <= {k.partition(".")[2] for k in titles}


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.detail)
def test_every_value_of_every_category_is_told_in_a_sentence(words: Wording, category: Category) -> None:
    """In every sense; in German nothing English is left of a value that is no name."""
    closed = CLOSED[category.detail].values if category.detail in CLOSED else ()
    for value in (*category.examples, *closed):
        for sense in ("", *Sense):
            told = words.in_sense(category.detail, value, sense)
            assert " " in told and "{" not in told and told[0].isupper() and told != value, told
        named = category.detail in str(words("names")).split()
        if words.language == "de" and not named and category.detail != "preferred_temperature":
            assert f"word.{value.replace(' ', '_')}" in sentences("de"), value
        known = (*category.examples, *closed)
        back = words.meant_by(category.detail, f" {words.value(category.detail, value).upper()} ")
        assert back == value or (
            words.value(category.detail, back) == words.value(category.detail, value) and back in known
        )


def test_names_stand_with_capitals_and_other_words_as_they_were_said() -> None:
    english, german = Wording("en", UTC), Wording("de", UTC)
    assert english.in_sense("favorite_artists_or_bands", "miles davis") == "You like to hear Miles Davis"
    assert german.in_sense("general_news_source", "bbc") == "Nachrichten bekommst du von BBC"
    assert german.in_sense("favourite_cuisine", "swabian") == "Du isst gern swabian"
    assert german.meant_by("favourite_cuisine", "Italienisch") == "italian"
    assert german.meant_by("favourite_cuisine", " swabian ") == "swabian"
    assert german.in_sense("favorite_genres", "jazz", "avoids") == "Jazz hörst du lieber nicht"
    assert english.in_sense("seat_heating_preferences", "high", "dislikes") == "Seat heating: not high"


def values(schema: dict[str, Any], defs: dict[str, Any]) -> list[Any]:
    """What a slot may hold: its fixed values, or one of its type."""
    schema = defs[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if "enum" in schema or "const" in schema:
        return [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]
    if "anyOf" in schema:
        return [value for one in schema["anyOf"] for value in values(one, defs)]
    return {"boolean": [True, False], "integer": [2], "number": [21.5], "string": ["jazz"]}.get(
        schema.get("type", ""), []
    )


def test_every_action_has_a_title_and_every_value_a_word(words: Wording) -> None:
    own = sentences(words.language)
    for action in ACTIONS:
        assert f"action.{action.name}" in own
        schema = action.model_json_schema()
        for name, slot in schema["properties"].items():
            for value in values(slot, schema.get("$defs", {})):
                if name in {"hour", "minute", "half", "date"}:
                    continue
                told = words.act(action.name, {name: value})
                assert "_" not in told and "{" not in told and told.startswith(f"{own[f'action.{action.name}']}: "), (
                    told
                )
                if isinstance(value, str) and name not in FREE:
                    assert own[f"value.{value}"] in told


@pytest.mark.parametrize(("action", "slots", "english", "german"), [
    ("set_temperature", {"celsius": 21.5, "zone": "driver"}, "Temperature: 21.5 °C, driver", "Temperatur: 21,5 °C, Fahrer"),
    ("set_door_locks", {"locked": False}, "Doors: unlocked", "Türen: entriegelt"),
    ("set_trunk", {"open": True}, "Trunk: open", "Kofferraum: offen"),
    ("set_charge_timer", {"on": True, "hour": 7, "minute": 5, "half": "pm"}, "Charging timer: on, 19:05", "Ladezeit: an, 19:05"),
    ("set_reminder", {"what": "milk", "hour": 12, "half": "am"}, "Reminder: “milk”, 0:00", "Erinnerung: „milk“, 0:00"),
    ("set_reminder", {"what": "card", "hour": 9, "half": "am", "date": "2027-06-07"},
     "Reminder: “card”, 9:00, 7 Jun 2027", "Erinnerung: „card“, 9:00, 7. Juni 2027"),
    ("set_seat_heating", {"level": 2, "zone": "all"}, "Seat heating: level 2, all", "Sitzheizung: Stufe 2, alle"),
    ("undo", {}, "Taken back", "Zurückgenommen"),
    ("some_new_thing", {}, "some new thing", "some new thing"),
])  # fmt: skip
def test_acts_are_told(action: str, slots: dict[str, Any], english: str, german: str) -> None:
    assert (Wording("en", UTC).act(action, slots), Wording("de", UTC).act(action, slots)) == (english, german)


def test_spans_of_time_are_told_in_the_unit_that_fits() -> None:
    words = Wording("en", UTC)
    told = [words.span(days) for days in (1, 7, 30, 90, 182, 365, 540, 730)]
    assert told == ["one day", "7 days", "one month", "3 months", "6 months", "one year", "18 months", "2 years"]


@pytest.mark.parametrize(("language", "shut", "wide"), [("en", "closed", "open"), ("de", "zu", "offen")])
def test_what_is_open_or_closed_is_called_so_and_a_volume_is_a_number(language: str, shut: str, wide: str) -> None:
    words = Wording(language, UTC)
    for action in ("set_window", "set_sunroof", "set_sunshade"):
        assert words.act(action, {"percent": 0}).endswith(f": {shut}") and words.act(action, {"percent": 100}).endswith(
            wide
        )
        assert "40" in words.act(action, {"percent": 40})
    assert "0" in words.act("set_volume", {"percent": 0})


def test_temperatures_are_told_in_the_locale_s_unit_and_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    warm = "preferred_temperature"
    english, german = Wording("en", UTC), Wording("de", UTC)
    assert (english.value(warm, "20.5 degrees"), german.value(warm, "20.5 degrees")) == ("20.5 °C", "20,5 °C")
    assert german.value("favorite_songs", "98.6 degrees") == "98.6 Degrees" and german.value(warm, "mild") == "mild"
    american = {**sentences("en"), "temperature.unit": "fahrenheit", "temperature.told": "{value} °F"}
    monkeypatch.setattr(english, "_own", american)
    assert english.value(warm, "22 degrees") == "72 °F"


OF_TILES = {"change_temperature", "set_climate", "set_playback", "set_guidance", "set_window", "cancel_timer"}
"""What the buttons of the tiles ask for (``memory.screen.assistant.tiles``)."""


def test_a_german_page_says_in_german_why_a_tile_s_button_is_refused_or_asked_about() -> None:
    words = Wording("de", UTC)
    rules = {row.rule for row in ROWS if row.action in OF_TILES and set(row.verdicts.values()) != {Verdict.ALLOW}}
    assert rules
    assert [
        rule for rule in sorted(rules | {"silent", "too_often", "not_fitted"}) if not words.has(f"gate.{rule}")
    ] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("the airport", "the airport"),
        ("  the airport  ", "the airport"),
        ("the airport by the long way round", "the airport by the…"),
        (" Donaudampfschifffahrtsgesellschaft", "Donaudampfschifffah…"),
        (", ,,,,,,,,,,,,,,,,,,,,,,,,,,,,", ",…"),
    ],
)
def test_what_is_cut_leaves_more_than_the_mark_of_it(text: str, told: str) -> None:
    assert short(text, 20) == told


SAME = """
name direction temperature.unit temperature.told temperature.fahrenheit pager.where closed.likes manners.celsius
manners.fahrenheit drivers.has_pin drivers.pin_change pin.title action.play_radio action.play_podcast action.get_navigation
action.set_timer slot.celsius slot.percent slot.seconds slot.number value.orange value.bluetooth value.usb value.normal far
tile.route tile.window tile.left hand.kind.bluetooth
""".split()
"""Keys of words that are the same in English and in German."""


def test_no_english_stands_in_the_german_files() -> None:
    english, german = sentences("en"), sentences("de")
    same = {key for key, text in english.items() if german.get(key) == text and re.search("[a-z]", str(text))}
    assert same - set(SAME) == set()


def test_no_template_says_anything_itself() -> None:
    """All that pages say stands in the locale files: a template holds no word but names, and the names of the languages."""
    found: dict[str, list[str]] = {}
    for file in (Path(__file__).parents[4] / "memory" / "screen" / "templates").glob("*.html"):
        text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", file.read_text("utf-8"), flags=re.DOTALL)
        shown = [*re.findall(r"(?:aria-label|title|alt|placeholder)=\"([^\"]*)\"", text), re.sub(r"<[^>]*>", " ", text)]
        words = [word for part in shown for word in re.findall(r"[^\W\d_]{2,}", part)]
        if left := [word for word in words if word != "MB"]:
            found[file.name] = left
    assert found == {}


def test_no_text_of_a_page_is_a_programmers_word() -> None:
    """No name of a variable, and no value of a language that programs are written in."""
    for language in LANGUAGES:
        told = {key: re.sub(r"\{\w+\}", "", str(text)) for key, text in sentences(language).items() if key != "names"}
        assert {
            key for key, text in told.items() if re.search(r"\b(\w+_\w+|null|undefined|true|false)\b", text)
        } == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_driver_is_called_as_a_person_is(language: str) -> None:
    words = Wording(language, UTC)
    called = [words.person(name) for name in ("ada", "anna-lena", "jo_ann", NAMELESS)]
    assert called == ["Ada", "Anna-Lena", "Jo Ann", {"en": "Driver", "de": "Fahrer"}[language]]
