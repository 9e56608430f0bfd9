"""The packages of others: pins, the bill of materials, and weaknesses that a file knows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from deploy.cli import main
from deploy.config import load_config
from deploy.machine.packages import bill, pins, read_records, weaknesses
from models.catalog import Catalog
from schemas.errors import ConfigError


def record(**affected: Any) -> dict[str, Any]:
    package = {"name": "Jinja_2x", "ecosystem": "PyPI"}
    return {"id": "PYSEC-1", "summary": "a hole", "affected": [{"package": package, **affected}]}


def spans(*events: dict[str, str]) -> dict[str, Any]:
    return record(ranges=[{"type": "ECOSYSTEM", "events": list(events)}])


@pytest.mark.parametrize(
    ("version", "told", "struck", "mended"),
    [
        ("3.1.6", record(versions=["3.1.5", "3.1.6"]), True, ""),
        ("3.1.6", record(versions=["3.1.5"]), False, ""),
        ("3.1.6", spans({"introduced": "0"}, {"fixed": "3.1.7"}), True, "3.1.7"),
        ("3.1.7", spans({"introduced": "0"}, {"fixed": "3.1.7"}), False, ""),
        ("3.10", spans({"introduced": "3.2"}, {"fixed": "3.9"}), False, ""),
        ("3.10.0", spans({"introduced": "0"}, {"fixed": "3.1"}, {"introduced": "3.10"}), True, ""),
        ("3.1.6", spans({"introduced": "0"}) | {"withdrawn": "2026-01-01T00:00:00Z"}, False, ""),
    ],
)
def test_a_weakness_is_known_by_version_or_span(version: str, told: dict[str, Any], struck: bool, mended: str) -> None:
    found = weaknesses({"jinja-2x": version}, [told])
    assert bool(found) == struck and (not struck or found[0].mended_in == mended)
    assert weaknesses({"other": version}, [told]) == ()


@pytest.mark.parametrize("text", ["", "{", "[]", "[1]", '{"x": 1}', "[" * 100_000])
def test_a_file_that_is_none_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "osv.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match="OSV"):
        read_records(file)
    with pytest.raises(ConfigError, match="OSV"):
        read_records(tmp_path / "none.json")


def test_the_bill_names_every_package_with_its_digests_and_every_model() -> None:
    catalog = Catalog.load(load_config(environment={}).data)
    made = bill("0.1.0", datetime(2026, 11, 23, tzinfo=UTC), pins(), catalog.models)
    assert (made["bomFormat"], made["specVersion"], made["version"]) == ("CycloneDX", "1.5", 1)
    components = made["components"]
    assert len({one["bom-ref"] for one in components}) == len(components)
    libraries = {one["name"]: one for one in components if one["type"] == "library"}
    assert len(libraries) == len(pins()) > 100
    assert all(
        one["hashes"] and one["purl"] == f"pkg:pypi/{one['name']}@{one['version']}" for one in libraries.values()
    )
    assert libraries["numpy"]["scope"] == "required" and libraries["pytest"]["scope"] == "excluded"
    assert any(one["type"] == "machine-learning-model" and one["hashes"] for one in components)
    json.dumps(made)


def test_the_command_finds_what_a_file_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "osv.json"
    told = spans({"introduced": "0"}, {"fixed": "9999"})
    told["affected"][0]["package"]["name"] = "NumPy"
    file.write_text(json.dumps([told]))
    assert main(["audit", "--advisories", str(file), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["mended_in"]) for one in found["weaknesses"]] == [("numpy", "9999")]
    assert main(["audit", "--advisories", str(file)]) == 1
    assert "PYSEC-1, mended in 9999. a hole" in capsys.readouterr().out
    assert main(["audit", "--bill"]) == 0
    assert json.loads(capsys.readouterr().out)["bomFormat"] == "CycloneDX"
