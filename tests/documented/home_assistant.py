"""What Home Assistant documents of MQTT discovery: the fields of an announcement, by component, and how they may be shortened.

A copy of field names, written from the pages ``mqtt``, ``sensor.mqtt``, ``switch.mqtt``, ``light.mqtt``, ``climate.mqtt``,
``cover.mqtt``, ``fan.mqtt``, ``lock.mqtt`` and the others of the integrations' documentation (devices since 2024.11), and from the
table of abbreviations of the page ``mqtt``; so that neither what we announce nor what we read is checked against itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMMON = frozenset(
    "availability availability_topic availability_mode availability_template default_entity_id device enabled_by_default "
    "encoding entity_category entity_picture icon json_attributes_template json_attributes_topic name object_id origin "
    "payload_available payload_not_available platform p qos unique_id".split()
)


def _fields(needs: str, may: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(needs.split()), frozenset(may.split())


FIELDS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "sensor": _fields(
        "state_topic",
        "device_class expire_after force_update last_reset_value_template options state_class suggested_display_precision "
        "unit_of_measurement value_template",
    ),
    "binary_sensor": _fields(
        "state_topic", "device_class expire_after force_update off_delay payload_off payload_on value_template"
    ),
    "switch": _fields(
        "command_topic",
        "command_template device_class optimistic payload_off payload_on retain state_off state_on state_topic value_template",
    ),
    "button": _fields("command_topic", "command_template device_class payload_press retain"),
    "number": _fields(
        "command_topic",
        "command_template device_class max min mode optimistic payload_reset retain state_topic step unit_of_measurement "
        "value_template",
    ),
    "select": _fields("command_topic options", "command_template optimistic retain state_topic value_template"),
    "text": _fields("command_topic", "command_template max min mode pattern retain state_topic value_template"),
    "lock": _fields(
        "command_topic",
        "code_format command_template optimistic payload_lock payload_open payload_reset payload_unlock retain state_jammed "
        "state_locked state_locking state_topic state_unlocked state_unlocking value_template",
    ),
    "cover": _fields(
        "",
        "command_topic device_class optimistic payload_close payload_open payload_stop payload_stop_tilt position_closed "
        "position_open position_template position_topic retain set_position_template set_position_topic state_closed "
        "state_closing state_open state_opening state_stopped state_topic tilt_closed_value tilt_command_template "
        "tilt_command_topic tilt_max tilt_min tilt_opened_value tilt_optimistic tilt_status_template tilt_status_topic "
        "value_template",
    ),
    "fan": _fields(
        "command_topic",
        "command_template direction_command_template direction_command_topic direction_state_topic direction_value_template "
        "optimistic oscillation_command_template oscillation_command_topic oscillation_state_topic oscillation_value_template "
        "payload_off payload_on payload_oscillation_off payload_oscillation_on payload_reset_percentage "
        "payload_reset_preset_mode percentage_command_template percentage_command_topic percentage_state_topic "
        "percentage_value_template preset_mode_command_template preset_mode_command_topic preset_mode_state_topic "
        "preset_mode_value_template preset_modes retain speed_range_max speed_range_min state_topic state_value_template",
    ),
    "light": _fields(
        "command_topic",
        "brightness brightness_command_template brightness_command_topic brightness_scale brightness_state_topic "
        "brightness_value_template color_mode_state_topic color_mode_value_template color_temp_command_template "
        "color_temp_command_topic color_temp_state_topic color_temp_value_template effect effect_command_template "
        "effect_command_topic effect_list effect_state_topic effect_value_template flash_time_long flash_time_short "
        "hs_command_template hs_command_topic hs_state_topic hs_value_template max_mireds min_mireds on_command_type "
        "optimistic payload_off payload_on retain rgb_command_template rgb_command_topic rgb_state_topic rgb_value_template "
        "rgbw_command_template rgbw_command_topic rgbw_state_topic rgbw_value_template rgbww_command_template "
        "rgbww_command_topic rgbww_state_topic rgbww_value_template schema state_topic state_value_template "
        "supported_color_modes white_command_topic white_scale xy_command_template xy_command_topic xy_state_topic "
        "xy_value_template",
    ),
    "climate": _fields(
        "",
        "action_template action_topic current_humidity_template current_humidity_topic current_temperature_template "
        "current_temperature_topic fan_mode_command_template fan_mode_command_topic fan_mode_state_template "
        "fan_mode_state_topic fan_modes initial max_humidity max_temp min_humidity min_temp mode_command_template "
        "mode_command_topic mode_state_template mode_state_topic modes optimistic payload_off payload_on "
        "power_command_template power_command_topic precision preset_mode_command_template preset_mode_command_topic "
        "preset_mode_state_topic preset_mode_value_template preset_modes retain swing_mode_command_template "
        "swing_mode_command_topic swing_mode_state_template swing_mode_state_topic swing_modes "
        "target_humidity_command_template target_humidity_command_topic target_humidity_state_template "
        "target_humidity_state_topic temp_step temperature_command_template temperature_command_topic "
        "temperature_high_command_template temperature_high_command_topic temperature_high_state_template "
        "temperature_high_state_topic temperature_low_command_template temperature_low_command_topic "
        "temperature_low_state_template temperature_low_state_topic temperature_state_template temperature_state_topic "
        "temperature_unit value_template",
    ),
}
"""Component -> what it must have, what else it may have."""

DEVICE = frozenset(
    "configuration_url connections hw_version identifiers manufacturer model model_id name serial_number suggested_area "
    "sw_version via_device".split()
)
ORIGIN = frozenset({"name", "sw_version", "support_url"})
ROOT = frozenset(
    "device origin components state_topic command_topic qos encoding availability availability_topic availability_mode "
    "availability_template payload_available payload_not_available".split()
)
"""Of a device's announcement."""

SHORT: Mapping[str, str] = {
    field: short
    for field, _, short in (
        pair.partition("=")
        for pair in (
            "availability=avty availability_mode=avty_mode availability_topic=avty_t availability_template=avty_tpl "
            "brightness_command_template=bri_cmd_tpl brightness_command_topic=bri_cmd_t brightness_scale=bri_scl "
            "brightness_state_topic=bri_stat_t brightness_value_template=bri_val_tpl command_template=cmd_tpl command_topic=cmd_t "
            "components=cmps current_temperature_template=curr_temp_tpl current_temperature_topic=curr_temp_t device=dev "
            "fan_mode_command_template=fan_mode_cmd_tpl fan_mode_command_topic=fan_mode_cmd_t "
            "fan_mode_state_template=fan_mode_stat_tpl fan_mode_state_topic=fan_mode_stat_t "
            "mode_command_template=mode_cmd_tpl mode_command_topic=mode_cmd_t mode_state_template=mode_stat_tpl "
            "mode_state_topic=mode_stat_t object_id=obj_id optimistic=opt options=ops origin=o payload_available=pl_avail "
            "payload_close=pl_cls payload_lock=pl_lock payload_not_available=pl_not_avail payload_off=pl_off payload_on=pl_on "
            "payload_open=pl_open payload_stop=pl_stop payload_unlock=pl_unlk percentage_command_template=pct_cmd_tpl "
            "percentage_command_topic=pct_cmd_t percentage_state_topic=pct_stat_t percentage_value_template=pct_val_tpl "
            "platform=p position_closed=pos_clsd position_open=pos_open position_template=pos_tpl position_topic=pos_t retain=ret "
            "rgb_command_template=rgb_cmd_tpl rgb_command_topic=rgb_cmd_t rgb_state_topic=rgb_stat_t "
            "rgb_value_template=rgb_val_tpl "
            "set_position_template=set_pos_tpl set_position_topic=set_pos_t "
            "speed_range_max=spd_rng_max speed_range_min=spd_rng_min "
            "state_closed=stat_clsd state_locked=stat_locked state_off=stat_off state_on=stat_on state_open=stat_open "
            "state_template=stat_tpl state_topic=stat_t state_unlocked=stat_unlocked state_value_template=stat_val_tpl topic=t "
            "temperature_command_template=temp_cmd_tpl temperature_command_topic=temp_cmd_t "
            "temperature_state_template=temp_stat_tpl temperature_state_topic=temp_stat_t temperature_unit=temp_unit "
            "unique_id=uniq_id unit_of_measurement=unit_of_meas value_template=val_tpl"
        ).split()
    )
}
"""Field -> how it may be shortened: those that tell where a value is, how it is written, and whether it is there."""


def wrong(said: Mapping[str, Any]) -> list[str]:
    """What Home Assistant would not accept of a device's announcement."""
    found = [f"{key} is no field of a device's announcement" for key in set(said) - ROOT]
    found += [f"{key} is no field of a device" for key in set(said.get("device", {})) - DEVICE]
    found += [f"{key} is no field of an origin" for key in set(said.get("origin", {})) - ORIGIN]
    if not said.get("device", {}).get("identifiers") and not said.get("device", {}).get("connections"):
        found.append("a device needs identifiers or connections")
    if "name" not in said.get("origin", {}):
        found.append("an origin needs a name")
    ids = [one.get("unique_id") for one in said.get("components", {}).values()]
    if None in ids or len(set(ids)) != len(ids):
        found.append("every component needs a unique_id of its own")
    for key, one in said.get("components", {}).items():
        found += [f"{key}: {what}" for what in wrong_entity(one["p"], one)]
    return found


def wrong_entity(component: str, said: Mapping[str, Any]) -> list[str]:
    """What Home Assistant would not accept of one entity."""
    if component not in FIELDS:
        return [f"{component} is no component"]
    needs, may = FIELDS[component]
    found = [f"{name} is missing" for name in needs - set(said)]
    found += [f"{name} is no field of a {component}" for name in set(said) - needs - may - COMMON]
    if (
        "options" in said
        and component == "sensor"
        and (said.get("device_class") != "enum" or "unit_of_measurement" in said or "state_class" in said)
    ):
        found.append("a sensor with options is of the class enum and has no unit")
    topics = [value for name, value in said.items() if name.endswith("_topic")]
    return [*found, *(f"{topic} has a wildcard" for topic in topics if set("+#") & set(topic))]
