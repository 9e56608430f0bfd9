"""The commands of memory over a real vault in a folder of its own: what is stored, printed, left, and with which code it ends."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import deploy.app
from deploy.cli import main
from deploy.config import Config, load_config
from deploy.drivers.keys import key_source
from deploy.drivers.switching import ConfiguredDrivers
from memory.guest import GuestMemory
from memory.service import DriverMemory
from memory.store.preferences import Store
from memory.vault.keys import KeySource
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import UnknownEntryError
from schemas.memory import Conversation, Fact, Selector, Turn
from schemas.seat import Seat

Run = Callable[..., Any]
ROOT = Path(__file__).parents[4]


def open_memory(config: Config, keys: KeySource | None = None) -> DriverMemory:
    """As ``deploy.app.open_memory``, with the fakes of the models."""
    now = lambda: datetime.now(UTC)  # noqa: E731
    vault = Vault.open(config.data.folder, config.driver.name, keys or key_source(config), clock=now)
    return DriverMemory(config.driver.name, vault, encoder=KeywordEncoder(), clock=now)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(deploy.app, "open_memory", open_memory)
    monkeypatch.setenv("GLOVEBOX_DRIVER__OTHERS", '["ada", "grace"]')
    return tmp_path / "home"


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command of ada with ``--json`` and gives what it printed, which must be one JSON value."""

    def running(*arguments: str, code: int = 0, driver: str = "ada") -> Any:
        assert main([*arguments, "--driver", driver, "--home", str(home), "--json"]) == code
        (line,) = capsys.readouterr().out.splitlines()
        return json.loads(line)

    return running


@pytest.fixture
def told(run: Run) -> Run:
    run("remember", "i love jazz", "--category", "favorite_genres")
    run("remember", "i love italian food", "--category", "restaurant")
    return run


class Terminal(io.StringIO):
    """What somebody types."""

    def isatty(self) -> bool:
        return True


def values(run: Run, **more: Any) -> set[str]:
    return {p["value"] for p in run("memory", "list", **more)["preferences"]}


def raw(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_everything_personal_lies_under_home(told: Run, home: Path, own_home: Path) -> None:
    assert (home / "ada.vault").is_file() and list((home / "keys").iterdir())
    assert {path.suffix for path in home.iterdir() if path.is_file()} <= {".vault", ".lock"}
    assert not any(path.is_file() for path in own_home.rglob("*"))
    assert b"jazz" not in raw(home) and b"italian" not in raw(home)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in home.rglob("*") if path.is_file())


def test_home_comes_from_the_environment_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOVEBOX_HOME", str(home))
    assert main(["--driver", "ada", "memory", "list"]) == 0
    assert (home / "ada.vault").is_file()
    monkeypatch.setenv("GLOVEBOX_DATA__FOLDER", str(home / "elsewhere"))
    assert main(["--driver", "ada", "memory", "list"]) == 0
    assert (home / "elsewhere" / "ada.vault").is_file()
    assert main(["--home", str(home / "third"), "memory", "list", "--driver", "ada"]) == 0
    assert (home / "third" / "ada.vault").is_file()


def test_what_is_remembered_is_recalled_in_the_next_process(told: Run) -> None:
    found = told("recall", "play some jazz music")
    assert found["driver"] == "ada" and found["query"] == "play some jazz music"
    (jazz,) = found["recalled"]
    assert jazz["value"] == "jazz" and jazz["category"] == "entertainment_and_media.music.favorite_genres"
    assert jazz["sentences"] == ["i love jazz"] and 0 < jazz["score"] <= 1
    assert told("recall", "how far is the moon")["recalled"] == []
    assert told("memory", "show", jazz["id"])["uses"] == 0


def test_drivers_do_not_hear_each_other(told: Run) -> None:
    assert values(told, driver="grace") == set()
    assert told("recall", "jazz music", driver="grace")["recalled"] == []
    told("remember", "i love rock", "--category", "favorite_genres", driver="Grace")
    assert values(told, driver="grace") == {"rock"} and values(told) == {"jazz", "italian"}


def test_a_refusal_says_why(run: Run, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (decision,) = run("remember", "i am vegan", "--category", "dietary_preference")["decisions"]
    assert decision["outcome"] == "refused" and "sensitive" in decision["reason"] and decision["value"] is None
    main(["remember", "i am vegan", "--category", "dietary_preference", "--driver", "ada", "--home", str(home)])
    assert "memory optin dietary_preference" in capsys.readouterr().out
    run("memory", "optin", "dietary_preference")
    (decision,) = run("remember", "i am vegan", "--category", "dietary_preference")["decisions"]
    assert decision["value"] == "vegan"
    assert run("remember", "i am vegan", "--category", "weather", code=46)["error"]["code"] == "unknown_entry"


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (("--text", "jazz"), {"italian"}),
        (("--category", "restaurant"), {"jazz"}),
        (("--category", "music", "--text", "italian"), {"jazz", "italian"}),
        (("--since", "yesterday"), set[str]()),
        (("--until", "yesterday"), {"jazz", "italian"}),
        (("--since", "2020-01-01", "--until", "2020-12-31"), {"jazz", "italian"}),
        (("--all", "--yes"), set[str]()),
        (("everything", "--yes"), set[str]()),
        (("music",), {"italian"}),
    ],
)
def test_forgetting(told: Run, home: Path, arguments: tuple[str, ...], left: set[str]) -> None:
    receipt = told("memory", "forget", *arguments)
    assert receipt["verified"] is True and len(receipt["erased"]) == 2 - len(left)
    assert values(told) == left
    assert not {"jazz", "italian"} & set(json.dumps(receipt).replace('"', " ").split())


def test_forgetting_by_id_and_conversation(told: Run) -> None:
    jazz, food = sorted(told("memory", "list")["preferences"], key=lambda p: p["value"], reverse=True)
    assert told("memory", "forget", "--id", jazz["id"])["erased"] == [jazz["id"]]
    assert told("memory", "forget", "--conversation", food["conversation"])["erased"] == [food["id"]]
    assert told("memory", "forget", "--id", jazz["id"], code=46)["error"]["code"] == "unknown_entry"


@pytest.mark.parametrize(
    "arguments",
    [(), ("music", "--text", "jazz"), ("--all", "--text", "jazz"), ("--since", "whenever"),
     ("--since", "2026-02-02", "--until", "2026-01-01")],
)  # fmt: skip
def test_a_forgetting_that_is_not_clear_is_refused(told: Run, home: Path, arguments: tuple[str, ...]) -> None:
    assert main(["memory", "forget", *arguments, "--driver", "ada", "--home", str(home), "--yes"]) == 2
    assert values(told) == {"jazz", "italian"}


def test_why(told: Run, capsys: pytest.CaptureFixture[str], home: Path) -> None:
    (jazz,) = (p for p in told("memory", "list")["preferences"] if p["value"] == "jazz")
    why = told("memory", "why", jazz["id"])
    assert [sentence for _, sentence in why["because"]] == ["i love jazz"] and why["used_for"] == []
    assert main(["memory", "why", jazz["id"], "--driver", "ada", "--home", str(home)]) == 0
    assert "you said “i love jazz”" in capsys.readouterr().out
    assert told("memory", "show", "nothing", code=46)["error"]["exit_code"] == 46


def test_correcting_leaves_history(told: Run) -> None:
    (jazz,) = (p for p in told("memory", "list", "music")["preferences"])
    assert told("memory", "correct", jazz["id"], "Blues")["value"] == "blues"
    assert {p["value"] for p in told("memory", "history", "music")["preferences"]} == {"jazz", "blues"}
    assert values(told) == {"blues", "italian"}


def test_a_dash_is_standard_output_and_no_file(
    told: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exported = told("memory", "export")
    monkeypatch.chdir(tmp_path)
    assert told("memory", "export", "-")["preferences"] == exported["preferences"]
    for command in (["memory", "export", "--page", "-"], ["demo", "--out", "-"]):
        assert main(command) != 0, command
        assert "give the name of a file" in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.glob("-*")) == []


def test_export_and_import(told: Run, home: Path, tmp_path: Path) -> None:
    file, page = tmp_path / "export.json", tmp_path / "page.html"
    told("memory", "optin", "dietary_preference")
    told("remember", "i am vegan", "--category", "dietary_preference")
    exported = told("memory", "export", str(file), "--page", str(page))
    assert json.loads(file.read_text("utf-8"))["preferences"] == exported["preferences"]
    assert stat.S_IMODE(file.stat().st_mode) == stat.S_IMODE(page.stat().st_mode) == 0o600
    assert "i love jazz" in page.read_text("utf-8")
    taken = told("memory", "import", str(file), driver="grace")
    assert taken["kinds"] == {"preference": 2} and set(taken["refused"]) == {"dietary_preference"}
    taken = told("memory", "import", str(file), "--allow", driver="grace")
    assert taken["kinds"] == {"preference": 1} and taken["known"] == 2
    assert told("memory", "export", driver="grace")["preferences"] == exported["preferences"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "other"}', "\x00\xff", "[" * 100_000])
def test_what_is_no_export_ends_with_its_code(run: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "export.json"
    file.write_text(text, encoding="latin-1")
    assert run("memory", "import", str(file), code=47)["error"]["code"] == "export"
    assert run("memory", "import", str(tmp_path / "none"), code=47)["error"]["exit_code"] == 47


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_plain_file_is_not_read(run: Run, tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    file = {"pipe": tmp_path / "pipe", "device": Path("/dev/zero"), "folder": tmp_path}[kind]
    assert run("memory", "import", str(file), code=47)["error"]["code"] == "export"


def test_nothing_is_imported_through_a_link(told: Run, tmp_path: Path) -> None:
    own, link = tmp_path / "own.json", tmp_path / "export.json"
    told("memory", "export", str(own))
    link.symlink_to(own)
    assert "is a link" in told("memory", "import", str(link), driver="grace", code=47)["error"]["message"]
    assert told("memory", "import", str(own), driver="grace")["kinds"] == {"preference": 2}


WHOLE = "\x1b]0;pwn\x07 my dog is called Rex\x1b[31m \x9b5m\u202e!"


def at() -> datetime:
    return datetime.now(UTC)


def steers(text: str) -> bool:
    return any((ord(one) < 32 and one not in "\t\n") or 0x7F <= ord(one) < 0xA0 or one == "\u202e" for one in text)


@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_nothing_that_steers_a_terminal_is_stored_or_printed(
    told: Run, home: Path, capsys: pytest.CaptureFixture[str], json_too: tuple[str, ...]
) -> None:
    """By whichever door it comes; what lies in a vault from before is not printed either."""
    (jazz, *_) = told("memory", "list")["preferences"]
    told("remember", f"i love rock music {WHOLE}", "--category", "favorite_genres")
    told("memory", "profile", "--set", "name", f"Ada{WHOLE}")
    told("memory", "correct", jazz["id"], "blues\x1b[31m\x07")
    with closing(
        Vault.open(home, "ada", key_source(load_config(flags={"home": str(home), "driver.name": "ada"})), clock=at)
    ) as vault:
        store = Store(vault)
        with store.transaction():
            store.facts.add(Fact(id="old", text=f"from before {WHOLE}", said_at=at(), conversation="t"), at())
    exported = told("memory", "export")
    assert not steers("".join(str(part) for name, part in exported.items() if name != "facts"))
    capsys.readouterr()
    commands = (("memory", "list"), ("memory", "profile"), ("memory", "show", "old"), ("memory", "export"))
    for command in (*commands, ("memory", "show", f"none{WHOLE}")):
        main([*command, "--driver", "ada", "--home", str(home), *json_too])
        printed = capsys.readouterr()
        assert not steers(printed.out) and not steers(printed.err)
        assert "Rex" in printed.out + printed.err


@pytest.mark.parametrize("json_too", [(), ("--json",)])
@pytest.mark.parametrize("command", [("memory", "export"), ("memory", "list"), ("config", "show"), ("--help",)])
def test_what_cannot_be_written_is_told(home: Path, command: tuple[str, ...], json_too: tuple[str, ...]) -> None:
    """Standard output on a full device: a sentence, and the end of the program says nothing more."""
    program = "import sys; from deploy.cli import main; sys.exit(main())"
    call = [sys.executable, "-c", program, "--home", str(home), *command, *json_too]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ended = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    assert ended.returncode == 60
    assert ended.stderr.startswith("Error: not all could be written") and ended.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [("memory", "list"), ("remember", "i love jazz")])
def test_a_home_that_is_no_folder_is_told_as_that(run: Run, home: Path, command: tuple[str, ...]) -> None:
    home.write_text("a plain file")
    told = run(*command, code=40)["error"]["message"]
    assert "Not a directory" in told and "PIN" not in told


@pytest.mark.parametrize("option", [(), ("--page",)])
def test_nothing_is_exported_through_a_link(told: Run, tmp_path: Path, option: tuple[str, ...]) -> None:
    own, link = tmp_path / "own.txt", tmp_path / "export.json"
    own.write_text("mine")
    link.symlink_to(own)
    assert "link" in told("memory", "export", *option, str(link), code=40)["error"]["message"]
    assert own.read_text() == "mine" and link.is_symlink()


def test_what_was_deleted_comes_back_with_an_export_only_after_a_question(
    told: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "export.json"
    told("memory", "export", str(file))
    told("memory", "forget", "music")
    monkeypatch.setattr("sys.stdin", Terminal("no\n"))
    assert main(["memory", "import", str(file), "--driver", "ada", "--home", str(home)]) == 1
    assert "what was deleted since then comes back" in capsys.readouterr().err and values(told) == {"italian"}
    monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
    assert main(["memory", "import", str(file), "--driver", "ada", "--home", str(home)]) == 0
    capsys.readouterr()
    assert values(told) == {"jazz", "italian"}


def test_switches(told: Run) -> None:
    consent = told("memory", "optout", "music")
    assert consent["opted_out"] == ["music"] and consent["stored"] == 1 and consent["deleted"] is None
    assert told("recall", "jazz music")["recalled"] == [] and values(told) == {"jazz", "italian"}
    assert told("memory", "optout", "music", "--delete")["deleted"]["verified"] is True
    assert values(told) == {"italian"}
    assert told("memory", "optout", "restaurant", "--keep")["stored"] == 1
    assert told("memory", "optin", "music")["opted_out"] == ["restaurant"]
    assert told("memory", "optin", "conversations")["opted_in"] == ["conversations"]
    assert told("memory", "optout", "conversations")["opted_in"] == []
    assert told("memory", "private")["private_trip"] is True
    assert told("remember", "i love rock", "--category", "music")["decisions"][0]["outcome"] == "refused"
    assert told("memory", "private", "--off")["private_trip"] is False


def test_a_pause(run: Run, home: Path) -> None:
    until = datetime.fromisoformat(run("memory", "pause")["paused_until"])
    assert timedelta(0) < until - datetime.now(UTC) <= timedelta(hours=25)
    assert run("remember", "i love rock", "--category", "music")["decisions"][0]["outcome"] == "refused"
    until = datetime.fromisoformat(run("memory", "pause", "--hours", "2")["paused_until"])
    assert timedelta(hours=1.9) < until - datetime.now(UTC) <= timedelta(hours=2)
    assert run("memory", "pause", "--until", "2099-01-01T08:00Z")["paused_until"] == "2099-01-01T08:00:00Z"
    assert main(["memory", "pause", "--until", "2001-01-01", "--driver", "ada", "--home", str(home)]) == 2
    for word, days in (("tomorrow", 1), ("Sunday", 7), (f"{datetime.now().astimezone():%A}", 7)):
        ends = datetime.fromisoformat(run("memory", "pause", "--until", word)["paused_until"]).astimezone()
        ahead = (ends.date() - datetime.now().astimezone().date()).days
        assert 0 < ahead <= days and (ends.hour, ends.minute) == (0, 0), word
        assert word in ("tomorrow", f"{ends:%A}")
    assert run("memory", "pause", "--off")["paused_until"] is None


def test_wiping_destroys_the_key_and_the_vault(told: Run, home: Path) -> None:
    told("remember", "i love rock", "--category", "music", driver="grace")
    done = told("memory", "wipe", "--yes")
    assert done["key_destroyed"] and done["verified"] and "ada.vault" in done["files"]
    assert not list(home.glob("ada*")) and not list(home.rglob("*ada*"))
    assert values(told, driver="grace") == {"rock"} and values(told) == set()


def test_wiping_asks_first(
    told: Run, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: str, **__: object) -> bool:
        return False

    monkeypatch.setattr("typer.confirm", refuse)
    assert main(["memory", "wipe", "--driver", "ada", "--home", str(home)]) == 1
    for arguments in (["wipe"], ["forget", "--all"]):  # JSON alone on standard output: nobody is asked
        assert main(["memory", *arguments, "--json", "--driver", "ada", "--home", str(home)]) == 2
        assert json.loads(capsys.readouterr().out)["error"]["exit_code"] == 2
    assert values(told) == {"jazz", "italian"}


def test_a_profile_is_empty_without_conversations(run: Run, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("memory", "profile") == {"driver": "ada", "profile": []}
    assert main(["memory", "profile", "--driver", "ada", "--home", str(home)]) == 0
    assert "optin conversations" in capsys.readouterr().out


def test_a_line_of_the_profile_is_written_corrected_and_deleted(run: Run) -> None:
    def lines(told: Any) -> list[tuple[Any, ...]]:
        return [(e["aspect"], e["key"], e["value"], e["basis"]) for e in told["profile"]]

    assert lines(run("memory", "profile", "--set", "Best friend", "anna")) == [
        ("fact", "best_friend", "anna", "provided")
    ]
    told = run("memory", "profile", "--set", "best_friend", "bea", "--aspect", "habit")
    assert lines(told) == [("fact", "best_friend", "bea", "provided")]
    assert run("memory", "profile", "--set", "x", " ", code=46)["error"]["code"] == "unknown_entry"
    assert run("memory", "profile", "--set", "x", "y" * 5000, code=48)["error"]["code"] == "text"
    assert run("memory", "profile", "--remove", "sister", code=46)["error"]["code"] == "unknown_entry"
    assert run("memory", "profile", "--remove", "best friend")["profile"] == []


def test_an_unusable_name_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "list", "--driver", "../ada", "--home", str(home)]) == 10
    assert "driver.name" in capsys.readouterr().err


# Switching drivers


@pytest.fixture
def drivers(home: Path) -> Iterator[ConfiguredDrivers]:
    from deploy.config import load_config

    flags = {"home": str(home), "driver.name": "ada", "driver.others": "grace, linus"}
    config = load_config(flags=flags, environment={})
    made = ConfiguredDrivers(config, Seat(open_memory(config)), open_memory)
    yield made
    made.wait()
    made.seat.memory.close()


def test_one_vault_is_open_at_a_time(drivers: ConfiguredDrivers, home: Path) -> None:
    assert drivers.names == ("ada", "grace", "linus")
    drivers.seat.memory.remember("i love jazz", "music")
    grace = drivers.switch("grace")
    assert grace.driver == "grace" and grace.preferences() == ()
    grace.remember("i love rock", "music")
    ada = drivers.switch("ada")
    assert [p.value for p in ada.preferences()] == ["jazz"] and drivers.switch("ada") is ada
    with pytest.raises(UnknownEntryError):
        drivers.switch("mallory")
    assert drivers.seat.memory is ada and not list(home.glob("mallory*"))


def test_a_guest_leaves_nothing(drivers: ConfiguredDrivers, home: Path) -> None:
    drivers.seat.memory.remember("i love jazz", "music")
    guest = drivers.switch(None)
    drivers.wait()
    before = {path: path.read_bytes() for path in home.rglob("*.vault")}
    guest.note(Turn(speaker="driver", text="i love rock", at=datetime.now(UTC)), "one")
    guest.learn(Conversation(id="one", turns=()))
    assert guest.remember("i love rock")[0].outcome == "refused"
    assert guest.preferences() == guest.recall("jazz") == guest.search("jazz") == guest.proposals() == ()
    assert guest.matching(Selector(everything=True)).empty and guest.consent().private_trip
    assert {path: path.read_bytes() for path in home.rglob("*.vault")} == before
    assert [p.value for p in drivers.switch("ada").preferences()] == ["jazz"]


def test_deleting_leaves_a_guest(drivers: ConfiguredDrivers, home: Path) -> None:
    drivers.seat.memory.remember("i love jazz", "music")
    drivers.delete()
    assert isinstance(drivers.seat.memory, GuestMemory) and not list(home.rglob("*ada*"))
    drivers.delete()


def test_facts_stand_beside_preferences(told: Run, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = told("memory", "export")
    fact = {
        "id": "k1", "text": "the spare key is under the mat", "about": "my sister", "said_at": "2026-03-01T08:00:00Z",
        "conversation": "c", "until": None, "until_words": "", "uses": 0, "last_used": None, "basis": "provided",
    }  # fmt: skip
    (home / "other.json").write_text(json.dumps({**exported, "facts": [fact]}), "utf-8")
    told("memory", "import", str(home / "other.json"))
    assert [f["text"] for f in told("memory", "list")["facts"]] == ["the spare key is under the mat"]
    assert told("memory", "list", "facts")["preferences"] == [] and told("memory", "list", "music")["facts"] == []
    assert told("memory", "show", "k1")["kind"] == "fact" and told("memory", "why", "k1")["about"] == "my sister"
    assert told("memory", "correct", "k1", "the key is in the boot")["text"] == "the key is in the boot"
    for command in (("list",), ("why", "k1")):
        assert main(["memory", *command, "--driver", "ada", "--home", str(home)]) == 0
        assert "the key is in the boot" in capsys.readouterr().out
    off = told("memory", "optout", "facts")
    assert off["opted_out"] == ["facts"] and off["stored"] == 1
    assert told("memory", "optin", "facts")["opted_out"] == []
    assert told("memory", "forget", "facts")["kinds"] == {"fact": 1}


def test_what_is_disliked_is_listed_in_a_sentence(told: Run, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = told("memory", "export")
    (jazz,) = (p for p in exported["preferences"] if p["value"] == "jazz")
    disliked = {**jazz, "id": "p9", "value": "country", "sense": "dislikes"}
    (home / "other.json").write_text(json.dumps({**exported, "preferences": [disliked]}), "utf-8")
    told("memory", "import", str(home / "other.json"))
    assert main(["memory", "list", "--driver", "ada", "--home", str(home)]) == 0
    assert "you dislike country music" in capsys.readouterr().out
