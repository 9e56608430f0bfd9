"""Whisper's tokenizer: the merge that the published file lacks is put back, and nothing else is changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.runtime.whisper_tokens import Writer, tokenizer


def described(merges: list[Any]) -> str:
    vocabulary = ["Ġ", "t", "o", "w", "Ġt", "Ġto", "Ġw", "tw"]
    return json.dumps(
        {
            "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            "post_processor": None, "decoder": None,
            "model": {"type": "BPE", "vocab": {word: at for at, word in enumerate(vocabulary)}, "merges": merges},
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    "merges",
    [["Ġ w", "Ġt o"], ["Ġ t", "Ġ w", "Ġt o"], [["Ġ", "w"], ["Ġt", "o"]], [["Ġ", "t"], ["Ġ", "w"], ["Ġt", "o"]]],
)
def test_a_word_that_begins_with_t_is_one_token(tmp_path: Path, merges: list[Any]) -> None:
    (tmp_path / "tokenizer.json").write_text(described(merges))
    assert tokenizer(tmp_path).encode(" to w").tokens == ["Ġto", "Ġw"]


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(KeyError):
        tokenizer(tmp_path)
    with pytest.raises(OSError, match="No such file"):
        tokenizer(tmp_path / "nowhere")


@pytest.mark.parametrize("model", ["whisper-base", "whisper-tiny-en"])
def test_the_real_models_write_words_as_whisper_does(real_models: Callable[[str], Path], model: str) -> None:
    found = tokenizer(real_models(model)).encode(
        " Turn it to the temperature of twenty three", add_special_tokens=False
    )
    assert found.tokens == "ĠTurn Ġit Ġto Ġthe Ġtemperature Ġof Ġtwenty Ġthree".split()


def test_a_name_is_written_with_its_capital_where_only_that_is_one_token() -> None:
    tokens = {" Thai": [1], " thai": [2, 3], " Miles": [4], " miles": [5], " Abba": [6, 7], " abba": [8, 9]}
    write = Writer(lambda text: tokens.get(text, [0]))
    assert write("find a thai place miles away by abba") == " Find a Thai place miles away by abba."
    assert write("what i want and i'm told") == " What I want and I'm told."
    assert write("a c") == " A c."


def test_the_real_model_knows_names(real_models: Callable[[str], Path]) -> None:
    inner = tokenizer(real_models("whisper-base"))
    write = Writer(lambda text: inner.encode(text, add_special_tokens=False).ids)
    assert write("italian food in london on sunday") == " Italian food in London on Sunday."
