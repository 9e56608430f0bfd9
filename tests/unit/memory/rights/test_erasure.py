"""Erasure across all tiers: what goes with what, and that no byte of it is left, in files, in decrypted pages, in the process."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.rights import exports
from memory.rights.erasure import found_in_files
from memory.service import DriverMemory
from memory.store.summaries import Line
from memory.store.words import TEXT_COLUMNS, Needles
from schemas.errors import UnknownEntryError
from schemas.memory import CONVERSATIONS, Episode, Kind, Period, Preference, ProfileEntry, Selector, Thought, Turn
from tests.memories import StoppedClock, memory_of
from tests.vaults import every_word

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
SECRET = "zydeco"
GENRE = ("favorite_genres",)


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock(START)


def opened(folder: Path, clock: StoppedClock) -> DriverMemory:
    return memory_of(clock=clock, folder=folder)


@pytest.fixture
def memory(tmp_path: Path, clock: StoppedClock) -> Iterator[DriverMemory]:
    """Something of every kind about zydeco, and something of every kind that is not."""
    made = opened(tmp_path, clock)
    made.opt_in(CONVERSATIONS)
    made.remember("i love zydeco", "favorite_genres")
    made.remember("i love italian food", "favourite_cuisine")
    archive = made.session.archive
    said = {"e1": ("play some Zydeco please", "Playing zydeco.", GENRE), "e2": ("take me home", "Taking you home.", ()),
            "e3": ("i love zydeco", "Okay, noted.", GENRE)}  # fmt: skip
    for number, (name, (driver, assistant, details)) in enumerate(said.items()):
        at = START + number * DAY
        archive.keep(Episode(id=name, conversation=f"t{number}-1", at=at, driver=driver, assistant=assistant,
                             details=details, links=tuple(said)), clock.now)  # fmt: skip
    thoughts = {
        "h1": ("asks for zydeco", ("e1", "e3")),
        "h2": ("goes home", ("e2",)),
        "h3": ("music on the way", ("e1",)),
    }
    for name, (text, sources) in thoughts.items():
        archive.think(Thought(id=name, kind=Kind.THOUGHT, text=text, at=START, sources=sources), clock.now)
    lines = [Line("e1", "zydeco was played", GENRE, ("zydeco",)), Line("e2", "went home", (), ())]
    archive.summarise("s1", date(2026, 3, 1), lines, clock.now)
    archive.grow(["zydeco", "home"], clock.now)
    archive.put_entry(ProfileEntry(id="p1", aspect="habit", key="music", value="often zydeco", sources=("e1",), since=START),
                      clock.now)  # fmt: skip
    archive.put_entry(
        ProfileEntry(id="p2", aspect="fact", key="home", value="lives nearby", since=START, edited=True), clock.now
    )
    made.note(Turn(speaker="driver", text="more zydeco music", at=START), "waits")
    made.note(Turn(speaker="driver", text="i love rock music", at=START), "waits")
    yield made
    made.close()


def held(memory: DriverMemory) -> dict[str, set[str]]:
    archive = memory.session.archive
    return {
        "preferences": {p.value for p in memory.preferences(history=True)},
        "episodes": {e.id for e in archive.episodes()},
        "thoughts": {t.id for t in archive.thoughts()},
        "lines": {line.source for lines in archive.lines().values() for line in lines},
        "profile": {e.id for e in archive.profile()},
        "turns": {text for _, text in memory.session.store.turns()},
    }


def cells(memory: DriverMemory) -> str:
    """Every text in every table of the vault, whatever column it stands in."""
    vault = memory.session.vault
    tables = [name for (name,) in vault.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return "\n".join(str(row) for table in tables for row in vault.rows(f"SELECT * FROM {table}")).lower()  # noqa: S608


def raw(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file()).lower()


def pages(memory: DriverMemory, tmp_path: Path) -> bytes:
    """The vault's pages in clear, free ones and the rest of cells included."""
    plain = tmp_path.parent / f"{tmp_path.name}-plain.db"
    vault = memory.session.vault
    vault.rows(f"ATTACH DATABASE '{plain}' AS plain KEY ''")
    try:
        vault.rows("SELECT sqlcipher_export('plain')")
    finally:
        vault.rows("DETACH DATABASE plain")
    return plain.read_bytes().lower()


LEFT = {
    "preferences": {"italian"},
    "episodes": {"e2"},
    "thoughts": {"h2"},
    "lines": {"e2"},
    "profile": {"p2"},
    "turns": {"i love rock music"},
}


@pytest.mark.parametrize("how", ["id", "text", "category"])
def test_with_a_preference_goes_all_that_tells_it(memory: DriverMemory, tmp_path: Path, how: str) -> None:
    (zydeco,) = (p for p in memory.preferences() if p.value == SECRET)
    exports.save(tmp_path, "ada", memory.export(), START)
    (tmp_path / "ada.v2.backup").write_bytes(b"an older copy")
    assert SECRET in cells(memory)
    what = {"id": Selector(id=zydeco.id), "text": Selector(text="Zydeco"), "category": Selector(key="favorite_genres")}[
        how
    ]
    preview = memory.matching(what)
    receipt = memory.forget_where(what)
    now = held(memory)
    if how == "category":  # the encoder's fake takes rock for music, too
        now["turns"] |= {"i love rock music"}
    assert now == LEFT
    assert receipt.verified and zydeco.id in receipt.erased and {"e1", "e3", "h1", "h3", "p1"} <= set(receipt.erased)
    assert receipt.kinds[Kind.EPISODE] == 2 and receipt.kinds[Kind.THOUGHT] == 2 and receipt.kinds[Kind.PROFILE] == 1
    assert receipt.backups_erased == 2 and not list((tmp_path / "exports").iterdir())
    assert preview.kinds[Kind.PREFERENCE] == 1 and preview.kinds[Kind.EPISODE] == 2
    assert receipt.categories == ("entertainment_and_media.music.favorite_genres",)
    assert SECRET not in receipt.model_dump_json() and receipt.period is not None
    assert SECRET not in cells(memory)
    assert SECRET.encode() not in pages(memory, tmp_path)
    assert SECRET.encode() not in raw(tmp_path)
    vectors = {name for (name,) in memory.session.vault.rows("SELECT memory FROM vectors")}
    assert not vectors & set(receipt.erased)
    links = {name for row in memory.session.vault.rows("SELECT memory, other FROM links") for name in row}
    assert not links & set(receipt.erased)
    assert memory.recall("zydeco music") == () and memory.search("zydeco music") == ()
    del preview
    gc.collect()
    assert not [p for p in gc.get_objects() if type(p) is type(zydeco) and p is not zydeco and p.value == SECRET]


def test_forgetting_everything_leaves_no_word(memory: DriverMemory, tmp_path: Path) -> None:
    receipt = memory.forget_where(Selector(everything=True))
    assert receipt.verified and set(receipt.kinds) == {
        Kind.PREFERENCE,
        Kind.EPISODE,
        Kind.THOUGHT,
        Kind.SUMMARY,
        Kind.PROFILE,
    }
    assert all(not memory.session.vault.rows(f"SELECT {column} FROM {table}") for table, column in TEXT_COLUMNS)  # noqa: S608
    for word in ("zydeco", "italian", "home", "nearby"):
        assert word.encode() not in pages(memory, tmp_path) and word.encode() not in raw(tmp_path)
        (tmp_path.parent / f"{tmp_path.name}-plain.db").unlink()


def test_a_time_takes_only_what_was_said_in_it(memory: DriverMemory, clock: StoppedClock) -> None:
    clock.now = START + 5 * DAY
    memory.remember("i love zydeco as ever", "favorite_genres")
    receipt = memory.forget_where(Selector(period=Period(since=START + DAY / 2, until=START + 3 * DAY)))
    assert receipt.verified and held(memory)["episodes"] == {"e1"}
    (zydeco,) = (p for p in memory.preferences() if p.value == SECRET)
    memory.forget_where(Selector(period=Period(since=START + 4 * DAY)))
    (zydeco,) = (p for p in memory.preferences() if p.value == SECRET)
    assert zydeco.sentences == ("i love zydeco",)
    receipt = memory.forget_where(Selector(period=Period(until=START + DAY / 2)))
    assert held(memory)["preferences"] == set() and receipt.verified


def test_a_conversation_takes_its_episodes(memory: DriverMemory) -> None:
    receipt = memory.forget_where(Selector(conversation="t0-1"))
    assert receipt.verified and held(memory)["episodes"] == {"e2", "e3"}
    assert held(memory)["lines"] == {"e2"} and "h3" not in held(memory)["thoughts"]


def test_a_trip_takes_all_its_conversations_and_no_others(memory: DriverMemory, tmp_path: Path) -> None:
    memory.begin_trip("drive")
    with memory.session.store.transaction():
        for name, conversation in (
            ("a", "drive-1"),
            ("b", "drive-12"),
            ("c", "drive-1x"),
            ("d", "drives-1"),
            ("e", "drive"),
        ):
            value = f"sound{name}"
            memory.session.store.add(Preference(id=name, detail=GENRE[0], value=value, sentences=(f"i love {value}",),
                                         conversation=conversation, confidence=0.9, valid_from=START), START)  # fmt: skip
    memory.note(Turn(speaker="driver", text="i love rock music", at=START), "drive-2")
    assert memory.matching(Selector(conversation="drive")).kinds == {Kind.PREFERENCE: 3}
    receipt = memory.forget_where(Selector(conversation="drive"))
    assert receipt.verified and set(receipt.erased) == {"a", "b", "e"} and receipt.turns_erased == 1
    assert {"c", "d"} <= {p.id for p in memory.preferences()} and "drive" not in {t.id for t in memory.trips()}


@pytest.mark.parametrize(("name", "tier"), [("e2", "episodes"), ("h2", "thoughts"), ("p2", "profile")])
def test_one_memory_of_any_kind_goes_by_its_id(memory: DriverMemory, name: str, tier: str) -> None:
    assert name in memory.forget(name).erased
    assert name not in held(memory)[tier] and SECRET in held(memory)["preferences"]


def test_what_was_on_its_way_out_before_everything_goes_with_it(memory: DriverMemory) -> None:
    first = memory.withhold(Selector(key="music"))
    everything = memory.withhold(Selector(everything=True))
    memory.carry_out(everything.token)
    assert memory.preferences(history=True) == () and memory.episodes() == ()
    with pytest.raises(UnknownEntryError):
        memory.carry_out(first.token)
    assert memory.rights.carry_out_all() == ()


def test_what_is_withheld_is_erased_when_the_vault_is_next_opened(
    memory: DriverMemory, tmp_path: Path, clock: StoppedClock
) -> None:
    before = held(memory)
    withheld = memory.withhold(Selector(text=SECRET))
    assert held(memory) == LEFT and memory.search("zydeco music") == () and SECRET not in str(memory.export()).lower()
    memory.restore(withheld.token)
    assert held(memory) == before
    memory.withhold(Selector(text=SECRET))
    memory.session.vault.close()  # as if the process had died
    again = opened(tmp_path, clock)
    try:
        assert held(again) == LEFT and SECRET not in cells(again)
        assert again.session.vault.rows("SELECT count(*) FROM withheld") == [(0,)]
    finally:
        again.close()


def test_what_is_withheld_is_no_trace_of_what_is_forgotten_meanwhile(memory: DriverMemory) -> None:
    withheld = memory.withhold(Selector(text=SECRET))
    memory.remember("i love zydeco", "favorite_genres")
    assert memory.forget_where(Selector(text=SECRET)).verified
    assert memory.carry_out(withheld.token).verified
    assert SECRET not in str(every_word(memory.session.store))


def test_needles_are_found_word_by_word_and_by_character() -> None:
    many = Needles(["jazz", "hard rock", "!!", *(f"word {n}" for n in range(40))])
    assert many.stand_in("I like HARD ROCK.") and many.stand_in("what!!") and many.stand_in("a word 7 b")
    assert not many.stand_in("jazzy hard rocks") and not many.stand_in("word 99")
    assert many.may_stand(["text"]) == ("1", [])
    few = Needles(["Café del Mar", "jazz"])
    where, given = few.may_stand(["text"])
    assert "1" in where and given == ["jazz"]


@pytest.mark.parametrize("name", ["ada.vault", "ada.vault-wal", "ada.v2.backup", "notes.txt", "exports/ada.json"])
def test_a_text_in_clear_is_found_in_any_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(bytes(3000) + b"i love zydeco" + bytes(3000))
    assert found_in_files(tmp_path, ["i love zydeco", "zydeco"]) == (path,)
    assert found_in_files(tmp_path, ["i love blues", "yes"]) == ()


def test_many_texts_are_found_at_once_wherever_they_stand(tmp_path: Path) -> None:
    needles = [f"sound number {number} of the drive" for number in range(300)]
    noise = bytes((number * 7919) % 251 for number in range(3 << 20))
    file = tmp_path / "notes.txt"
    for place in (0, (1 << 20) - 9, len(noise)):
        file.write_bytes(noise[:place] + needles[211].encode() + noise[place:])
        assert found_in_files(tmp_path, needles) == (file,)
    file.write_bytes(noise + b"sound number ")
    assert found_in_files(tmp_path, needles) == ()


def test_a_whole_category_goes_in_a_few_statements(memory: DriverMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one for each memory: a thousand of them took minutes once."""
    store, vault = memory.session.store, memory.session.vault
    with store.transaction():
        for number in range(300):
            value = f"sound{number}"
            store.add(Preference(id=f"p{number}", detail=GENRE[0], value=value, sentences=(f"i love {value}",),
                                 conversation="c", confidence=0.9, valid_from=START), START)  # fmt: skip
            memory.session.archive.keep(Episode(id=f"x{number}", conversation="c", at=START, driver=f"play {value}", details=GENRE,
                                         assistant="Okay."), START)  # fmt: skip
    statements = list[str]()

    def counted(run: Callable[..., Any]) -> Callable[..., Any]:
        def noted(sql: str, values: Sequence[Any] = ()) -> Any:
            statements.append(sql)
            return run(sql, values)

        return noted

    for name in ("rows", "write"):
        monkeypatch.setattr(vault, name, counted(getattr(vault, name)))
    receipt = memory.forget("favorite_genres")
    assert receipt.verified and receipt.kinds[Kind.PREFERENCE] >= 300 and receipt.kinds[Kind.EPISODE] >= 300
    assert 0 < len(statements) < 200


def test_a_value_that_is_all_that_was_said_may_be_the_value_of_another(memory: DriverMemory) -> None:
    for detail in ("favourite_cuisine", "favorite_genres"):
        memory.remember("moon river", detail)
    cuisine, genre = (memory.preferences(detail)[0] for detail in ("favourite_cuisine", "favorite_genres"))
    assert cuisine.value == genre.value == genre.sentences[0] == "moon river"
    assert memory.forget(cuisine.id).verified
    assert memory.preferences("favorite_genres")[0].value == "moon river"
    assert memory.forget(genre.id).verified
    assert "moon river" not in " ".join(every_word(memory.session.store))


def test_what_was_told_in_the_same_breath_stays_without_the_value(memory: DriverMemory) -> None:
    both = "i like skiffle and i always charge at ionity"
    for name, detail, value, sentences in (
        ("g", "favorite_genres", "skiffle", (both,)),
        ("c", "preferred_charging_network", "ionity", (both, "ionity it is")),
        ("d", "preferred_payment_method", "card", (both,)),
    ):
        told = Preference(id=name, detail=detail, value=value, sentences=sentences, conversation="t", confidence=1.0,
                          valid_from=START)  # fmt: skip
        memory.session.store.add(told, START)
    receipt = memory.forget_where(Selector(text="skiffle"))
    assert receipt.verified and receipt.erased == ("g",)
    left = {p.id: p.sentences for p in memory.preferences()}
    assert left["c"] == ("i like ... and i always charge at ionity", "ionity it is")
    assert left["d"] == ("i like ... and i always charge at ionity",)
    assert "skiffle" not in " ".join(every_word(memory.session.store))
    assert set(memory.forget_where(Selector(text="always charge at ionity")).erased) == {"d"}  # a sentence, not a value
