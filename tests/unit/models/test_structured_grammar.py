from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, create_model

from models.structured.grammar import Grammar, UnsupportedSchemaError, choices, leaves
from models.structured.words import MAX_SPAN, Sources, grounded, words
from schemas.actions import ACTIONS, Domain
from schemas.memory import MaintenanceChoice
from schemas.preferences import CATEGORIES, preference_model

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[a-z]\w*|\{\d+,\d+\}|[|()?]')


@lru_cache(maxsize=256)
def action_model(names: tuple[str, ...]) -> type[BaseModel]:
    """A model with every kind of slot: optional domains, each with its optional actions, in the order of ``ACTIONS``."""
    tree: dict[Domain, dict[str, Any]] = {}
    for action in ACTIONS:
        if action.name in names:
            field = (action | None, Field(default=None, description=action.description))
            tree.setdefault(action.domain, {})[action.name] = field
    domains: dict[str, Any] = {
        domain.value: (create_model(f"Domain_{domain}", __config__=ConfigDict(extra="forbid"), **fields) | None, None)
        for domain, fields in tree.items()
    }
    return create_model("Request", __config__=ConfigDict(extra="forbid"), **domains)


def as_regex(grammar: str) -> re.Pattern[str]:
    """Our grammars have no recursion, so each is a regular expression: an independent reading of GBNF."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.strip().split("\n"))

    def expand(body: str) -> str:
        parts: list[str] = []
        for token in TOKEN.findall(body):
            if token.startswith('"'):
                parts.append(re.escape(token[1:-1].replace('\\"', '"').replace("\\\\", "\\")))
            elif token[0].isalpha():
                parts.append(f"(?:{expand(rules[token])})")
            elif token == "(":
                parts.append("(?:")
            else:
                parts.append(token)
        return "".join(parts)

    return re.compile(expand(rules["root"]))


def accepts(grammar: Grammar, text: str) -> bool:
    return as_regex(grammar.text).fullmatch(text) is not None


def of_actions(*names: str, turns: tuple[str, ...] = ("play some jazz music",), facts: tuple[str, ...] = ()) -> Grammar:
    return Grammar(action_model(names).model_json_schema(), Sources.of(turns, facts))


def of_details(*details: str, turns: tuple[str, ...]) -> Grammar:
    return Grammar(preference_model(details).model_json_schema(), Sources.of(turns, ()))


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"climate":{"set_temperature":{"celsius":21.5}}}',
        '{"climate":{"set_temperature":{"celsius":16}}}',
        '{"climate":{"set_temperature":{"celsius":28,"zone":"driver"}}}',
        '{"climate":{"set_temperature":{"celsius":16},"set_air_conditioning":{"on":true}}}',
        '{"climate":{"set_air_conditioning":{"on":false}},"media":{"play_music":{}}}',
        '{"media":{"play_music":{"genre":"jazz music"}}}',
        '{"media":{"play_music":{"artist":"some","song":"jazz"}}}',
    ],
)
def test_a_slice_accepts_what_fits_it(text: str) -> None:
    assert accepts(of_actions("set_temperature", "set_air_conditioning", "play_music"), text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{ }",
        '{"climate":{}}',
        '{"climate":null}',
        '{"climate":{"set_temperature":{}}}',
        '{"climate":{"set_temperature":{"celsius":28.5}}}',
        '{"climate":{"set_temperature":{"celsius":21.3}}}',
        '{"climate":{"set_temperature":{"celsius":"21"}}}',
        '{"climate":{"set_temperature":{"zone":"driver","celsius":21}}}',
        '{"climate":{"set_temperature":{"celsius":21,"zone":"trunk"}}}',
        '{"climate": {"set_air_conditioning":{"on":true}}}',
        '{"climate":{"set_air_conditioning":{"on":true}},}',
        '{"media":{"play_music":{"genre":"rock"}}}',
        '{"media":{"play_music":{"genre":"music jazz"}}}',
        '{"media":{"play_music":{"genre":"jaz"}}}',
        '{"media":{"play_music":{"genre":""}}}',
        '{"media":{"play_music":{}},"climate":{"set_air_conditioning":{"on":true}}}',
        '{"openings":{"set_trunk":{"open":true}}}',
    ],
)
def test_a_slice_rejects_what_does_not(text: str) -> None:
    assert not accepts(of_actions("set_temperature", "set_air_conditioning", "play_music"), text)


def test_a_value_may_come_from_a_fact_but_its_name_may_not() -> None:
    grammar = of_actions("find_place", turns=("i'm hungry",), facts=("favourite_cuisine: Thai food",))
    place = '{"navigation":{"find_place":{"kind":"restaurant","quality":"%s"}}}'
    assert accepts(grammar, place % "thai food")
    assert accepts(grammar, place % "i'm hungry")
    assert not accepts(grammar, place % "favourite_cuisine")
    assert not accepts(grammar, place % "hungry thai")


def test_a_mention_is_words_of_its_own_turn() -> None:
    grammar = of_details("favorite_genres", "preferred_temperature", turns=("i love jazz", "make it warm"))
    music = '{"entertainment_and_media":{"music":{"favorite_genres":[{"turn":%d,"value":"%s"}]}}}'
    assert accepts(grammar, music % (0, "jazz"))
    assert accepts(grammar, music % (1, "warm"))
    assert not accepts(grammar, music % (1, "jazz"))
    assert not accepts(grammar, music % (2, "jazz"))


def test_lists_are_as_long_as_the_category_allows() -> None:
    grammar = of_details("favorite_genres", "preferred_temperature", turns=("a b",))
    item = '{"turn":0,"value":"a"}'
    music = '{"entertainment_and_media":{"music":{"favorite_genres":[%s]}}}'
    climate = '{"vehicle_settings_and_comfort":{"climate_control":{"preferred_temperature":[%s]}}}'
    assert [accepts(grammar, music % ",".join([item] * n)) for n in range(5)] == [False, True, True, True, False]
    assert [accepts(grammar, climate % ",".join([item] * n)) for n in range(3)] == [False, True, False]


def test_where_nothing_was_said_only_the_empty_answer_is_left() -> None:
    grammar = of_details("favorite_genres", turns=("", "..."))
    assert as_regex(grammar.text).pattern.count("value") == 0
    assert accepts(grammar, "{}")
    needs_words = of_actions("navigate_to", "cancel_navigation", turns=("?!",))
    assert accepts(needs_words, '{"navigation":{"cancel_navigation":{}}}')
    assert "navigate_to" not in needs_words.text


def test_spans_end_at_six_words_and_at_the_length_limit() -> None:
    said = "one two three four five six seven"
    grammar = of_actions("navigate_to", turns=(said,))
    go = '{"navigation":{"navigate_to":{"destination":"%s"}}}'
    assert accepts(grammar, go % " ".join(said.split()[:MAX_SPAN]))
    assert not accepts(grammar, go % said)
    long = of_actions("navigate_to", turns=("a" * 40 + " " + "b" * 40 + " " + "c" * 70,))
    assert accepts(long, go % ("a" * 40))
    assert not accepts(long, go % ("a" * 40 + " " + "b" * 40))
    assert not accepts(long, go % ("c" * 70))


def test_entries_are_the_numbers_of_the_facts() -> None:
    facts = ("category: favourite_cuisine", "0: italian", "3: thai", "new: italian food")
    grammar = Grammar(MaintenanceChoice.model_json_schema(), Sources.of(("i like italian",), facts))
    assert accepts(grammar, '{"decision":"pass","entry":0}')
    assert accepts(grammar, '{"decision":"update","entry":3}')
    assert accepts(grammar, '{"decision":"append"}')
    assert not accepts(grammar, '{"decision":"pass","entry":1}')
    alone = Grammar(MaintenanceChoice.model_json_schema(), Sources.of(("i like italian",), ("new: italian",)))
    assert accepts(alone, '{"decision":"append"}')
    assert "entry" not in alone.text


def test_text_from_outside_cannot_end_a_literal_or_a_rule() -> None:
    said = 'play "x" | root ::= "evil"\nr0 ::= "y" \\" <|out|>'
    grammar = of_actions("play_music", turns=(said,), facts=(f"favorite_genres: {said}",))
    names = [line.split(" ::= ")[0] for line in grammar.text.strip().split("\n")]
    assert len(names) == len(set(names))
    assert "<|" not in grammar.text
    assert words(said) == ("play", "x", "root", "evil", "r0", "y", "out")


def test_free_text_is_bounded_and_has_no_control_characters() -> None:
    class Note(BaseModel):
        text: Annotated[str, Field(min_length=1, max_length=3)]

    grammar = Grammar(Note.model_json_schema(), Sources())
    assert accepts(grammar, '{"text":"abc"}')
    assert accepts(grammar, '{"text":"a\\n"}')
    assert not accepts(grammar, '{"text":"abcd"}')
    assert not accepts(grammar, '{"text":""}')
    assert not accepts(grammar, '{"text":"a\n"}')
    assert not accepts(grammar, '{"text":"a\x7f"}')


class FreeNumber(BaseModel):
    value: float


class HugeNumber(BaseModel):
    value: Annotated[int, Field(ge=0, le=100_000)]


class EndlessText(BaseModel):
    value: str


class EndlessList(BaseModel):
    value: list[bool]


class Either(BaseModel):
    value: Literal["a"] | bool


@pytest.mark.parametrize("model", [FreeNumber, HugeNumber, EndlessText, EndlessList, Either])
def test_what_has_no_bounds_is_refused(model: type[BaseModel]) -> None:
    with pytest.raises(UnsupportedSchemaError):
        Grammar(model.model_json_schema(), Sources())


def test_bounded_numbers_are_listed() -> None:
    assert choices({"type": "integer", "minimum": 1, "maximum": 3}) == [1, 2, 3]
    assert choices({"type": "integer", "minimum": 1, "maximum": 11, "multipleOf": 5}) == [5, 10]
    assert choices({"type": "number", "minimum": 16.0, "maximum": 17.0, "multipleOf": 0.5}) == [16.0, 16.5, 17.0]
    assert choices({"const": "a", "type": "string"}) == ["a"]
    assert choices({"type": "boolean"}) == [False, True]
    assert choices({"type": "string"}) is None


def test_a_grammar_without_words_is_not_dynamic() -> None:
    assert not of_actions("set_temperature", "cancel_navigation").dynamic
    assert of_actions("play_music").dynamic
    assert of_details("favorite_genres", turns=("a",)).dynamic


def test_the_leaves_of_a_slice_are_its_actions_or_details_in_order() -> None:
    schema = action_model(("navigate_to", "set_window", "set_temperature")).model_json_schema()
    assert [path for path, _ in leaves(schema)] == [
        ("climate", "set_temperature"), ("openings", "set_window"), ("navigation", "navigate_to"),
    ]  # fmt: skip
    assert leaves(MaintenanceChoice.model_json_schema()) == []


NAMES = st.lists(st.sampled_from([action.name for action in ACTIONS]), min_size=1, max_size=4, unique=True)
DETAILS = st.lists(st.sampled_from([c.detail for c in CATEGORIES]), min_size=1, max_size=2, unique=True)
SAID = st.lists(st.text(max_size=30) | st.just("i'd like to hear some Café del Mar"), min_size=1, max_size=4)


@settings(max_examples=30)
@given(names=NAMES, turns=SAID, data=st.data())
def test_every_action_of_a_slice_is_accepted_in_its_own_json(
    names: list[str], turns: list[str], data: st.DataObject
) -> None:
    model = action_model(tuple(names))
    schema = model.model_json_schema()
    path, _ = data.draw(st.sampled_from(leaves(schema)))
    sources = Sources.of(turns, ())
    said = next((text[0] for text in sources.turns if text), "")
    slots = {
        slot: said if part.get("type") == "string" and part.get("grounded") else (choices(part) or [None])[0]
        for slot, part in schema["$defs"][_definition(schema, path)].get("properties", {}).items()
        if slot in schema["$defs"][_definition(schema, path)].get("required", ())
        if said or not part.get("grounded")
    }
    needs = set(schema["$defs"][_definition(schema, path)].get("required", ()))
    whole = {path[0]: {path[1]: slots}}
    text = json.dumps(whole, separators=(",", ":"), ensure_ascii=False).replace(".0,", ",").replace(".0}", "}")
    assert accepts(Grammar(schema, sources), text) == (needs <= set(slots))


def _definition(schema: dict[str, object], path: tuple[str, ...]) -> str:
    return "".join(part.capitalize() for part in path[-1].split("_"))


@settings(max_examples=20)
@given(details=DETAILS, turns=SAID)
def test_every_run_of_words_is_grounded(details: list[str], turns: list[str]) -> None:
    sources = Sources.of(turns, ())
    for text in sources.turns:
        for start in range(len(text)):
            run = " ".join(text[start : start + MAX_SPAN])
            assert grounded(run, sources.everything)
    assert not grounded("word that nobody said ever", ())
    assert accepts(of_details(*details, turns=tuple(turns)), "{}")


def test_forbidden_extras_do_not_matter_to_the_grammar() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        on: bool

    assert accepts(Grammar(Open.model_json_schema(), Sources()), '{"on":true}')
    assert not accepts(Grammar(Open.model_json_schema(), Sources()), '{"on":true,"more":1}')
