"""Actions on the body: openings (windows, roof, doors, mirrors), lights and the screen."""

from __future__ import annotations

from typing import Literal

from schemas.actions.base import (
    GROUPS,
    Action,
    Change,
    Color,
    Domain,
    Lamp,
    Percent,
    Points,
    Window,
    words,
)
from schemas.actions.said import (
    MIRRORS,
    TURNED,
    a_little,
    moved,
    on_off,
    one_of,
    open_to,
    panes,
    position,
    reading_light,
    turn,
    up_down,
)

# Openings -------------------------------------------------------------------------------------------------------------


class SetWindow(Action):
    name, domain, description = "set_window", Domain.OPENINGS, "Open windows to a share of 100 (0 is closed)."
    title, thing = "Window", "electric windows"
    examples = "open the passenger window halfway", "close all windows but mine"
    do = lambda s: open_to(panes(s), s["percent"])
    done = lambda s: position(panes(s), s["percent"])
    sets = {"window.{window}": "percent"}
    groups = frozenset(GROUPS)
    per_place = "window.{window}"
    step = "change_window"
    window: Window = "driver"
    but: Window | None = None
    """What is left as it is: "all but mine"."""
    percent: Percent


class ChangeWindow(Action):
    name, domain = "change_window", Domain.OPENINGS
    description = "Open or close windows a little, or by a number of percent."
    title, thing = "Window", "electric windows"
    examples = "open the window a bit", "close the front windows by twenty percent"
    do = lambda s: a_little(panes(s), s)
    done = lambda s: moved(panes(s), s)
    per_place = "window.{window}"
    groups = frozenset(GROUPS)
    outright = "set_window"
    window: Window = "driver"
    but: Window | None = None
    """What is left as it is."""
    change: Literal["open", "close"]
    by: Points | None = None


class SetSunroof(Action):
    name, domain, description = "set_sunroof", Domain.OPENINGS, "Open the sunroof to a share of 100 (0 is closed)."
    title, thing = "Sunroof", "sunroof"
    examples = "open the sunroof", "close the roof completely"
    do = lambda s: open_to("the sunroof", s["percent"])
    done = lambda s: position("the sunroof", s["percent"])
    sets = {"sunroof.position": "percent"}
    needs = ("sunroof.position",)
    also = ("sunroof.shade",)
    step = "change_sunroof"
    percent: Percent


class SetRoofTilt(Action):
    name, domain, description = "set_roof_tilt", Domain.OPENINGS, "Tilt the closed sunroof up at its back, or lower it."
    title, thing = "Sunroof tilted", "sunroof that tilts"
    examples = "tilt the sunroof", "lower the tilted roof"
    do = lambda s: "tilt the sunroof" if s["raised"] else "lower the sunroof"
    done = lambda s: "Tilting the sunroof" if s["raised"] else "Lowering the sunroof"
    needs = ("sunroof.tilt",)
    also = ("sunroof.position",)
    named_by = words("tilt tilted vent lower flat raise")
    raised: bool


class ChangeSunroof(Action):
    name, domain = "change_sunroof", Domain.OPENINGS
    description = "Open or close the sunroof a little, or by a number of percent."
    title, thing = "Sunroof", "sunroof"
    examples = "open the sunroof a little", "close the roof a bit more"
    do = lambda s: a_little("the sunroof", s)
    done = lambda s: moved("the sunroof", s)
    needs = ("sunroof.position",)
    also = ("sunroof.shade",)
    outright = "set_sunroof"
    change: Literal["open", "close"]
    by: Points | None = None


class SetSunshade(Action):
    name, domain, description = "set_sunshade", Domain.OPENINGS, "Open the sunshade to a share of 100 (0 is closed)."
    title, thing = "Sunshade", "sunshade"
    examples = "open the sunshade", "keep the sun out"
    do = lambda s: open_to("the sunshade", s["percent"])
    done = lambda s: position("the sunshade", s["percent"])
    sets = {"sunroof.shade": "percent"}
    percent: Percent


class StopMoving(Action):
    name, domain = "stop_moving", Domain.OPENINGS
    description = "Stop a window, the roof, the trunk or a seat where it is now."
    title = "Stopped where it was"
    examples = "stop the window", "that's far enough"
    do = lambda _: "stop it there"
    tells = "stopped: signals"
    named_by = words("stop stopped enough halt hold wait leave there far")
    negatable = True
    careful = False
    """Asking first would come too late."""


class SetTrunk(Action):
    name, domain, description = "set_trunk", Domain.OPENINGS, "Open or close the trunk."
    title, thing = "Trunk", "electric trunk"
    examples = "open the boot", "close the tailgate"
    do = lambda s: f"{'open' if s['open'] else 'close'} the trunk"
    done = lambda s: "Opening the trunk" if s["open"] else "Closing the trunk"
    needs = ("trunk.position",)
    open: bool


class SetDoorLocks(Action):
    name, domain, description = "set_door_locks", Domain.OPENINGS, "Lock or unlock the doors."
    title, thing = "Doors", "central locking"
    examples = "lock the doors", "unlock the car"
    do = lambda s: f"{'lock' if s['locked'] else 'unlock'} the doors"
    done = lambda s: "Doors locked" if s["locked"] else "Doors unlocked"
    sets = {"doors.locked": "locked"}
    locked: bool


class SetChildLock(Action):
    name, domain = "set_child_lock", Domain.OPENINGS
    description = "Switch the child lock of the rear doors and windows on or off."
    title, thing = "Child lock", "electric child lock"
    examples = "turn on the child lock", "let the kids open the doors"
    do = turn("the child lock")
    done = on_off("Child lock")
    sets = {"doors.child_lock": "on"}
    negatable = True
    on: bool


class SetWindowLock(Action):
    name, domain = "set_window_lock", Domain.OPENINGS
    description = "Lock the switches of the rear windows, or let them be used again."
    title, thing = "Window lock", "window lock"
    examples = "lock the windows", "let the kids use their windows"
    do = lambda s: "lock the windows in the back" if s["on"] else "unlock the windows in the back"
    done = lambda s: "Windows in the back locked" if s["on"] else "Windows in the back unlocked"
    sets = {"windows.locked": "on"}
    negatable = True
    on: bool


class SetMirrors(Action):
    name, domain, description = "set_mirrors", Domain.OPENINGS, "Fold or unfold the outside mirrors."
    title, thing = "Mirrors", "folding mirrors"
    examples = "fold the mirrors", "unfold the side mirrors"
    do = lambda s: f"{'fold' if s['folded'] else 'unfold'} the mirrors"
    done = lambda s: "Mirrors folded" if s["folded"] else "Mirrors unfolded"
    sets = {"mirrors.folded": "folded"}
    folded: bool


class AdjustMirror(Action):
    name, domain, description = "adjust_mirror", Domain.OPENINGS, "Turn the glass of an outside mirror a little."
    title, thing = "Mirror", "electric mirrors"
    examples = "turn the passenger mirror down", "left a bit with my mirror"
    do = lambda s: f"turn {MIRRORS[s['zone']]} {TURNED[s['direction']]}"
    done = lambda s: f"Turning {MIRRORS[s['zone']]} {TURNED[s['direction']]}"
    per_place = "mirror.{zone}.tilt"
    also = ("mirror.driver.pan", "mirror.passenger.pan")
    named_by = words("mirror mirrors")
    careful = True
    zone: Literal["driver", "passenger"] = "driver"
    direction: Literal["up", "down", "left", "right"]


class SetMirrorHeating(Action):
    name, domain = "set_mirror_heating", Domain.OPENINGS
    description = "Switch the heating of the outside mirrors on or off."
    title, thing = "Mirror heating", "mirror heating"
    examples = "heat the mirrors", "the side mirrors are iced up"
    do = turn("the mirror heating")
    done = on_off("Mirror heating")
    sets = {"mirrors.heating": "on"}
    on: bool


# Lights ---------------------------------------------------------------------------------------------------------------


class SetAmbientLight(Action):
    name, domain, description = "set_ambient_light", Domain.LIGHTS, "Switch the ambient light on or off."
    title, thing = "Ambient light", "ambient light"
    examples = "turn on the ambient light", "mood lighting off"
    do = turn("the ambient light")
    done = on_off("Ambient light")
    sets = {"light.ambient.on": "on"}
    step = "change_ambient_brightness"
    on: bool


class SetAmbientColor(Action):
    name, domain, description = "set_ambient_color", Domain.LIGHTS, "Choose the colour of the ambient light."
    title, thing = "Ambient light", "coloured ambient light"
    examples = "make the lights blue", "green ambient light please"
    do = lambda s: f"make the ambient light {s['color']}"
    done = lambda s: f"Ambient light {s['color']}"
    sets = {"light.ambient.color": "color"}
    also = ("light.ambient.on",)
    details = {"interior_lighting_color_preferences": "color"}
    step = "change_ambient_brightness"
    color: Color


class SetAmbientBrightness(Action):
    name, domain, description = "set_ambient_brightness", Domain.LIGHTS, "Set the ambient light's brightness."
    title, thing = "Ambient light", "ambient light"
    examples = "ambient lighting to forty percent", "full brightness"
    do = lambda s: f"set the ambient light to {s['percent']} percent"
    done = lambda s: f"Ambient light at {s['percent']} percent"
    sets = {"light.ambient.brightness": "percent"}
    also = ("light.ambient.on",)
    details = {"interior_lighting_brightness_preferences": "percent"}
    step = "change_ambient_brightness"
    percent: Percent


class ChangeAmbientBrightness(Action):
    name, domain = "change_ambient_brightness", Domain.LIGHTS
    description = "Make the ambient light brighter or dimmer."
    title, thing = "Ambient light", "ambient light"
    examples = "dim the lights", "make the ambient light a bit brighter"
    do = up_down("make the ambient light brighter", "make the ambient light dimmer")
    done = up_down("Making the light brighter", "Making the light dimmer")
    needs = ("light.ambient.brightness",)
    also = ("light.ambient.on",)
    complaints = {"up": words("dark darker dim gloomy"), "down": words("bright glaring dazzling blinding")}
    outright = "set_ambient_brightness"
    change: Change


class SetReadingLight(Action):
    name, domain, description = "set_reading_light", Domain.LIGHTS, "Switch a reading light on or off."
    title, thing = "Reading light", "reading light"
    examples = "turn on the reading light behind me", "switch off my reading light"
    do = lambda s: f"turn {'on' if s['on'] else 'off'} {reading_light(s)}"
    done = lambda s: (
        f"{reading_light(s).removeprefix('the ').removeprefix('your ').capitalize()} {'on' if s['on'] else 'off'}"
    )
    sets = {"light.reading.{zone}": "on"}
    groups = frozenset(GROUPS)
    per_place = "light.reading.{zone}"
    zone: Lamp = "driver"
    on: bool


class SetDomeLight(Action):
    name, domain, description = "set_dome_light", Domain.LIGHTS, "Switch the dome light on or off."
    title, thing = "Dome light", "dome light"
    examples = "turn on the dome light", "ceiling light off"
    do = turn("the dome light")
    done = on_off("Dome light")
    sets = {"light.dome": "on"}
    on: bool


class SetLowBeam(Action):
    name, domain, description = "set_low_beam", Domain.LIGHTS, "Switch the headlights (low beam) on or off."
    title, thing = "Headlights", "headlight control"
    examples = "turn on the headlights", "low beam off"
    do = turn("the headlights")
    done = on_off("Headlights")
    sets = {"light.low_beam": "on"}
    named_by = words("light lights headlight headlights beam beams headlamps lamps dark see")
    careful = True
    on: bool


class SetHighBeam(Action):
    name, domain, description = "set_high_beam", Domain.LIGHTS, "Switch the high beam on or off."
    title, thing = "High beam", "high beam control"
    examples = "full beam on", "dip the headlights"
    do = turn("the high beam")
    done = on_off("High beam")
    sets = {"light.high_beam": "on"}
    named_by = words("light lights beam beams brights dip dipped high full main dark see")
    careful = True
    on: bool


class SetFogLights(Action):
    name, domain, description = "set_fog_lights", Domain.LIGHTS, "Switch the fog lights on or off."
    title, thing = "Fog lights", "fog lights"
    examples = "turn on the fog lights", "no fog lights"
    do = turn("the fog lights")
    done = on_off("Fog lights")
    sets = {"light.fog": "on"}
    named_by = words("fog foggy mist misty")
    careful = True
    on: bool


# Display --------------------------------------------------------------------------------------------------------------


class SetDisplayBrightness(Action):
    name, domain, description = "set_display_brightness", Domain.DISPLAY, "Set the brightness of the screen."
    title, thing = "Brightness of the screen", "adjustable screen"
    examples = "set the screen to fifty percent", "full screen brightness"
    do = lambda s: f"set the screen to {s['percent']} percent"
    done = lambda s: f"Screen at {s['percent']} percent"
    sets = {"display.brightness": "percent"}
    step = "change_display_brightness"
    percent: Percent


class ChangeDisplayBrightness(Action):
    name, domain, description = "change_display_brightness", Domain.DISPLAY, "Make the screen brighter or dimmer."
    title, thing = "Brightness of the screen", "adjustable screen"
    examples = "the screen is too bright", "make the display brighter"
    do = up_down("make the screen brighter", "make the screen dimmer")
    done = up_down("Screen brighter", "Screen dimmer")
    needs = ("display.brightness",)
    complaints = {"up": words("dark darker dim"), "down": words("bright glaring dazzling dazzles blinding")}
    outright = "set_display_brightness"
    change: Change


class SetDisplayMode(Action):
    name, domain, description = "set_display_mode", Domain.DISPLAY, "Show the screen in day or night colours."
    title, thing = "Colours of the screen", "day and night colours"
    examples = "night mode", "switch the screen to day mode"
    do = one_of(
        "mode",
        day="show the screen in day colours",
        night="show the screen in night colours",
        auto="let the screen's colours follow the daylight",
    )
    done = one_of(
        "mode", day="Screen in day colours", night="Screen in night colours", auto="Screen colours by daylight"
    )
    sets = {"display.mode": "mode"}
    mode: Literal["day", "night", "auto"]


class SetUnit(Action):
    name, domain, description = "set_unit", Domain.DISPLAY, "Choose the unit of temperatures or distances."
    title, thing = "Unit", "other units"
    examples = "switch to fahrenheit", "show distances in miles"
    do = one_of(
        "unit",
        celsius="use degrees Celsius",
        fahrenheit="use degrees Fahrenheit",
        kilometers="use kilometres",
        miles="use miles",
    )
    done = one_of(
        "unit",
        celsius="From now on in degrees Celsius",
        fahrenheit="From now on in degrees Fahrenheit",
        kilometers="From now on in kilometres",
        miles="From now on in miles",
    )
    sets = {"display.temperature_unit": "unit", "display.distance_unit": "unit"}
    any_of = ("display.temperature_unit", "display.distance_unit")
    unit: Literal["celsius", "fahrenheit", "kilometers", "miles"]
