"""No text of an evaluation set stands in any file of the project: not in what models are trained on, not anywhere else.

CarMem, KVRET, DailyDialog and LoCoMo may be measured on and nothing more. Two searches, both against the data as it lies in
``GLOVEBOX_DATA`` (default ``../shared/data``), of which nothing is written here:

- words in a row: nine of them, as normalised, are the same in no file. Eight were seen to match by chance, in idioms ("let me
  know if you need anything else") and plain requests; the names of the categories are facts and do not count;
- names: what CarMem's authors invented (stations, shops, shows, artists, songs), told from ordinary words by their capitals,
  also where they are written apart; searched in weights and vocabularies, too.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("GLOVEBOX_DATA", str(ROOT.parent / "shared" / "data")))
SHIPPED = ("README.md", "CHANGELOG.md", "pyproject.toml", "deploy", "docs", "memory", "models", "schemas", "tests", "vehicle",
           "voice")  # fmt: skip
TEXT = frozenset(
    ".arpa .cfg .css .csv .dict .html .j2 .jinja .js .json .jsonl .md .py .rst .service .sh .svg .toml .txt .xml .yaml .yml".split()
)
IN_A_ROW = 9
IDIOM = re.compile(r"\blet me know if you need anything\b")
"""Words that everybody says in this order do not make a run longer."""
CAMEL = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("’", "'").replace("'", ""))


def rows(texts: Iterable[str], length: int = IN_A_ROW) -> set[str]:
    """Every run of so many words in one of the texts."""
    found: set[str] = set()
    for text in texts:
        own = words(IDIOM.sub(" ", " ".join(words(text))))
        found.update(" ".join(own[at : at + length]) for at in range(len(own) - length + 1))
    return found


def strings(value: Any) -> Iterator[str]:
    """The strings in a JSON value, without its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def carmem_users(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "carmem" / "dev.jsonl").read_text("utf-8").splitlines()]


def carmem_texts(folder: Path) -> Iterator[str]:
    for user in carmem_users(folder):
        for item in user["data"]:
            # what names the categories and values stands in the other fields
            told = {key: item[key] for key in item if key not in {"user_preference", "meta_info"}}
            yield from strings(told)


def texts_of(folder: Path) -> dict[str, Iterator[str]]:
    """The texts of each set."""

    def loaded(name: str) -> Iterator[str]:
        return strings(json.loads((folder / name / "dev.json").read_text("utf-8")))

    talk = (folder / "dailydialog" / "dev.txt").read_text("utf-8").split("__eou__")
    return {
        "CarMem": carmem_texts(folder),
        "KVRET": loaded("kvret"),
        "LoCoMo": loaded("locomo"),
        "DailyDialog": iter(talk),
    }


def invented(folder: Path) -> set[str]:
    """CarMem's invented names as normalised words: as written, and the parts of a compound written apart."""
    values: dict[str, set[str]] = {}
    for user in carmem_users(folder):
        for preference in user["user_preferences"]:
            values.setdefault(preference["Detail Category"], set()).add(preference["Attributes"])
    found: set[str] = set()
    for own in values.values():
        if not any(CAMEL.search(value) or " by " in value for value in own):
            continue  # a list of ordinary words
        for value in own:
            for name in re.sub(r"\(.*?\)", "", value).split(" by "):
                compounds = CAMEL.findall(name)
                for compound in compounds:
                    found.add(compound.lower())
                    found.add(" ".join(words(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", compound))))
                parts = name.split()
                if not compounds and len(parts) > 1 and all(part[0].isupper() or len(part) < 4 for part in parts):
                    found.add(" ".join(words(name)))
    return found


def files(root: Path, suffixes: frozenset[str] | None = TEXT) -> Iterator[Path]:
    for top in SHIPPED:
        for path in [root / top] if (root / top).is_file() else sorted((root / top).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and (suffixes is None or path.suffix in suffixes):
                yield path


def copied(root: Path, known: set[str]) -> list[str]:
    """``file: words`` for every run of words that is known."""
    found: list[str] = []
    for path in files(root):
        lines = path.read_text("utf-8", errors="ignore").splitlines()
        # a sentence may go on in the next line
        together = [f"{line} {following}" for line, following in zip(lines, [*lines[1:], ""], strict=True)]
        found += [f"{path.relative_to(root)}: {row}" for row in sorted(rows(together) & known)]
    return found


def named(root: Path, names: set[str]) -> list[str]:
    """``file: name`` for every name; compounds also within other words and in files that are no text."""
    found: list[str] = []
    phrases = {f" {name} ": name for name in names}
    compounds = {name.encode(): name for name in names if " " not in name}
    for path in files(root, None):
        raw = path.read_bytes().lower()
        held = {name for code, name in compounds.items() if code in raw}
        if path.suffix in TEXT:
            flat = f" {' '.join(words(raw.decode('utf-8', errors='ignore')))} "
            held |= {name for phrase, name in phrases.items() if phrase in flat}
        found += [f"{path.relative_to(root)}: {name}" for name in sorted(held)]
    return found


@pytest.fixture(scope="module")
def data() -> Path:
    needed = ("carmem/dev.jsonl", "kvret/dev.json", "locomo/dev.json", "dailydialog/dev.txt")
    if missing := [name for name in needed if not (DATA / name).is_file()]:
        pytest.skip(f"no evaluation data ({', '.join(missing)}) under GLOVEBOX_DATA: nothing to compare with")
    return DATA


def test_no_file_holds_words_of_an_evaluation_set(data: Path) -> None:
    known = {name: rows(texts) for name, texts in texts_of(data).items()}
    assert all(len(own) > 1_000 for own in known.values()), "a set was not read as it lies there"
    found = copied(ROOT, set().union(*known.values()))
    of = [name for name, own in known.items() if any(line.partition(": ")[2] in own for line in found)]
    assert found == [], f"{IN_A_ROW} words in a row are those of {', '.join(of)}"


def test_no_file_holds_a_name_that_carmem_invented(data: Path) -> None:
    names = invented(data)
    assert len(names) > 60
    assert named(ROOT, names) == []


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_copied_sentence_is_found(tmp_path: Path, *, wrapped: bool) -> None:
    sentence = "My uncle's old tractor, he said, would never start before breakfast on Sundays."
    place = tmp_path / "models" / "training" / "phrases.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(sentence.upper().replace("NEVER ", "NEVER\n  " if wrapped else "NEVER "), "utf-8")
    assert copied(tmp_path, rows([sentence]))
    assert not copied(tmp_path, rows(["My aunt's old tractor would always start right after breakfast on Mondays."]))


@pytest.mark.parametrize("text", ["go to QuuxMart", "a quux mart nearby", "the quuxmart's", "hear “Plonk Fizzle” now"])
def test_an_invented_name_is_found_however_it_is_written(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "data" / "carmem"
    folder.mkdir(parents=True)
    values = {"Shops": ["QuuxMart Stores"], "Artists": ["Plonk Fizzle (Pop)", "GrumbleBees (Rock)"], "Fan": ["High"]}
    told = [{"Detail Category": kind, "Attributes": value} for kind, own in values.items() for value in own]
    (folder / "dev.jsonl").write_text(json.dumps({"user_preferences": told}), "utf-8")
    names = invented(folder.parent)
    assert names == {"quuxmart", "quux mart", "plonk fizzle", "grumblebees", "grumble bees"}
    (tmp_path / "voice").mkdir()
    (tmp_path / "voice" / "words.txt").write_text(text, "utf-8")
    assert named(tmp_path, names)
    (tmp_path / "voice" / "words.txt").write_text("a high shop for stores with pop", "utf-8")
    assert not named(tmp_path, names)


def test_a_name_inside_weights_is_found(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "model.gguf").write_bytes(b"\x00\xff quuxmart \x00")
    assert named(tmp_path, {"quuxmart", "quux mart"}) == ["models/model.gguf: quuxmart"]
