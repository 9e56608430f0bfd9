"""What every key source promises (`memory.vault.keys.KeySource`): ours, and each that another package adds (docs/extending.md).

Each test opens its source anew before every step, as processes do that follow one another.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.store.preferences import Store
from memory.vault.keys import KEY_BYTES, KEY_SOURCES, KeySource
from memory.vault.lifecycle import destroy, rotate
from schemas.errors import GloveboxError, KeySourceError
from tests.vaults import NOW, killed_at_every_line, opened, preference, source

SECOND = bytes(range(100, 132))

Opens = Callable[[], KeySource]


@pytest.fixture(params=KEY_SOURCES.names())
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def opens(kind: str, tmp_path: Path) -> Iterator[Opens]:
    """Ada's; a source that keeps its keys outside the folder is left without them."""
    yield lambda: source(kind, tmp_path)
    with contextlib.suppress(GloveboxError):
        source(kind, tmp_path).destroy()


def test_a_key_that_is_missing_is_an_error_and_is_never_made(opens: Opens) -> None:
    for _ in range(2):
        with pytest.raises(KeySourceError) as raised:
            opens().key(create=False)
        assert len(str(raised.value)) > 20, "the message says what to do"
    assert opens().staged() is None


def test_a_key_is_made_once_and_is_the_same_again(opens: Opens) -> None:
    key = opens().key(create=True)
    assert len(key) == KEY_BYTES and len(set(key)) > 8
    assert opens().key(create=True) == key == opens().key(create=False)


def test_with_nothing_staged_there_is_nothing_to_promote_or_to_discard(opens: Opens) -> None:
    key = opens().key(create=True)
    assert opens().staged() is None
    opens().promote()
    opens().discard()
    assert opens().key(create=False) == key and opens().staged() is None


def test_a_second_key_is_kept_beside_the_first(opens: Opens) -> None:
    first = opens().key(create=True)
    second, third = opens().stage(), opens().stage()
    assert len({first, second, third}) == 3 and len(second) == len(third) == KEY_BYTES
    assert opens().staged() == third and opens().key(create=False) == first
    assert opens().stage(SECOND) == SECOND == opens().staged(), "a key that is given is the one that is kept"
    opens().discard()
    assert opens().staged() is None and opens().key(create=False) == first


def test_a_staged_key_takes_the_place_of_the_first(opens: Opens) -> None:
    opens().key(create=True)
    second = opens().stage()
    opens().promote()
    assert opens().key(create=False) == second and opens().staged() is None and not opens().shared()


def test_a_key_from_another_source_comes_to_one_that_has_none(opens: Opens) -> None:
    assert opens().stage(SECOND) == SECOND
    opens().promote()
    assert opens().key(create=False) == SECOND and opens().staged() is None


def test_what_is_destroyed_is_gone_and_may_be_destroyed_again(opens: Opens) -> None:
    opens().key(create=True)
    opens().stage()
    opens().promote()  # from here on the key is this vault's own, also where the first was shared
    opens().stage()
    assert opens().destroy() and opens().destroy()
    assert opens().staged() is None
    with pytest.raises(KeySourceError):
        opens().key(create=False)


def test_a_key_is_one_vault_s_own_unless_it_is_shared(kind: str, opens: Opens, tmp_path: Path) -> None:
    other = source(kind, tmp_path, "bob")
    with contextlib.ExitStack() as last:
        last.callback(other.destroy)
        key, shared = other.key(create=True), other.shared()
        assert opens().shared() is shared and (opens().key(create=True) == key) is shared
        assert opens().destroy() is not shared, "a shared key is left, and that is said"
        assert source(kind, tmp_path, "bob").key(create=False) == key, "the other driver's vault still opens"


def test_a_vault_opens_by_it_is_given_another_key_and_is_destroyed(opens: Opens, tmp_path: Path) -> None:
    with closing(opened(tmp_path, opens())) as vault:
        Store(vault).add(preference("p1"), NOW)
    before = opens().key(create=False)
    rotate(tmp_path, "ada", opens())
    assert opens().key(create=False) != before
    with closing(opened(tmp_path, opens())) as vault:
        assert Store(vault).preferences() == (preference("p1"),)
    assert destroy(tmp_path, "ada", opens()).verified


def change(opens: Opens, step: str) -> None:
    keys = opens()
    keys.stage(SECOND) if step == "stage" else keys.promote() if step == "promote" else keys.discard()


@pytest.mark.parametrize("step", ["stage", "promote", "discard"])
def test_killed_at_every_line_each_step_of_a_change_is_done_or_not(opens: Opens, step: str) -> None:
    """Wherever it dies the vault opens with the key or with the staged one, and what a killed process left can be cleared."""
    keys = opens()
    first = keys.key(create=True)
    within = {base.__module__ for base in type(keys).__mro__} - {"builtins", "typing"}

    def fresh() -> None:
        opens().discard()
        opens().stage(first)
        opens().promote()
        opens().stage(SECOND) if step != "stage" else None

    def either() -> None:
        key, staged = opens().key(create=False), opens().staged()
        assert (key, staged) in {(first, None), (first, SECOND)} if step != "promote" else SECOND in (key, staged)
        opens().discard()
        assert opens().key(create=False) == key and opens().staged() is None

    assert killed_at_every_line(lambda: change(opens, step), tuple(within), fresh, either) > 0
