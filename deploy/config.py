"""Reads the configuration: flags, then the environment, then the device's file, then the profile, then the defaults.

Owns the sources, their order and the messages about what is wrong in them; the only module that reads the environment.
Does not own the shape (``deploy.settings``) or the values (``deploy/default.toml``).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os.path import expanduser
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, EnvSettingsSource, TomlConfigSettingsSource
from rapidfuzz import fuzz, process

from deploy.settings import Config
from schemas.errors import ConfigError

__all__ = ["Config", "Loaded", "keys", "leaves", "load", "load_config"]

HERE = Path(__file__).parent
DEFAULTS = HERE / "default.toml"
PROFILES = HERE / "profiles"
SYSTEM_FILE = Path("/etc/glovebox/glovebox.toml")
PREFIX = "GLOVEBOX_"
NESTED = "__"
HOME = "GLOVEBOX_HOME"
"""The folder under which everything personal lies; so does ``--home``."""
SIMILAR = 60.0
"""Least similarity (0..100, rapidfuzz ratio) at which a key is offered as what was meant."""


_TOO_DEEP = "holds values in values without end: a setting is a value in a section, write it so"


@dataclass(frozen=True, slots=True)
class _Layer:
    """One source of values."""

    name: str
    """As a person knows it: a file's path, ``the environment``, ``the command line``."""
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The configuration, and which source each key came from."""

    config: Config
    origins: dict[str, str] = field(default_factory=dict[str, str])


class _Sources(BaseSettings):
    """What pydantic-settings needs to know to read our sources."""


RENAMED = {"parser": "talker"}
"""Sections that files of before have, and what became of them."""
NAME = "driver.name"
"""The key of who drives."""


def unnamed(flags: Mapping[str, str]) -> dict[str, str]:
    """The command line's values without the driver: what they leave is who is configured."""
    return {key: value for key, value in flags.items() if key != NAME}


def load_config(
    path: Path | None = None, *, flags: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None
) -> Config:
    """The configuration; see ``load``."""
    return load(path, flags=flags, environment=environment).config


def load(
    path: Path | None = None, *, flags: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None
) -> Loaded:
    """Read all sources.

    Args:
        path: the device's file; None for the user's own if it exists, else the system's if it exists.
        flags: values from the command line by dotted key.
        environment: None for the process's own.

    Raises:
        ConfigError: a file cannot be read, a key is unknown, a value does not fit.
    """
    try:
        return _load(path, flags or {}, os.environ if environment is None else environment)
    except RecursionError:
        raise ConfigError(f"the configuration {_TOO_DEEP}") from None


def _load(path: Path | None, flags: Mapping[str, str], env: Mapping[str, str]) -> Loaded:
    defaults = _Layer(str(DEFAULTS), _read(DEFAULTS))
    layers = [defaults]
    file = path or _device_file(env)
    if file is not None:
        layers.append(_Layer(str(file), _read(file)))
    layers += [_Layer("the environment", _from_environment(env)), _Layer("the command line", _from_flags(flags))]
    profile = _merged(layers).get("profile")
    chosen = PROFILES / f"{profile}.toml"
    if isinstance(profile, str) and profile.isidentifier() and chosen.is_file():
        layers.insert(1, _Layer(str(chosen), _read(chosen)))
    values: dict[str, Any] = _expanded(_merged(layers), env)
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        raise ConfigError("; ".join(_explain(one, layers) for one in error.errors())) from None
    return Loaded(config, {key: _origin(key, layers).name for key in keys()})


def leaves(model: type[BaseModel] = Config, prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every dotted key that there is with what is known of it, in the order of ``deploy.settings``."""
    for name, info in model.model_fields.items():
        inner = info.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from leaves(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", info


def keys() -> list[str]:
    """Every dotted key that there is."""
    return [key for key, _ in leaves()]


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.is_dir():
            raise ConfigError(f"{path} is a folder; name the configuration file in it")
        if not path.is_file():
            raise ConfigError(f"the configuration file {path} does not exist; check --config or write the file")
        return _anchored(TomlConfigSettingsSource(_Sources, path)(), path.parent)
    except RecursionError:
        raise ConfigError(f"{path} {_TOO_DEEP}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}; mend that line") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}; check the file and its permissions") from None


def _device_file(env: Mapping[str, str]) -> Path | None:
    own = _xdg(env)["XDG_CONFIG_HOME"] / "glovebox" / "glovebox.toml"
    return next((file for file in (own, SYSTEM_FILE) if file.is_file()), None)


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    """``GLOVEBOX_SECTION__KEY`` and ``GLOVEBOX_PROFILE``; other names with our prefix belong to the set-up and the tests."""
    source = EnvSettingsSource(_Sources, env_prefix=PREFIX, env_nested_delimiter=NESTED)
    ours = {name.lower(): value for name, value in env.items() if name.startswith(PREFIX) and NESTED in name}
    values: dict[str, Any] = _under(Path(env[HOME])) if env.get(HOME) else {}
    for section in sorted({name.removeprefix(PREFIX.lower()).split(NESTED)[0] for name in ours}):
        known = Config.model_fields.get(section, Config.model_fields["profile"])
        _lay_over(values, {section: source.explode_env_vars(section, known, ours)})
    if PREFIX + "PROFILE" in env:
        values["profile"] = env[PREFIX + "PROFILE"]
    return values


def _under(home: Path) -> dict[str, Any]:
    """Where things lie when everything personal is to lie in one folder: vaults in it, keys in a folder of their own."""
    folder = Path(expanduser(home)).absolute()
    return {"data": {"folder": str(folder), "key_file": str(folder / "keys" / "{driver}.key")}}


def _from_flags(flags: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = _under(Path(flags["home"])) if flags.get("home") else {}
    for key, value in flags.items():
        if key == "home":
            continue
        *sections, name = key.split(".")
        place = values
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    return values


def _merged(layers: Sequence[_Layer]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for layer in layers:
        _lay_over(merged, layer.values)
    return merged


def _lay_over(under: dict[str, Any], over: Mapping[str, Any]) -> None:
    for key, value in over.items():
        below = under.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            _lay_over(below, value)
        else:
            under[key] = _copied(value)


def _copied(value: Any) -> Any:
    return {key: _copied(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def _anchored(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Values that begin with ``./`` or ``../`` are relative to the file in which they stand."""
    anchored: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            anchored[key] = _anchored(value, folder)
        elif isinstance(value, list):
            anchored[key] = [_anchored({"": one}, folder)[""] for one in value]
        elif isinstance(value, str) and value.startswith(("./", "../")):
            anchored[key] = str(folder / value)
        else:
            anchored[key] = value
    return anchored


def _xdg(env: Mapping[str, str]) -> dict[str, Path]:
    """The XDG base folders; relative ones are ignored, as the specification (version 0.8) asks."""
    home = Path(env.get("HOME") or Path.home())
    defaults = {"XDG_DATA_HOME": home / ".local" / "share", "XDG_CONFIG_HOME": home / ".config"}
    named = {name: Path(env[name]) for name in defaults if env.get(name)}
    return {name: named[name] if name in named and named[name].is_absolute() else defaults[name] for name in defaults}


def _folders(env: Mapping[str, str]) -> dict[str, Path]:
    """The folders that a value may begin with: the XDG ones, and where systemd puts a service's credentials (systemd.exec(5))."""
    given = env.get("CREDENTIALS_DIRECTORY")
    return _xdg(env) | ({"CREDENTIALS_DIRECTORY": Path(given)} if given else {})


def _expanded(values: dict[str, Any], env: Mapping[str, str]) -> dict[str, Any]:
    """With ``$XDG_DATA_HOME``, ``$XDG_CONFIG_HOME`` and, in a service, ``$CREDENTIALS_DIRECTORY`` written out."""
    expanded: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            expanded[key] = _expanded(value, env)
        elif isinstance(value, str):
            for name, folder in _folders(env).items():
                value = value.replace(f"${name}", str(folder))  # noqa: PLW2901 - all names are written out in turn
            expanded[key] = value
        else:
            expanded[key] = value
    return expanded


def _has(layer: _Layer, key: str) -> bool:
    place: Any = layer.values
    for part in key.split("."):
        if not isinstance(place, dict) or part not in place:
            return False
        place = place[part]
    return True


def _origin(key: str, layers: Sequence[_Layer]) -> _Layer:
    """The source that decided a key: the last that has it, or the defaults."""
    return next((layer for layer in reversed(layers) if _has(layer, key)), layers[0])


def _explain(error: ErrorDetails, layers: Sequence[_Layer]) -> str:
    """One mistake in words: where, which key, which value, what to do."""
    path = [str(part) for part in error["loc"]]
    known = keys()
    sections = {key.split(".")[0] for key in known}
    while len(path) > 1 and ".".join(path) not in known and error["type"] != "extra_forbidden":
        path.pop()
    key = ".".join(path)
    layer = _origin(key, layers)
    if error["type"] == "extra_forbidden":
        section = path[0]
        if section in RENAMED:
            return f"{layer.name}: the section [{section}] is now [{RENAMED[section]}]; write that instead"
        return f"{layer.name}: there is no setting {key}{_nearest(key, [*known, *sections])}"
    value = repr(error["input"])
    if error["type"] == "missing":
        return f"{layer.name}: {key} has no value; give it one"
    if key in sections and error["type"] == "value_error":
        return f"{layer.name}: [{key}] {error['msg'].removeprefix('Value error, ')}"
    return f"{layer.name}: {key} = {value[:60]} does not fit: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _nearest(key: str, known: Sequence[str]) -> str:
    """The setting that was probably meant, as the end of a sentence."""
    section, _, name = key.rpartition(".")
    siblings = [other for other in known if section and other.startswith(f"{section}.")]
    same_name = [other for other in known if name in (other, other.rpartition(".")[2])]
    if not siblings and same_name:
        return f"; did you mean {same_name[0]}?"
    best = process.extractOne(key, siblings or known, scorer=fuzz.ratio, score_cutoff=SIMILAR)
    if best is not None and best[0].rpartition(".")[0] == section:
        shorter = fuzz.ratio(name, best[0].rpartition(".")[2])
        best = best if shorter >= SIMILAR else None
    if best is not None:
        return f"; did you mean {best[0]}?"
    if same_name:
        return f"; did you mean {same_name[0]}?"
    if siblings:
        return f"; [{section}] has {', '.join(other.rpartition('.')[2] for other in siblings)}"
    return "; `glovebox config show` lists all"
