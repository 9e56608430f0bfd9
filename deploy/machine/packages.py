"""The packages of others that Glovebox is made of: which are pinned, a bill of materials, and which have a known weakness.

Owns reading `deploy/setup/hashes.txt` (made by `deploy/setup/renew.py`). What is known of weaknesses stands in a file that somebody
brings (records of OSV, https://ossf.github.io/osv-schema/): nothing is asked of a network.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from models.catalog.entries import Model
from schemas.errors import ConfigError

HASHES = Path(__file__).parents[1] / "setup" / "hashes.txt"
CYCLONEDX = "1.5"
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Pin:
    """A package as the set-up installs it."""

    name: str
    version: str
    modes: tuple[str, ...]
    """Modes of the set-up that install it; ``build``: what builds others."""
    digests: tuple[str, ...]
    """SHA-256 of the files that may be taken, one of which is."""


@dataclass(frozen=True, slots=True)
class Weakness:
    """A known weakness of a package that is installed."""

    name: str
    version: str
    advisory: str
    summary: str
    mended_in: str
    """The first version without it; empty where there is none."""


def plain(name: str) -> str:
    """A package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str | None = None) -> tuple[Pin, ...]:
    """All that the set-up may install."""
    found: list[Pin] = []
    for block in (HASHES.read_text("utf-8") if text is None else text).split("# modes:")[1:]:
        modes, named, *_ = block.splitlines()
        name, _, version = named.split(" ")[0].partition("==")
        found.append(
            Pin(plain(name), version, tuple(modes.split()), tuple(re.findall(r"sha256:([0-9a-f]{64})", block)))
        )
    return tuple(found)


def installed() -> dict[str, str]:
    """Name -> version of what lies in this environment."""
    return {plain(one.metadata["Name"]): one.version for one in distributions()}


def bill(version: str, made: datetime, chosen: Iterable[Pin], models: Iterable[Model]) -> dict[str, Any]:
    """A bill of materials as CycloneDX has it: packages by their digests, networks by theirs."""
    packages = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{pin.name}@{pin.version}",
            "name": pin.name,
            "version": pin.version,
            "purl": f"pkg:pypi/{pin.name}@{pin.version}",
            "scope": "excluded" if set(pin.modes) <= {"build", "dev"} else "required",
            "hashes": [{"alg": "SHA-256", "content": digest} for digest in pin.digests],
        }
        for pin in chosen
    ]
    networks = [
        {
            "type": "machine-learning-model",
            "bom-ref": f"model:{model.id}",
            "name": model.id,
            "licenses": [{"license": {"name": model.licence}}],
            "hashes": [{"alg": "SHA-256", "content": file.sha256} for file in model.files if file.sha256],
        }
        for model in models
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": CYCLONEDX,
        "version": 1,
        "metadata": {
            "timestamp": made.isoformat(timespec="seconds"),
            "component": {"type": "application", "bom-ref": "glovebox", "name": "glovebox", "version": version},
        },
        "components": packages + networks,
    }


def weaknesses(held: Mapping[str, str], records: Iterable[Mapping[str, Any]]) -> tuple[Weakness, ...]:
    """What these records say of these packages (name -> version)."""
    found: list[Weakness] = []
    for record in records:
        if record.get("withdrawn"):
            continue
        for affected in record.get("affected", ()):
            package = affected.get("package", {})
            name = plain(str(package.get("name", "")))
            if package.get("ecosystem") != "PyPI" or name not in held:
                continue
            struck, mended = _struck(held[name], affected)
            if struck:
                summary = str(record.get("summary") or record.get("details") or "").partition("\n")[0][:200]
                found.append(Weakness(name, held[name], str(record.get("id", "?")), summary, mended))
    return tuple(sorted(set(found), key=lambda one: (one.name, one.advisory)))


def read_records(path: Path) -> tuple[Mapping[str, Any], ...]:
    """OSV records of a file with one or a list of them, or of a folder with one a file.

    Raises:
        ConfigError: there is no such file, or it is no JSON of records.
    """
    try:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        read = [json.loads(file.read_text("utf-8")) for file in files]
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no JSON"
        raise ConfigError(
            f"the advisories {path} cannot be read ({why}): bring records of OSV for PyPI as JSON"
        ) from None
    records = [one for each in read for one in (each if isinstance(each, list) else [each])]
    if not records or not all(isinstance(one, dict) and "id" in one for one in records):
        raise ConfigError(f"{path} holds no records of OSV: bring those for PyPI as JSON")
    return tuple(records)


def _struck(version: str, affected: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether a version is affected, and the first that is not."""
    mended = ""
    struck = version in affected.get("versions", ())
    for events in (one.get("events", ()) for one in affected.get("ranges", ()) if one.get("type") == "ECOSYSTEM"):
        for since, until in _spans(events):
            if _order(since) <= _order(version) and (not until or _order(version) < _order(until)):
                struck, mended = True, until
    return struck, mended


def _spans(events: Iterable[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """From a version on to the first that is mended."""
    since: str | None = None
    for event in events:
        if "introduced" in event:
            since = event["introduced"]
        elif "fixed" in event and since is not None:
            yield since, event["fixed"]
            since = None
    if since is not None:
        yield since, ""


def _order(version: str) -> tuple[int, ...]:
    """Versions in their order, by the numbers of the release; what comes before a release counts as it."""
    release = re.split(r"[a-z+]", version.lower(), maxsplit=1)[0]
    numbers = [int(one) for one in _NUMBERS.findall(release)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
