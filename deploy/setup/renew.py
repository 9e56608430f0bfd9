"""Writes `deploy/setup/hashes.txt`: what every mode of the set-up installs, to the byte.

    pip install uv && python deploy/setup/renew.py

For whoever changes a dependency. Asks the package index (by uv) for the exact versions of `deploy/constraints.txt` and what they
need, and keeps the digests of those files that a Linux on x86-64 or aarch64 may take: wheels, and the source of what is built here
(`deploy/setup/wheels.sh`). What builds them, and what installs Glovebox itself, is in it, too (mode ``build``).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
HASHES = ROOT / "deploy" / "setup" / "hashes.txt"
MODES = {"small": (), "without-piper": ("asr",), "default": ("asr", "tts"), "dev": ("asr", "tts", "dev")}
ELSEWHERE = re.compile(r"sys_platform == '(?:win32|darwin|emscripten)'")
WIRES = ("can", "kuksa", "mqtt", "wyoming")
"""Extras that come to a mode where they are asked for (GLOVEBOX_WITH): what they need beside the smallest one."""
BUILT = ("llama-cpp-python", "hnswlib")
BUILDING = (
    "hatchling>=1.27,<2", "editables", "scikit-build-core[pyproject]>=0.9.2", "cmake>=3.21,<4.4", "ninja>=1.5",
    "setuptools", "wheel", "pybind11", "numpy",
)  # fmt: skip
FITS = re.compile(
    r"-(?:py3|py2\.py3|cp311|cp312|cp313|cp314|cp3\d+-abi3|cp\d+)?[\w.]*-(?:none|abi3|cp311|cp312|cp313|cp314)-"
    r"(?:any|[\w.]*manylinux[\w.]*(?:x86_64|aarch64)[\w.]*)\.whl$"
)
"""Endings of wheels that may be installed here (PEP 425)."""


def locked(source: Path, extras: tuple[str, ...]) -> list[dict[str, Any]]:
    """What a file of requirements comes to on Linux."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "pylock.toml"
        chosen = [word for extra in extras for word in ("--extra", extra)]
        subprocess.run(
            ["uv", "pip", "compile", str(source), *chosen, "--constraint", str(ROOT / "deploy" / "constraints.txt"),
             "--format", "pylock.toml", "--universal", "--python-version", "3.11", "--quiet", "--output-file", str(out)],
            check=True,
        )  # fmt: skip
        packages: list[dict[str, Any]] = tomllib.loads(out.read_text("utf-8"))["packages"]
    return [one for one in packages if not ELSEWHERE.search(one.get("marker", ""))]


def digests(package: dict[str, Any]) -> list[str]:
    """The SHA-256 of the files of a package that may be taken."""
    if package["name"] in BUILT:
        return [package["sdist"]["hashes"]["sha256"]]
    wheels = {wheel["url"].rpartition("/")[2]: wheel["hashes"]["sha256"] for wheel in package.get("wheels", ())}
    return [digest for name, digest in sorted(wheels.items()) if FITS.search(name)]


def main() -> int:
    """Write the file; 1 where a package has no file that fits."""
    found: dict[str, dict[str, Any]] = {}
    modes: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        building = Path(folder) / "building.in"
        building.write_text("\n".join(BUILDING) + "\n", encoding="utf-8")
        sources = {mode: (ROOT / "pyproject.toml", extras) for mode, extras in MODES.items()} | {
            "build": (building, ())
        }
        for mode, (source, extras) in sources.items():
            for package in locked(source, extras):
                found[package["name"]] = package
                modes.setdefault(package["name"], []).append(mode)
        for extra in WIRES:
            for package in locked(ROOT / "pyproject.toml", (extra,)):
                if "small" not in modes.setdefault(package["name"], []):
                    found[package["name"]] = package
                    modes[package["name"]].append(extra)
    lines = [
        f"# Made by {Path(__file__).relative_to(ROOT)}. Before each package stand the modes and extras that install it."
    ]
    for name, package in sorted(found.items()):
        taken = digests(package)
        if not taken:
            print(f"{name} {package['version']} has no file for Linux on x86-64 or aarch64", file=sys.stderr)
            return 1
        lines.append(f"# modes: {' '.join(modes[name])}")
        marker = f" ; {package['marker']}" if "marker" in package else ""
        lines.append(
            " \\\n".join([f"{name}=={package['version']}{marker}", *(f"    --hash=sha256:{one}" for one in taken)])
        )
    HASHES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
