"""The gate: what counts as moving, that less knowledge never allows more, and everything it has to remember."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import pytest

from schemas.actions import (
    ACTIONS,
    Action,
    ChangeWindow,
    FindPlace,
    GetCapabilities,
    GetRange,
    MoveSeat,
    PlayMusic,
    SetFogLights,
    SetHighBeam,
    SetReminder,
    SetSunroof,
    SetSunshade,
    SetTrunk,
    SetWindow,
    Undo,
)
from schemas.clock import StreamClock
from schemas.errors import ConfirmationError
from schemas.events import Motion, VehicleState, Verdict
from vehicle.gate import LOG_LENGTH, SILENT, TOO_OFTEN, Gate, Occasion, impersonal_slots, motion, rule
from vehicle.policy import CONFIRMATION_S, POLICY, RATE_LIMITS, RATE_WINDOW_S, STALE_S, UNKNOWN_PARKED, UNKNOWN_SPEED
from vehicle.signals import SIGNALS

INITIAL = {name: signal.initial for name, signal in SIGNALS.items()}
TRUNK = SetTrunk(open=True)


def state(
    speed: float | None = 0.0,
    gear: str | None = "P",
    *,
    ignition: bool | None = True,
    age: float = 0.0,
    **values: Any,
) -> VehicleState:
    given = {name.replace("__", "."): value for name, value in values.items()}
    return VehicleState(speed_kmh=speed, gear=gear, ignition_on=ignition, age_s=age, values=INITIAL | given)


PARKED, TOWN = state(), state(50.0, "D")


@pytest.fixture
def clock() -> StreamClock:
    return StreamClock()


@pytest.fixture
def gate(clock: StreamClock) -> Gate:
    tokens = (f"token{number}" for number in itertools.count(1))
    armed = Gate(clock, new_token=lambda: next(tokens))
    assert armed.arm(PARKED)
    return armed


# What counts as moving -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "driving"),
    [
        (state(), Motion.PARKED),
        (state(ignition=False), Motion.PARKED),
        (state(age=STALE_S), Motion.PARKED),
        (state(gear="D"), Motion.IDLING),
        (state(gear="N"), Motion.IDLING),
        (state(gear="R"), Motion.IDLING),
        (state(50.0, "D"), Motion.MOVING),
        (state(math.nextafter(0.0, 1.0), "D"), Motion.MOVING),
        (state(5.0, "P"), Motion.MOVING),
        (state(None), Motion.MOVING),
        (state(math.nan), Motion.MOVING),
        (state(math.inf), Motion.MOVING),
        (state(-1.0, "R"), Motion.MOVING),
        (state(gear=None), Motion.MOVING),
        (state(gear="4"), Motion.MOVING),
        (state(ignition=None), Motion.MOVING),
        (state(age=math.nextafter(STALE_S, 2.0)), Motion.MOVING),
        (state(age=-0.1), Motion.MOVING),
        (state(age=math.nan), Motion.MOVING),
    ],
)
def test_motion(seen: VehicleState, driving: Motion) -> None:
    assert motion(seen) is driving


SEVERITY = {Verdict.ALLOW: 0, Verdict.CONFIRM: 1, Verdict.DENY: 2}
WISHES: tuple[Action, ...] = tuple(
    action.model_validate(slots)
    for action in ACTIONS
    if action.name in POLICY
    for slots in {
        "change_window": [{"window": w, "change": c} for w in ("driver", "all") for c in ("open", "close")],
        "change_sunroof": [{"change": "open"}, {"change": "close"}],
        "change_display_brightness": [{"change": "down"}],
        "set_display_brightness": [{"percent": 0}],
        "set_charge_port": [{"open": True}],
        "recline_seat": [{"direction": "back"}],
        "recall_seat_position": [{"number": 1}],
        "call_contact": [{"person": "x"}],
        "set_window": [{"window": w, "percent": p} for w in ("driver", "rear_left", "all") for p in (0, 30, 100)],
        "set_sunroof": [{"percent": 0}, {"percent": 50}, {"percent": 100}],
        "set_sunshade": [{"percent": 0}, {"percent": 100}],
        "set_trunk": [{"open": True}, {"open": False}],
        "set_door_locks": [{"locked": True}, {"locked": False}],
        "set_mirrors": [{"folded": True}, {"folded": False}],
        "set_fan_speed": [{"level": 0}, {"level": 3}],
        "change_fan_speed": [{"change": "down"}],
        "set_airflow": [{"direction": "face"}],
        "move_seat": [{"direction": "up"}],
    }.get(action.name, [{"on": True}, {"on": False}] if "on" in action.model_fields else [])
)


def less_known(seen: VehicleState) -> Iterator[VehicleState]:
    """The same state with one thing not known any more, or everything of it old."""
    for field in ("speed_kmh", "gear", "ignition_on"):
        yield seen.model_copy(update={field: None})
    yield seen.model_copy(update={"age_s": 5.0})
    yield seen.model_copy(update={"age_s": math.nan})
    for name in seen.values:
        for unknown in (None, math.nan, "broken"):
            yield seen.model_copy(update={"values": {**seen.values, name: unknown}})
        yield seen.model_copy(update={"values": {k: v for k, v in seen.values.items() if k != name}})


@pytest.mark.parametrize(("speed", "gear"), [(0.0, "P"), (0.0, "D"), (50.0, "D"), (100.0, "D"), (130.0, "D")])
@pytest.mark.parametrize("ignition", [True, False])
def test_less_knowledge_never_allows_more(speed: float, gear: str, ignition: bool) -> None:
    looked_at = {condition.subject for rows in POLICY.values() for row in rows for condition in row.when}
    names = [
        name
        for name in SIGNALS
        if name in looked_at or name.startswith(("window.", "display.")) or name == "sunroof.shade"
    ]
    others = [
        {"climate.defrost_front": True, "climate.air_conditioning": True, "light.fog": True, "sunroof.position": 50},
        {"window.driver": 50, "window.rear_left": 50, "light.high_beam": True, "outside.rain": 0, "sunroof.shade": 50},
        {},
    ]
    for other in others:
        seen = state(speed, gear, ignition=ignition)
        seen = seen.model_copy(update={"values": {name: (INITIAL | other)[name] for name in names}})
        for wish in WISHES:
            known = SEVERITY[rule(wish, seen).verdict]
            for dimmer in less_known(seen):
                assert SEVERITY[rule(wish, dimmer).verdict] >= known, (wish.describe(), dimmer)


def test_nothing_known_refuses_what_could_harm() -> None:
    blind = VehicleState()
    for wish in (TRUNK, SetWindow(percent=50), SetSunroof(percent=50), MoveSeat(direction="up"), SetFogLights(on=True)):
        assert rule(wish, blind).verdict is Verdict.DENY


def test_an_action_without_a_row_is_a_defect() -> None:
    with pytest.raises(KeyError):
        rule(TRUNK, PARKED, {"set_trunk": ()})
    with pytest.raises(KeyError):
        rule(TRUNK, PARKED, {})


@pytest.mark.parametrize(
    ("position", "percent", "verdict"),
    [(None, 0, "allow"), (None, 100, "deny"), (0, 0, "allow"), (100, 100, "allow")],
)
def test_what_is_at_its_end_does_not_travel_further(position: int | None, percent: int, verdict: str) -> None:
    fast = state(130.0, "D", window__driver=position)
    assert rule(SetWindow(percent=percent), fast).verdict == verdict


# Silence --------------------------------------------------------------------------------------------------------------


def test_it_starts_silent(clock: StreamClock) -> None:
    gate = Gate(clock)
    assert not gate.armed
    assert gate.request(GetRange(), PARKED) == (SILENT, None)
    assert SILENT.reason


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (PARKED, True),
        (VehicleState(speed_kmh=0.0), True),
        (VehicleState(gear="P"), True),
        (VehicleState(ignition_on=False), True),
        (VehicleState(values={"window.driver": 0}, age_s=math.inf), True),
        (state(age=2.0), True),
        (VehicleState(), False),
    ],
)
def test_a_vehicle_that_has_told_anything_arms_it(clock: StreamClock, seen: VehicleState, told: bool) -> None:
    gate = Gate(clock)
    assert gate.arm(seen) is told
    assert gate.armed is told


def test_where_the_speed_never_comes_it_counts_as_moving_and_not_as_silence(clock: StreamClock) -> None:
    gate = Gate(clock)
    blind = VehicleState(values={"window.driver": 0}, age_s=3600.0)
    gate.arm(blind)
    assert gate.request(SetWindow(percent=0), blind)[0].verdict is Verdict.ALLOW
    for wish in (SetWindow(percent=30), TRUNK):
        refused = gate.request(wish, blind)[0]
        assert refused.verdict is Verdict.DENY
        assert refused.reason == f"{UNKNOWN_SPEED} {rule(wish, blind).reason}", "and not as if we drove too fast"


def test_a_refusal_names_what_is_not_known_only_where_that_is_why(gate: Gate) -> None:
    without_gear = VehicleState(speed_kmh=0.0)
    assert gate.request(TRUNK, without_gear)[0].reason == f"{UNKNOWN_PARKED} {rule(TRUNK, TOWN).reason}"
    for driving in (TOWN, VehicleState(speed_kmh=50.0)):
        assert gate.request(TRUNK, driving)[0].reason == rule(TRUNK, driving).reason
    under_open_roof = VehicleState(values={"sunroof.position": 50, "sunroof.shade": 100})
    shade = SetSunshade(percent=0)
    assert gate.request(shade, under_open_roof)[0].reason == rule(shade, under_open_roof).reason


def test_once_armed_a_poor_state_does_not_disarm(gate: Gate) -> None:
    assert gate.arm(VehicleState())
    assert gate.request(TRUNK, VehicleState())[0].rule == "trunk_open"


def test_disarming_drops_every_question(gate: Gate) -> None:
    _, token = gate.request(TRUNK, PARKED)
    gate.disarm()
    assert not gate.armed
    gate.arm(PARKED)
    with pytest.raises(ConfirmationError):
        gate.confirm(str(token), PARKED)
    assert [entry.occasion for entry in gate.log] == [Occasion.REQUEST, Occasion.SILENCED]


def test_silence_holds_for_a_confirmation_too(clock: StreamClock) -> None:
    # Cannot happen through disarm, which drops questions; the judgement itself does not rely on that.
    gate = Gate(clock)
    gate.arm(PARKED)
    _, token = gate.request(TRUNK, PARKED)
    gate._armed = False
    assert gate.confirm(str(token), PARKED)[1] == SILENT


# Confirmation ---------------------------------------------------------------------------------------------------------


def test_a_yes_allows_that_action(gate: Gate) -> None:
    ruling, token = gate.request(TRUNK, PARKED)
    assert (ruling.verdict, token) == (Verdict.CONFIRM, "token1")
    action, ruling = gate.confirm("token1", PARKED)
    assert action is TRUNK
    assert (ruling.verdict, ruling.rule, ruling.reason) == (Verdict.ALLOW, "trunk_open", "")


def test_a_token_works_once(gate: Gate) -> None:
    gate.request(TRUNK, PARKED)
    gate.confirm("token1", PARKED)
    with pytest.raises(ConfirmationError):
        gate.confirm("token1", PARKED)


def test_a_refused_confirmation_is_used_up_as_well(gate: Gate) -> None:
    gate.request(TRUNK, PARKED)
    assert gate.confirm("token1", TOWN)[1].verdict is Verdict.DENY
    with pytest.raises(ConfirmationError):
        gate.confirm("token1", PARKED)


def test_tokens_are_bound_to_their_action(gate: Gate) -> None:
    high = SetHighBeam(on=True)
    gate.request(TRUNK, PARKED)
    gate.request(high, PARKED)
    assert gate.waiting("token2") is high
    assert gate.confirm("token2", PARKED)[0] is high
    assert gate.confirm("token1", PARKED)[0] is TRUNK


@pytest.mark.parametrize("token", ["", "token2", "TOKEN1"])
def test_unknown_tokens_are_refused(gate: Gate, token: str) -> None:
    gate.request(TRUNK, PARKED)
    with pytest.raises(ConfirmationError):
        gate.confirm(token, PARKED)


def test_it_waits_until_the_last_instant(gate: Gate, clock: StreamClock) -> None:
    gate.request(TRUNK, PARKED)
    clock.advance_to(CONFIRMATION_S)
    assert gate.confirm("token1", PARKED)[1].verdict is Verdict.ALLOW


def test_it_does_not_wait_longer(gate: Gate, clock: StreamClock) -> None:
    gate.request(TRUNK, PARKED)
    clock.advance_to(math.nextafter(CONFIRMATION_S, 100.0))
    with pytest.raises(ConfirmationError, match="set_trunk waited longer than 14 s"):
        gate.confirm("token1", PARKED)
    assert gate.log[-1].occasion is Occasion.EXPIRED


def test_how_long_it_waits_can_be_chosen(clock: StreamClock) -> None:
    gate = Gate(clock, confirmation_s=20.0)
    gate.arm(PARKED)
    _, token = gate.request(TRUNK, PARKED)
    clock.advance_to(20.0)
    assert gate.waiting(str(token)) is TRUNK


def test_expired_questions_leave_with_the_next_request(gate: Gate, clock: StreamClock) -> None:
    gate.request(TRUNK, PARKED)
    clock.advance_to(5.0)
    gate.request(SetHighBeam(on=True), PARKED)
    clock.advance_to(16.0)
    gate.request(GetRange(), PARKED)
    assert [entry.occasion for entry in gate.log] == [Occasion.REQUEST] * 2 + [Occasion.EXPIRED, Occasion.REQUEST]
    assert gate.waiting("token2")


def test_withdrawing(gate: Gate) -> None:
    gate.request(TRUNK, PARKED)
    gate.withdraw("token1")
    gate.withdraw("token1")
    gate.withdraw("never")
    with pytest.raises(ConfirmationError):
        gate.waiting("token1")
    assert [entry.occasion for entry in gate.log] == [Occasion.REQUEST, Occasion.WITHDRAWN]


def test_own_tokens_do_not_repeat(clock: StreamClock) -> None:
    gate = Gate(clock)
    gate.arm(PARKED)
    assert len({gate.request(TRUNK, PARKED)[1] for _ in range(50)}) == 50


@pytest.mark.parametrize("wish", [SetWindow(percent=50), TRUNK, SetHighBeam(on=True)])
def test_foreseeing_is_the_ruling_and_leaves_no_trace(gate: Gate, wish: Action) -> None:
    before = gate.log
    foreseen = [gate.foresee(wish, TOWN) for _ in range(100)]
    assert gate.log == before
    ruling, _ = gate.request(wish, TOWN)
    assert foreseen == [ruling] * 100


# Rates ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wish", [wish for wish in WISHES if rule(wish, PARKED).verdict is Verdict.ALLOW])
def test_every_action_has_its_rate(clock: StreamClock, wish: Action) -> None:
    gate = Gate(clock)
    gate.arm(PARKED)
    limit = RATE_LIMITS[POLICY[wish.name][-1].tier]
    for _ in range(limit):
        assert gate.request(wish, PARKED)[0].verdict is Verdict.ALLOW
    assert gate.request(wish, PARKED) == (TOO_OFTEN, None)
    clock.advance_to(math.nextafter(RATE_WINDOW_S, 0.0))
    assert gate.request(wish, PARKED) == (TOO_OFTEN, None)
    clock.advance_to(RATE_WINDOW_S)
    assert gate.request(wish, PARKED)[0].verdict is Verdict.ALLOW


def test_rates_count_confirmed_actions_and_hold_at_confirmation(gate: Gate) -> None:
    tokens = [gate.request(TRUNK, PARKED)[1] for _ in range(4)]
    verdicts = [gate.confirm(str(token), PARKED)[1].rule for token in tokens]
    assert verdicts == ["trunk_open"] * 3 + ["too_often"]


def test_what_is_refused_does_not_count(gate: Gate, clock: StreamClock) -> None:
    for _ in range(50):
        assert gate.request(MoveSeat(direction="up"), TOWN)[0].rule == "move_seat"
    assert gate.request(MoveSeat(direction="up"), PARKED)[0].verdict is Verdict.ALLOW
    assert clock.now() == 0.0


def test_one_action_does_not_use_up_anothers_rate(gate: Gate) -> None:
    for _ in range(6):
        gate.request(SetWindow(percent=50), PARKED)
    assert gate.request(SetWindow(percent=50), PARKED)[0] == TOO_OFTEN
    assert gate.request(SetSunroof(percent=50), PARKED)[0].verdict is Verdict.ALLOW


# The log --------------------------------------------------------------------------------------------------------------


def test_the_log_keeps_no_words_of_the_driver(gate: Gate) -> None:
    gate.request(FindPlace(kind="restaurant", quality="near my sister anna"), PARKED)
    gate.request(PlayMusic(artist="my secret band"), PARKED)
    gate.request(SetWindow(window="rear_left", percent=50), TOWN)
    assert [(entry.action, dict(entry.slots)) for entry in gate.log] == [
        ("find_place", {"kind": "restaurant"}),
        ("play_music", {}),
        ("set_window", {"window": "rear_left", "percent": 50}),
    ]
    assert "anna" not in repr(gate.log)
    assert "secret" not in repr(gate.log)


def test_switches_and_numbers_are_kept() -> None:
    assert impersonal_slots(SetFogLights(on=False)) == {"on": False}
    assert impersonal_slots(MoveSeat(direction="back")) == {"direction": "back"}


def test_the_log_is_a_copy_and_tells_state_and_rule(gate: Gate, clock: StreamClock) -> None:
    clock.advance_to(3.0)
    gate.request(TRUNK, TOWN)
    (entry,) = gate.log
    assert (entry.at, entry.motion, entry.verdict, entry.rule) == (3.0, Motion.MOVING, Verdict.DENY, "trunk_open")
    with pytest.raises(TypeError):
        entry.slots["open"] = False  # pyright: ignore[reportIndexIssue]
    assert gate.log is not gate.log


def test_the_log_is_bounded(clock: StreamClock) -> None:
    gate = Gate(clock)
    gate.arm(PARKED)
    for _ in range(LOG_LENGTH + 5):
        gate.request(TRUNK, TOWN)
    assert len(gate.log) == LOG_LENGTH


# What an action stands for ---------------------------------------------------------------------------------------------


def test_the_strictest_of_what_it_stands_for_decides(gate: Gate) -> None:
    undo = Undo()
    assert gate.request(undo, PARKED, stands_for=[SetWindow(percent=50)])[0].verdict is Verdict.ALLOW
    ruling, token = gate.request(undo, PARKED, stands_for=[SetWindow(percent=50), TRUNK])
    assert (ruling.verdict, ruling.rule) == (Verdict.CONFIRM, "trunk_open")
    assert gate.request(undo, TOWN, stands_for=[SetWindow(percent=50), TRUNK])[0].rule == "trunk_open"
    assert gate.confirm(str(token), TOWN)[1].verdict is Verdict.DENY
    _, token = gate.request(undo, PARKED, stands_for=[TRUNK])
    action, ruling = gate.confirm(str(token), PARKED)
    assert action is undo and (ruling.verdict, ruling.rule) == (Verdict.ALLOW, "trunk_open")


def test_it_uses_up_the_rate_of_what_it_stands_for(gate: Gate) -> None:
    for _ in range(6):
        gate.request(Undo(), PARKED, stands_for=[SetWindow(percent=50), SetWindow(percent=25)])
    assert gate.request(SetWindow(percent=50), PARKED)[0] == TOO_OFTEN
    assert gate.request(Undo(), PARKED, stands_for=[SetWindow(percent=50)])[0] == TOO_OFTEN
    assert gate.request(Undo(), PARKED)[0].verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("position", "slots", "verdict"),
    [
        (None, {"change": "open"}, "deny"),
        (None, {"change": "close"}, "allow"),
        (100, {"change": "open"}, "allow"),
        (0, {"change": "open"}, "deny"),
    ],
)
def test_steps_of_a_window_at_speed(position: int | None, slots: dict[str, Any], verdict: str) -> None:
    fast = state(130.0, "D", window__driver=position)
    assert rule(ChangeWindow.model_validate(slots), fast).verdict == verdict


def test_words_in_optional_lists_stay_out_and_members_of_them_are_kept() -> None:
    assert impersonal_slots(GetCapabilities(about="climate")) == {"about": "climate"}
    assert impersonal_slots(GetCapabilities()) == {}
    assert impersonal_slots(SetReminder(what="my secret", hour=5, half="pm")) == {"hour": 5, "half": "pm"}
    built = SetWindow.model_construct(percent=37)  # as taking back builds it: not all slots, no steps
    assert impersonal_slots(built) == {"window": "driver", "percent": 37}
