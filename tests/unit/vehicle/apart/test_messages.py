"""What goes over the line to the vehicle's process: all of it comes through as it was, and nothing else comes through."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import errors
from schemas.actions import ACTIONS, Action, SetTrunk, SetWindow
from schemas.errors import ConfigError, GloveboxError, PinError, VehicleError
from schemas.events import ActionResult, ActionStatus, VehicleState
from schemas.memory import Waiting
from tests.gated_car import ON_THE_WAY, Car, instances
from vehicle.apart import messages as m
from vehicle.policy import POLICY
from vehicle.undo import action_for

FITTING = m.Fitting(
    adapter="mqtt", options={"mapping": "homeassistant", "password_file": Path("/etc/secret"), "port": 1883}, confirmation_s=14.0,
    organizer=Path("/etc/organizer.json"),
)  # fmt: skip


@pytest.mark.parametrize("profile", ["parked", "town"])
@pytest.mark.parametrize("action", [one for kind in ACTIONS if kind.name in POLICY for one in instances(kind)], ids=str)
def test_every_action_and_what_became_of_it_come_through_as_they_were(action: Action, profile: str) -> None:
    car = Car(profile, at=30.0, initial=ON_THE_WAY)
    wish = m.asked(m.packed(m.Wish(kind="act", id=7, name=action.name, slots=action.slots())))
    assert isinstance(wish, m.Wish) and wish.action() == action
    result = car.act(action)
    back = m.told(m.packed(m.Result.of(7, result)))
    assert isinstance(back, m.Result) and back.id == 7
    assert repr(back.result()) == repr(result)


def test_a_value_beyond_the_steps_of_speech_comes_through() -> None:
    car = Car()
    result = asyncio.run(car.vehicle.put("window.driver", 37))
    assert result.action == action_for("window.driver", 37) and result.status is ActionStatus.DONE
    back = m.told(m.packed(m.Result.of(1, result)))
    assert isinstance(back, m.Result) and back.result() == result


@pytest.mark.parametrize("kind", [m.ERRORS[code] for code in sorted(m.ERRORS)])
def test_every_error_comes_back_as_itself(kind: type[GloveboxError]) -> None:
    error = PinError("wrong", 30) if kind is PinError else kind("what failed")
    back = m.told(m.packed(m.Failed.of(3, error)))
    assert isinstance(back, m.Failed)
    told = back.error()
    assert (type(told), str(told)) == (kind, str(error))
    assert getattr(told, "wait_s", None) == getattr(error, "wait_s", None)


def test_no_error_is_left_out() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GloveboxError)]
    assert set(m.ERRORS.values()) == set(kinds)


def test_an_error_of_another_module_does_not_stand_for_the_one_whose_code_it_has() -> None:
    command = (
        "import vehicle.planning.plan; from vehicle.apart import messages as m; from schemas.errors import AdapterError;"
        "assert type(m.Failed.of(1, AdapterError('broken')).error()) is AdapterError"
    )
    subprocess.run([sys.executable, "-c", command], check=True)


def test_of_a_defect_only_its_kind_is_told() -> None:
    told = m.Failed.of(3, KeyError("the driver's words")).error()
    assert isinstance(told, VehicleError) and "KeyError" in str(told) and "words" not in str(told)


@pytest.mark.parametrize(
    "message",
    [
        m.Begin(fitting=FITTING),
        m.Look(id=1),
        m.Agree(id=2, token="0f"),
        m.Put(id=3, signal="window.driver", value=30),
        m.GiveUp(id=4),
        m.Withdraw(token="0f"),
        m.Restore(era=2, waiting=(Waiting(kind="timer", label="eggs", at=datetime(2026, 11, 20, 12, 0, tzinfo=UTC)),)),
        m.Close(id=5),
    ],
    ids=lambda message: message.kind,
)
def test_what_is_asked_comes_through(message: m.Asked) -> None:
    assert m.asked(m.packed(message)) == message
    with pytest.raises(VehicleError):
        m.told(m.packed(message))


def test_a_state_comes_through_with_its_tuples_and_what_is_no_number() -> None:
    state = VehicleState(
        speed_kmh=float("inf"), gear="P", values={"navigation.stops": ("home", "work"), "x": float("nan")}
    )
    back = m.told(m.packed(m.State(id=1, state=state)))
    assert isinstance(back, m.State) and repr(back.state) == repr(state)


def test_what_has_no_form_or_is_too_long_is_refused_before_it_is_sent() -> None:
    with pytest.raises(ConfigError):
        m.packed(m.Put(id=1, signal="x", value=object()))
    with pytest.raises(ConfigError):
        m.packed(m.Put(id=1, signal="x", value="x" * m.MOST_BYTES))


BAD = (
    b"", b"null", b"[]", b"{", b"\xff\xfe", b'{"kind":"look"}', b'{"kind":"look","id":"1"}', b'{"kind":"look","id":0}',
    b'{"kind":"look","id":1,"more":1}', b'{"kind":"__class__"}', b'{"()":[1]}', b'{"kind":{"()":[]}}', b"[" * 100_000, b"9" * 9000,
    b'{"kind":"look","id":1e999}', b'{"kind":"restore","era":0,"waiting":{"()":[1]}}', b"x" * (m.MOST_BYTES + 1),
    b'{"kind":"confirm","id":1,"token":"' + b"x" * 65 + b'"}',
)  # fmt: skip


@pytest.mark.parametrize("data", BAD, ids=lambda data: repr(data[:40]))
def test_what_is_no_message_is_refused(data: bytes) -> None:
    for read in (m.asked, m.told):
        with pytest.raises(VehicleError) as caught:
            read(data)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inside: (
        st.lists(inside, max_size=4) | st.dictionaries(st.text() | st.sampled_from(["()", "/", "kind", "id"]), inside)
    ),
    max_leaves=20,
)
KINDS = [
    "begin",
    "look",
    "act",
    "foresee",
    "confirm",
    "put",
    "give_up",
    "withdraw",
    "restore",
    "close",
    "state",
    "result",
    "kept",
]


@given(st.binary(max_size=200))
def test_no_bytes_are_more_than_refused(data: bytes) -> None:
    for read in (m.asked, m.told):
        with pytest.raises(VehicleError):
            read(data)


@given(st.fixed_dictionaries(
    {"kind": st.sampled_from(KINDS)},
    optional=dict.fromkeys(("id", "name", "slots", "token", "value", "signal", "era", "waiting", "fitting", "state"), PLAIN),
))  # fmt: skip
def test_what_looks_like_a_message_is_one_or_is_refused(content: dict[str, Any]) -> None:
    for read in (m.asked, m.told):
        try:
            message = read(json.dumps(content).encode())
            if isinstance(message, m.Wish):
                message.action()
        except VehicleError:
            continue


def test_an_action_that_is_none_is_refused() -> None:
    for name, slots in (("open_pod_bay", {}), ("set_window", {"percent": 37}), ("set_window", {"percent": 50, "x": 1})):
        with pytest.raises(VehicleError):
            m.Wish(kind="act", id=1, name=name, slots=slots).action()
    assert m.Wish(kind="act", id=1, name="set_window", slots={"percent": 50}).action() == SetWindow(percent=50)


def test_a_token_comes_through() -> None:
    result = Car().act(SetTrunk(open=True))
    back = m.told(m.packed(m.Result.of(1, result)))
    assert isinstance(back, m.Result) and isinstance(back.result(), ActionResult)
    assert back.result().token == result.token is not None
