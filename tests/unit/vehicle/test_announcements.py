"""Home Assistant's announcements as gateways make them: both forms, every component, templates, scales, availability."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("paho.mqtt", reason="the extra [mqtt] is not installed")

from schemas.errors import AdapterError
from tests.documented.home_assistant import FIELDS, SHORT, wrong_entity
from vehicle.adapters.mqtt.announcements import Entity, announced
from vehicle.adapters.mqtt.entities import Link, MqttEntry, link
from vehicle.adapters.mqtt.stand_in import announcement, component
from vehicle.adapters.mqtt.templates import put, taken, template_of
from vehicle.signals import SIGNALS


def read(component: str, said: dict[str, Any], object_id: str = "thing") -> dict[str, Entity | str]:
    found = announced(f"homeassistant/{component}/{object_id}/config", json.dumps(said).encode(), "homeassistant", None)
    assert found is not None
    return dict(found)


def linked(signal: str, component: str, said: dict[str, Any], entity: str = "thing", **look: Any) -> Link:
    found = read(component, said)[entity]
    assert isinstance(found, Entity), found
    made = link(SIGNALS[signal], MqttEntry.model_validate({"entity": entity, **look}), found)
    assert isinstance(made, Link), made
    return made


def test_a_device_announces_all_its_components_at_once() -> None:
    said = {
        "dev": {"ids": "car", "name": "Car"},
        "o": {"name": "gateway"},
        "avty_t": "car/there",
        "~": "car",
        "cmps": {
            "light_dome": {"p": "switch", "cmd_t": "~/dome/set", "stat_t": "~/dome", "uniq_id": "a"},
            "battery_charge": {"p": "sensor", "stat_t": "~/charge", "unit_of_meas": "%", "uniq_id": "b"},
            "gone": {"p": "switch"},
            "odd": {"p": "vacuum", "cmd_t": "x"},
        },
    }
    found = read("device", said, "car")
    assert set(found) == {"light_dome", "battery_charge", "odd"}
    dome = found["light_dome"]
    assert isinstance(dome, Entity)
    assert (dome.command_topic, dome.state_topic, dome.available[0].topic) == ("car/dome/set", "car/dome", "car/there")
    assert found["odd"] == "vacuum entities are not understood"
    topic = "homeassistant/device/car/config"
    assert announced(topic, b"", "homeassistant", "car") == {}
    assert announced(topic, b"{}", "homeassistant", "other") is None
    assert announced(topic, b"{}", "homeassistant", "car") == {"car": "its announcement lacks 'components'"}
    broken = announced(topic, b'{"cmps": ', "homeassistant", "car")
    assert broken is not None and str(broken["car"]).startswith("its announcement is no JSON: Expecting value")
    assert announced(topic, b"[1, 2]", "homeassistant", "car") == {"car": "its announcement is no JSON object"}
    odd = announced(topic, b"\xff\xfe\x00", "homeassistant", "car")
    assert odd is not None and str(odd["car"]).startswith("its announcement is no JSON: 'utf-8'")


@pytest.mark.parametrize(
    "case",  # signal, component, announcement, entity, look in the mapping, our value, its state, its command
    [
        ("window.driver", "cover", {"pos_t": "s", "set_pos_t": "c"}, "thing", {}, 40, b"40", "40"),
        ("window.driver", "cover", {"pos_t": "s", "set_pos_t": "c", "pos_open": 0, "pos_clsd": 100}, "thing", {}, 40, b"60", "60"),
        ("window.driver", "cover", {"pos_t": "s", "set_pos_t": "c", "pos_open": 200}, "thing", {}, 40, b"80", "80"),
        ("window.driver", "cover", {"pos_t": "s", "set_pos_t": "c", "pos_open": 10, "pos_clsd": 210}, "thing", {}, 100, b"10",
         "10"),
        ("window.driver", "cover", {"stat_t": "s", "cmd_t": "c"}, "thing", {}, 100, b"open", "OPEN"),
        ("window.driver", "cover", {"stat_t": "s", "cmd_t": "c", "pl_cls": "zu", "stat_clsd": "0"}, "thing", {}, 0, b"0", "zu"),
        ("doors.locked", "lock", {"stat_t": "s", "cmd_t": "c"}, "thing", {}, True, b"LOCKED", "LOCK"),
        ("doors.locked", "lock", {"stat_t": "s", "cmd_t": "c", "pl_lock": "1"}, "thing", {}, True, b"LOCKED", "1"),
        ("light.dome", "light", {"stat_t": "s", "cmd_t": "c"}, "thing", {}, True, b"ON", "ON"),
        ("light.dome", "light", {"schema": "json", "stat_t": "s", "cmd_t": "c"}, "thing", {}, False,
         b'{"state": "OFF"}', '{"state": "OFF"}'),
        ("light.ambient.brightness", "light", {"cmd_t": "c", "bri_cmd_t": "b", "bri_stat_t": "s"}, "thing.brightness", {}, 40,
         b"102", "102"),
        ("light.ambient.brightness", "light", {"cmd_t": "c", "schema": "json", "stat_t": "s", "brightness": True, "bri_scl": 100},
         "thing.brightness", {}, 40, b'{"state": "ON", "brightness": 40}', '{"state": "ON", "brightness": 40}'),
        ("light.ambient.color", "light", {"cmd_t": "c", "rgb_cmd_t": "r", "rgb_stat_t": "s"}, "thing.rgb",
         {"choices": {"red": "255,0,0", "blue": "0,0,255"}}, "red", b"255,0,0", "255,0,0"),
        ("climate.fan", "fan", {"cmd_t": "c", "pct_cmd_t": "p", "pct_stat_t": "s", "spd_rng_max": 5}, "thing.percentage",
         {"unit": "percent", "levels": [0, 20, 40, 60, 80, 100]}, 3, b"3", "3"),
        ("climate.driver.temperature", "climate", {"temp_cmd_t": "c", "temp_stat_t": "s", "min_temp": 16}, "thing",
         {"unit": "Celsius"}, 21.5, b"21.5", "21.5"),
        ("climate.driver.temperature", "climate", {"temp_cmd_t": "c", "temp_stat_t": "s", "temp_unit": "F"}, "thing",
         {"unit": "Fahrenheit"}, 20, b"68", "68"),
        ("climate.on", "climate", {"mode_cmd_t": "c", "mode_stat_t": "s", "modes": ["off", "auto"]}, "thing.mode",
         {"choices": {"true": "auto", "false": "off"}}, True, b"auto", "auto"),
        ("display.mode", "select", {"cmd_t": "c", "stat_t": "s", "ops": ["day", "night"]}, "thing", {}, "day", b"day", "day"),
        ("media.volume", "number", {"cmd_t": "c", "stat_t": "s", "val_tpl": "{{ (value_json.v * 100) | round | int }}",
          "cmd_tpl": '{"v": {{ value / 100 }}}'}, "thing", {"unit": "percent"}, 40, b'{"v": 0.4}', '{"v": 0.4}'),
        ("light.dome", "switch", {"cmd_t": "c", "stat_t": "s", "val_tpl": "{{ 'ON' if value_json['a'][0] else 'OFF' }}"},
         "thing", {}, True, b'{"a": [1]}', "ON"),
    ],
)  # fmt: skip
def test_every_component_is_read_and_told_in_its_own_words(case: tuple[Any, ...]) -> None:
    signal, component, said, entity, look, ours, state, command = case
    made = linked(signal, component, said, entity, **look)
    assert made.decoded(state) == (True, ours)
    assert made.encoded(ours) == command


ALL: dict[str, tuple[str, ...]] = {
    "sensor": ("thing",), "binary_sensor": ("thing",), "switch": ("thing",), "number": ("thing",), "select": ("thing",),
    "text": ("thing",), "lock": ("thing",), "cover": ("thing",), "fan": ("thing", "thing.percentage"),
    "light": ("thing", "thing.brightness", "thing.rgb"),
    "climate": ("thing", "thing.current", "thing.mode", "thing.fan_mode"),
}  # fmt: skip
"""Component -> the values that are read where everything is announced."""


def whole(component: str) -> dict[str, Any]:
    """An announcement with every field that is documented for it, each with a value that differs from its default."""
    needs, may = FIELDS[component]
    said: dict[str, Any] = {}
    for name in sorted(needs | may):
        if name.endswith("_topic"):
            said[name] = f"~/{name}"
        elif name.endswith("_template"):
            said[name] = f"{{{{ value }}}}{name}"
        elif name in ("options", "modes", "fan_modes"):
            said |= {name: ["one", "two"]} if component != "sensor" else {}  # which would have no unit then
        elif name in ("min", "max", "min_temp", "max_temp", "speed_range_min", "speed_range_max", "brightness_scale",
                      "position_open", "position_closed"):  # fmt: skip
            said[name] = 10 + len(name)
        elif name == "temperature_unit":
            said[name] = "F"
        elif name not in ("schema", "brightness"):
            said[name] = f"a {name}"
    return {**said, "~": "car", "availability_topic": "~/there", "payload_available": "here",
            "availability_template": "{{ value }}!"}  # fmt: skip


@pytest.mark.parametrize("component", ALL)
def test_every_documented_field_may_stand_there_and_may_be_shortened(component: str) -> None:
    said = whole(component)
    assert wrong_entity(component, {name: value for name, value in said.items() if name != "~"}) == []
    in_full = read(component, said)
    assert tuple(in_full) == ALL[component] and all(isinstance(one, Entity) for one in in_full.values()), in_full
    assert read(component, {SHORT.get(name, name): value for name, value in said.items()}) == in_full


def test_what_our_gateway_announces_is_what_home_assistant_documents() -> None:
    for signal in SIGNALS.values():
        assert wrong_entity(component(signal), announcement(signal, "thing")) == [], signal.name


def test_a_position_and_a_colour_go_into_their_templates_by_their_own_names() -> None:
    made = linked("window.driver", "cover", {"pos_t": "s", "set_pos_t": "c", "set_pos_tpl": '{"to": {{ position }}}'})
    assert made.encoded(40) == '{"to": 40}'
    said = {"cmd_t": "c", "rgb_cmd_t": "r", "rgb_stat_t": "s", "rgb_cmd_tpl": "{{ red }}/{{ green }}/{{ blue }}"}
    made = linked("light.ambient.color", "light", said, "thing.rgb", choices={"red": "255,0,0", "blue": "0,0,255"})
    assert made.encoded("blue") == "0/0/255"
    assert "needs position" in str(read("switch", {"cmd_t": "c", "cmd_tpl": "{{ position }}"})["thing"])


def test_a_cover_without_positions_knows_two_of_them() -> None:
    made = linked("window.driver", "cover", {"stat_t": "s", "cmd_t": "c"})
    assert [made.decoded(said) for said in (b"closed", b"closing", b"stopped", b"opening", b"open")] == [
        (True, 0), (True, 25), (True, 50), (True, 75), (True, 100)
    ], "on its way it is nearer to where it goes"  # fmt: skip
    assert made.entity.stop == "STOP"
    own = linked("window.driver", "cover", {"stat_t": "s", "cmd_t": "c", "stat_opening": "auf", "stat_closing": "zu"})
    assert own.decoded(b"auf") == (True, 75) and own.decoded(b"opening") == (True, None)
    with pytest.raises(AdapterError, match="takes 0, 100, not 40"):
        made.encoded(40)
    with pytest.raises(AdapterError, match="takes 0, 100, not 75"):
        made.encoded(75)


def test_a_current_temperature_can_only_be_read() -> None:
    found = read("climate", {"temp_cmd_t": "c", "curr_temp_t": "s"})
    current = found["thing.current"]
    assert isinstance(current, Entity) and current.command_topic is None


@pytest.mark.parametrize(
    ("component", "said", "why"),
    [
        ("switch", {"stat_t": "s"}, "lacks 'command_topic'"),
        ("sensor", {}, "lacks 'state_topic'"),
        ("number", {"cmd_t": "c", "min": "low", "max": 5}, "needs a number where it has 'low'"),
        ("number", {"cmd_t": "c", "min": 5, "max": float("inf")}, "needs a number where it has inf"),
        ("select", {"cmd_t": "c"}, "lacks 'options'"),
        ("light", {"cmd_t": "c", "schema": "template"}, "the schema template"),
        ("switch", {"cmd_t": "c", "val_tpl": "{{ states('sun.sun') }}"}, "needs states"),
        ("switch", {"cmd_t": "c", "val_tpl": "{{ value | as_datetime }}"}, "No filter named 'as_datetime'"),
        ("switch", {"cmd_t": "c", "val_tpl": "{{ value"}, "is not understood"),
        ("switch", {"cmd_t": "c", "val_tpl": "{% for a in value %}{% endfor %}"}, "has a loop"),
        ("switch", {"cmd_t": "c", "val_tpl": "{{ value }}" * 100}, "1100 characters"),
        ("switch", {"cmd_t": "c", "avty_mode": "most"}, "the availability mode most"),
        ("cover", {"pos_t": "s", "pos_open": 5, "pos_clsd": 5}, "the same open and closed"),
        ("climate", {"temp_unit": "C"}, "tells and takes nothing"),
    ],
)
def test_what_is_not_understood_is_named(component: str, said: dict[str, Any], why: str) -> None:
    assert why in str(read(component, said)["thing"])


def test_templates_see_the_message_and_nothing_else() -> None:
    assert taken(template_of("{{ value_json.a.b | float + 1 }}"), '{"a": {"b": 2}}') == "3.0"
    assert taken(template_of("{{ value_json.a }}"), "no json") is None
    assert taken(template_of("{{ value.__class__.__mro__ }}"), "x") is None, "no way out of the sandbox"
    assert put(template_of("{{ value + 1 }}"), "2") == "3"
    assert put(template_of("{{ value }}"), "day") == "day"
    with pytest.raises(ValueError, match="makes nothing of"):
        put(template_of("{{ value + 1 }}"), "day")


@pytest.mark.parametrize(
    ("mode", "told", "there"),
    [
        ("all", {"a": (1, "online"), "b": (2, "online")}, True),
        ("all", {"a": (1, "online")}, False),
        ("all", {"a": (1, "online"), "b": (2, "offline")}, False),
        ("any", {"a": (1, "online"), "b": (2, "offline")}, True),
        ("any", {}, False),
        ("latest", {"a": (1, "online"), "b": (2, "offline")}, False),
        ("latest", {"a": (3, "online"), "b": (2, "offline")}, True),
        ("latest", {}, False),
    ],
)
def test_availability_of_several_topics(mode: str, told: dict[str, tuple[int, str]], there: bool) -> None:
    said = {"cmd_t": "c", "avty_mode": mode, "avty": [{"t": "a"}, {"t": "b"}]}
    found = read("switch", said)["thing"]
    assert isinstance(found, Entity) and found.there(told) is there
    alone = read("switch", {"cmd_t": "c"})["thing"]
    assert isinstance(alone, Entity) and alone.there({}), "nobody says otherwise"
