"""The template loader with files of any domain: errors that name file and intent, and what is made from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.commands.graph import WordGraph
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from models.numbers import number_words
from models.text import spoken
from schemas.errors import ConfigError
from schemas.events import CommandKind

COFFEE = """
language: en
intents:
  order:
    data:
      - sentences:
          - "[i want] [a] {size} {drink}[s] [with {milk}]"
          - "{drink};{size}"
  cancel:
    kind: control
    data: [{sentences: ["cancel [the] order[s]", "on", "yes"], slots: {on: true}}]
  say:
    data: [{sentences: ["say {anything}"]}]
lists:
  size: {values: [small, {in: "(large|big)", out: large}]}
  drink: {values: [coffee, iced tea]}
  milk: {values: ["no milk", {in: "[a lot of] milk", out: much}]}
  anything: {wildcard: true}
"""


def write(tmp_path: Path, text: str, name: str = "coffee.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_another_domain(tmp_path: Path) -> None:
    text = COFFEE.replace("{drink}[s]", "{drink}")
    templates = load_templates(write(tmp_path, text))
    matcher = TemplateMatcher(templates)
    order = matcher.match("I want a big iced tea with a lot of milk!")
    assert order is not None
    assert order.slots == {"size": "large", "drink": "iced tea", "milk": "much"}
    assert matcher.match("coffee small") == matcher.match("small coffee")
    cancel = matcher.match("cancel the orders")
    assert cancel is not None and (cancel.kind, cancel.slots) == (CommandKind.CONTROL, {"on": True})
    assert matcher.match("on") == cancel
    said = matcher.match("say whatever you like")
    assert said is not None and said.slots == {"anything": "whatever you like"}
    assert templates.vocabulary() >= {"coffee", "iced", "orders", "order", "big"}
    assert "say" not in templates.vocabulary()
    assert all(matcher.match(words) == command for words, command in templates.sample(np.random.default_rng(1), 200))


def test_the_graph_has_exactly_the_sentences(tmp_path: Path) -> None:
    text = 'intents: {a: {data: [{sentences: ["[x] (b|c d)"]}]}, e: {data: [{sentences: ["c d", "light[s]"]}]}}'
    graph = WordGraph(load_templates(write(tmp_path, text)))
    found: list[str] = []

    def walk(state: int, words: tuple[str, ...]) -> None:
        if graph.blocks[state]:
            found.append(" ".join(words))
        for word, end in graph.arcs[state].items():
            walk(end, (*words, word))

    walk(0, ())
    assert sorted(found) == ["b", "c d", "light", "lights", "x b", "x c d"]
    assert graph.ends(["c", "d"]) == {0, 1}
    assert graph.ends(["c"]) == frozenset()
    small = graph.bare()
    assert {" ".join(w) for w in (["b"], ["c", "d"], ["lights"]) if small.ends(w)} == {"b", "c d", "lights"}
    assert all(word in ("x", "b", "c", "d", "light", "lights") for _, _, word in small.transitions())


def test_of_two_commands_with_one_sentence_the_first_in_the_file_wins(tmp_path: Path) -> None:
    one = 'intents: {first: {data: [{sentences: ["go"]}]}, second: {data: [{sentences: ["go"]}]}}'
    two = 'intents: {second: {data: [{sentences: ["go"]}]}, first: {data: [{sentences: ["go"]}]}}'
    for text, name in ((one, "first"), (two, "second")):
        command = TemplateMatcher(load_templates(write(tmp_path, text))).match("go")
        assert command is not None and command.name == name


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("intents: {brew: {data: [{sentences: ['make (tea']}]}}", "brew"),
        ("intents: {brew: {data: [{sentences: ['make <drink>']}]}}", "brew"),
        ("intents: {brew: {data: [{sentences: ['make {drink}']}]}}", "brew"),
        ("intents: {brew: {data: []}}", "brew"),
        ("intents: {brew: {data: [{slots: {a: 1}}]}}", "brew"),
        ("intents: {brew: {kind: spell, data: [{sentences: [a]}]}}", "spell"),
        ("intents: {brew: {data: [{sentences: ['{d:size}'], slots: {size: 1}}]}}\nlists: {d: {values: [a]}}", "size"),
        ("intents: {brew: {data: [{sentences: ['{d}s']}]}}\nlists: {d: {values: [a]}}", "space"),
        ("intents: {brew: {data: [{sentences: ['a']}]}}\nlists: {d: {values: ['(a|b)']}}", "'d'"),
        ("intents: {brew: {data: [{sentences: ['a']}]}}\nlists: {d: {}}", "'d'"),
        ("intents: {brew: {data: [{sentences: ['<r>']}]}}\nexpansion_rules: {r: 'x <q>', q: 'y <r>'}", "repeat"),
        ("intents: {brew: {data: [{sentences: ['a;b;c;d;e']}]}}", "permutation"),
        ("intents: [brew]", "intents"),
        ("[a, b]", "no template file"),
        ("a: [", "YAML"),
        ("lists: {}", "no intents"),
    ],
)
def test_errors_name_file_and_part(tmp_path: Path, text: str, part: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_templates(path)
    assert str(path) in str(caught.value)
    assert part in str(caught.value)


def test_missing_file_and_unknown_intent(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml"):
        load_templates(tmp_path / "absent.yaml")
    with pytest.raises(ConfigError, match="teleport"):
        load_templates().sample(np.random.default_rng(0), 1, intents=["teleport"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Set it to 22.5°C, please!", "set it to twenty two point five degrees celsius please"),
        ("22,5 degrees", "twenty two point five degrees"),
        ("21.5", "twenty one point five"),
        ("100%", "one hundred percent"),
        ("50 per cent", "fifty percent"),
        ("the driver’s 'side'", "the driver's side"),
        ("Air-conditioning: A/C or A.C.", "air conditioning a c or a c"),
        ("R&B", "r and b"),
        ("turn the AC on", "turn the a c on"),
        ("a 12-ounce latte, 12oz", "a twelve ounce latte twelve ounce"),
        ("at 7:30, 7:05 pm, 7:00 or 9:00 a.m.", "at seven thirty seven oh five p m seven oclock or nine a m"),
        ("€5, $12.50 and 1 £", "five euros twelve dollars fifty and one pound"),
        ("22C or 72 °F, -5°", "twenty two degrees celsius or seventy two degrees fahrenheit minus five degrees"),
        ("Dr. Smith, St. Mary's, Main St.", "doctor smith saint mary's main street"),
        ("the 2nd exit in 1,200 m", "the second exit in one thousand two hundred m"),
        ("120 km/h for 5 min.", "one hundred twenty kilometers per hour for five minutes"),
        ("'80s and 90s music", "eighties and nineties music"),
        ("1½ hours", "one and a half hours"),
        ("plan B, vitamin C", "plan b vitamin c"),
        ("OK.", "okay"),
        ("Call 112, please! Dial 1-1-2.", "call one one two please dial one one two"),
        ("ring +49 30 1234567", "ring plus four nine three zero one two three four five six seven"),
        ("call the number 030/123456.", "call the number zero three zero one two three four five six"),
        (
            "call me in 100 minutes, ring at 7:30, call 24",
            "call me in one hundred minutes ring at seven thirty call twenty four",
        ),
        ("  ", ""),
    ],
)
def test_spelling(text: str, expected: str) -> None:
    assert spoken(text) == expected
    assert spoken(expected) == expected


def test_numbers() -> None:
    assert [number_words(n) for n in (0, 16, 25, 22.5, 100)] == [
        "zero", "sixteen", "twenty five", "twenty two point five", "one hundred",
    ]  # fmt: skip
