"""Actions on the way: the display, media, navigation and charging."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.actions.base import (
    Action,
    Change,
    Domain,
    HalfDay,
    Hour,
    Minute,
    Minutes,
    Percent,
    PlaceKind,
    Points,
    Words,
)

# Display --------------------------------------------------------------------------------------------------------------


class SetDisplayBrightness(Action):
    name, domain, description = "set_display_brightness", Domain.DISPLAY, "Set the brightness of the screen."
    percent: Percent


class ChangeDisplayBrightness(Action):
    name, domain, description = "change_display_brightness", Domain.DISPLAY, "Make the screen brighter or dimmer."
    change: Change


class SetDisplayMode(Action):
    name, domain, description = "set_display_mode", Domain.DISPLAY, "Show the screen in day or night colours."
    mode: Literal["day", "night", "auto"]


class SetUnit(Action):
    name, domain, description = "set_unit", Domain.DISPLAY, "Choose the unit of temperatures or distances."
    unit: Literal["celsius", "fahrenheit", "kilometers", "miles"]


# Media ----------------------------------------------------------------------------------------------------------------


class PlayMusic(Action):
    name, domain, description = "play_music", Domain.MEDIA, "Play music: a genre, an artist or a song, or anything."
    genre: Words | None = None
    artist: Words | None = None
    song: Words | None = None


class PlayRadio(Action):
    name, domain, description = "play_radio", Domain.MEDIA, "Play a radio station."
    station: Words | None = None


class PlayPodcast(Action):
    name, domain, description = "play_podcast", Domain.MEDIA, "Play a podcast: a show or a genre."
    show: Words | None = None
    genre: Words | None = None


class PlayPlaylist(Action):
    name, domain, description = "play_playlist", Domain.MEDIA, "Play a playlist by its name."
    playlist: Words


class PlayFavorites(Action):
    name, domain, description = "play_favorites", Domain.MEDIA, "Play the songs that were marked as favourites."


class SetMediaSource(Action):
    name, domain, description = "set_media_source", Domain.MEDIA, "Choose where the sound comes from."
    source: Literal["music", "radio", "podcast", "bluetooth", "usb"]


class SetVolume(Action):
    name, domain, description = "set_volume", Domain.MEDIA, "Set the volume in percent."
    percent: Percent


class ChangeVolume(Action):
    name, domain, description = "change_volume", Domain.MEDIA, "Make it louder (up) or quieter (down)."
    change: Change
    by: Points | None = None


class SetPlayback(Action):
    name, domain, description = "set_playback", Domain.MEDIA, "Pause, go on, next or previous track."
    command: Literal["play", "pause", "next", "previous"]


class SetMute(Action):
    name, domain, description = "set_mute", Domain.MEDIA, "Mute the sound or bring it back."
    on: bool


class SetShuffle(Action):
    name, domain, description = "set_shuffle", Domain.MEDIA, "Play in random order, or in order."
    on: bool


class SetRepeat(Action):
    name, domain, description = "set_repeat", Domain.MEDIA, "Repeat the track, all of them, or nothing."
    mode: Literal["off", "track", "all"]


class GetPlaying(Action):
    name, domain, query, description = "get_playing", Domain.MEDIA, True, "What is playing."


# Navigation -----------------------------------------------------------------------------------------------------------


class NavigateTo(Action):
    name, domain, description = "navigate_to", Domain.NAVIGATION, "Start navigation to a destination by name."
    destination: Words


class FindPlace(Action):
    name, domain = "find_place", Domain.NAVIGATION
    description = "Find a place nearby and navigate to it."
    kind: PlaceKind
    quality: Words | None = None
    """What it should be like: a cuisine, a brand, a price, a feature."""


class FindOnRoute(Action):
    name, domain = "find_on_route", Domain.NAVIGATION
    description = "Find a place along the present route and add it as a stop."
    kind: PlaceKind
    quality: Words | None = None


class ListPlaces(Action):
    name, domain, query = "list_places", Domain.NAVIGATION, True
    description = "Tell which places of a kind are nearby, without going there."
    kind: PlaceKind
    quality: Words | None = None


class AddStop(Action):
    name, domain, description = "add_stop", Domain.NAVIGATION, "Add a stop to the route by name."
    destination: Words


class RemoveStop(Action):
    name, domain, description = (
        "remove_stop",
        Domain.NAVIGATION,
        "Take a stop out of the route; the next one unless named.",
    )
    destination: Words | None = None


class ReplaceStop(Action):
    name, domain, description = "replace_stop", Domain.NAVIGATION, "Go to another place instead of a stop on the route."
    stop: Words | None = None
    """None: the next one."""
    destination: Words


class ChangeDestination(Action):
    name, domain = "change_destination", Domain.NAVIGATION
    description = "Change where the route ends and keep its stops."
    destination: Words


class CancelNavigation(Action):
    name, domain, description = "cancel_navigation", Domain.NAVIGATION, "End navigation."


class SetRoutePreference(Action):
    name, domain = "set_route_preference", Domain.NAVIGATION
    description = "Choose the quickest or shortest route, or avoid a kind of road."
    preference: Literal["fastest", "shortest", "avoid_highways", "avoid_tolls", "avoid_ferries"]


class GetRoutes(Action):
    name, domain, query = "get_routes", Domain.NAVIGATION, True
    description = "Tell the alternative routes to the destination with their lengths, times and tolls."


class ChooseRoute(Action):
    name, domain, description = "choose_route", Domain.NAVIGATION, "Take one of the alternative routes by its number."
    number: Annotated[int, Field(ge=1, le=3)]


class AddChargingStops(Action):
    name, domain = "add_charging_stops", Domain.NAVIGATION
    description = "Add the charging stops that the route needs."


class SetGuidance(Action):
    name, domain, description = "set_guidance", Domain.NAVIGATION, "Switch the voice of the navigation on or off."
    on: bool


class GetDistance(Action):
    name, domain, query = "get_distance", Domain.NAVIGATION, True
    description = "How far it is to a place, and how long it takes."
    destination: Words


# Charging -------------------------------------------------------------------------------------------------------------


class SetCharging(Action):
    name, domain, description = "set_charging", Domain.CHARGING, "Start or stop charging the battery."
    on: bool


class SetChargeLimit(Action):
    name, domain, description = "set_charge_limit", Domain.CHARGING, "Set how full the battery is charged, in percent."
    percent: Annotated[int, Field(ge=50, le=100, multiple_of=5)]


class SetChargePort(Action):
    name, domain, description = "set_charge_port", Domain.CHARGING, "Open or close the charge port."
    open: bool


class SetChargeTimer(Action):
    name, domain = "set_charge_timer", Domain.CHARGING
    description = "Begin to charge at a time of day, or drop that plan."
    on: bool = True
    hour: Hour | None = None
    minute: Minute | None = None
    half: HalfDay | None = None


class GetCharging(Action):
    name, domain, query = "get_charging", Domain.CHARGING, True
    description = "Whether it charges, and how long to a percentage or how full after some minutes."
    percent: Percent | None = None
    minutes: Minutes | None = None
