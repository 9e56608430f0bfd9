"""docs/adding-a-category.md is followed to the letter in a copy of the program, and the new category is lived with, untrained."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.recipes import copied, followed, run

LIVE = """
import contextlib, io, json, sys
from deploy.cli import main
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates

KEY = "favourite_coffee"


def glovebox(*arguments):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main([*arguments, "--home", sys.argv[1], "--json"]) == 0, printed.getvalue()
    return json.loads(printed.getvalue())


def remember(sentence, *more):
    return [(d["outcome"], d["detail"], d["value"]) for d in glovebox("remember", sentence, *more)["decisions"]]


def held(rows):
    return sorted((p["category"].rpartition(".")[2], p["value"]) for p in rows)


COFFEE = [(KEY, "cappuccino"), (KEY, "espresso"), (KEY, "flat white")]
JAZZ = ("favorite_genres", "jazz")
assert remember("i take my coffee as a flat white", "--category", KEY) == [("append", KEY, "flat white")]
assert remember("i like espresso and cappuccino", "--category", KEY) == [("append", KEY, v) for v in ("espresso", "cappuccino")]
assert remember("i love jazz and italian food") == [("append", *JAZZ), ("append", "favourite_cuisine", "italian")]
assert held(glovebox("memory", "list", KEY)["preferences"]) == COFFEE
assert JAZZ in held(glovebox("memory", "list")["preferences"])
assert {r["value"] for r in glovebox("recall", "find a coffee shop")["recalled"]} == {value for _, value in COFFEE}

glovebox("memory", "optout", KEY, "--keep")
assert glovebox("recall", "find a coffee shop")["recalled"] == []
assert [d[0] for d in remember("i like filter coffee", "--category", KEY)] == ["refused"]
glovebox("memory", "optin", KEY)

export = glovebox("memory", "export")
assert set(COFFEE) <= set(held(export["preferences"]))

asked = TemplateMatcher(load_templates()).match("forget everything about my coffee")
assert (asked.name, asked.slots) == ("forget_category", {"category": KEY}), asked
glovebox("memory", "forget", "--category", asked.slots["category"], "--yes")
assert held(glovebox("memory", "list")["preferences"]) == [JAZZ, ("favourite_cuisine", "italian")]
"""
"""Remembered by its key, listed, found, switched off, exported and forgotten; the others are read as before."""

CHECKS = (
    "tests/unit/memory/screen/test_wording.py::test_every_language_has_the_same_sentences_with_the_same_places",
    "tests/unit/memory/screen/test_screen.py::test_every_category_has_its_switch",
    "tests/unit/memory/learn/test_clauses.py::test_both_are_found_and_keep_the_whole_sentence",
    "tests/unit/models/test_phrases.py::test_every_category_has_its_phrases",
    "tests/unit/models/test_phrases.py::test_no_sentence_stands_in_two_categories",
    "tests/unit/voice/dialogue/memory/test_likes.py",
    "tests/unit/deploy/lab/carmem/test_carmem.py::test_titles_lead_to_our_categories_in_order",
    "tests/contract/test_encoder_port.py::test_topics_cover_every_category_and_sum_to_one",
)


@pytest.mark.timeout(300)
def test_who_follows_the_guide_has_a_new_category_in_six_files(tmp_path: Path) -> None:
    tree = copied(tmp_path / "tree")
    assert len(followed("adding-a-category.md", tree)) == 6
    run(tree, "-c", LIVE, str(tmp_path / "home"))
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *CHECKS)
