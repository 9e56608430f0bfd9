"""What holds for every test: no network, no settings of the machine's user, the same random numbers every time."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from models.catalog import Catalog
from schemas.errors import ModelError

settings.register_profile("glovebox", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("glovebox")


_SHARE = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
WEIGHTS = Path(os.environ.get("GLOVEBOX_DATA__MODELS") or _SHARE / "glovebox-models")
"""Where this machine's user has fetched weights, read before every test gets a home of its own."""
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def _refused(*_: object, **__: object) -> Any:
    raise AssertionError("a test tried to use the network; nothing in Glovebox does")


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test that opens a connection to anything but a local (AF_UNIX) socket; with the marker ``socket`` also loopback."""
    loopback = request.node.get_closest_marker("socket") is not None
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(real: Callable[[socket.socket, Any], Any]) -> Callable[[socket.socket, Any], Any]:
        def local_only(self: socket.socket, address: Any) -> Any:
            near = self.family == socket.AF_UNIX or (loopback and address[0] in LOOPBACK)
            return real(self, address) if near else _refused()

        return local_only

    monkeypatch.setattr(socket.socket, "connect", guarded(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(connect_ex))
    if loopback:
        return
    monkeypatch.setattr(socket.socket, "sendto", _refused)
    monkeypatch.setattr(socket, "getaddrinfo", _refused)
    monkeypatch.setattr(socket, "create_connection", _refused)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a home of its own: no configuration, vault or key of the machine's user is read or made."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith("GLOVEBOX_") and name != "GLOVEBOX_DATA"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    return home


@pytest.fixture(scope="session")
def real_models() -> Callable[[str], Path]:
    """Where the weights of a model lie that `./deploy/check --real` fetches.

    Where they are not there a test skips and says so; after that command it fails.
    """
    catalog = Catalog(WEIGHTS)
    found: dict[str, Path] = {}

    def find(model: str) -> Path:
        try:
            found[model] = found.get(model) or catalog.find(model)
        except ModelError as error:
            if os.environ.get("GLOVEBOX_REAL_WEIGHTS"):
                pytest.fail(f"the weights were fetched and are not found: {error}")
            pytest.skip(f"needs fetched weights (./deploy/check --real): {error}")
        return found[model]

    return find
