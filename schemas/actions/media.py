"""Actions on what plays: music, radio, podcasts, volume."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.actions.base import Action, Change, Domain, Percent, Points, Words, words
from schemas.actions.said import by_how_much, on_off, one_of, seconds_said, up_down

_MEDIA = ("media.source", "media.title", "media.playing")
_HEARD = ("media.artist", "media.genre", "media.muted")
_TIMES = {"double": "Twice as loud", "half": "Half as loud"}


class PlayMusic(Action):
    name, domain, description = "play_music", Domain.MEDIA, "Play music: a genre, an artist or a song, or anything."
    title, thing = "Music", "music"
    examples = "play some jazz", "play dancing queen by abba"
    do = lambda s: f"play {s['song'] or s['artist'] or s['genre'] or 'some music'}"
    tells = "title, genre"
    needs = _MEDIA
    also = ("media.shuffle", *_HEARD)
    details = {"favorite_genres": "genre", "favorite_artists_or_bands": "artist", "favorite_songs": "song"}
    step = "change_volume"
    genre: Words | None = None
    artist: Words | None = None
    song: Words | None = None


class PlayRadio(Action):
    name, domain, description = "play_radio", Domain.MEDIA, "Play a radio station."
    title, thing = "Radio", "radio"
    examples = "play radio four", "turn on the radio"
    do = lambda s: f"play {s['station'] or 'the radio'}"
    tells = "title, genre"
    needs = _MEDIA
    also = ("media.shuffle", *_HEARD)
    details = {"preferred_radio_station": "station", "general_news_source": "station"}
    step = "change_volume"
    station: Words | None = None


class PlayPodcast(Action):
    name, domain, description = "play_podcast", Domain.MEDIA, "Play a podcast: a show or a genre."
    title, thing = "Podcast", "podcasts"
    examples = "play the latest episode of hidden brain", "play a history podcast"
    do = lambda s: f"play {s['show'] or (s['genre'] + ' podcasts' if s['genre'] else 'a podcast')}"
    tells = "title, genre"
    needs = _MEDIA
    also = ("media.shuffle", *_HEARD)
    details = {"favorite_podcast_shows": "show", "favorite_podcast_genres": "genre"}
    step = "change_volume"
    show: Words | None = None
    genre: Words | None = None


class PlayPlaylist(Action):
    name, domain, description = "play_playlist", Domain.MEDIA, "Play a playlist by its name."
    title, thing = "Playlist", "playlists"
    examples = "play my road trip playlist", "playlist summer hits"
    do = lambda s: f"play the playlist {s['playlist']}"
    tells = "title, genre"
    needs = _MEDIA
    also = ("media.shuffle", *_HEARD)
    step = "change_volume"
    playlist: Words


class PlayFavorites(Action):
    name, domain, description = "play_favorites", Domain.MEDIA, "Play the songs that were marked as favourites."
    title = "Favourite songs"
    examples = "play my favourites", "put on my favourite songs"
    do = lambda _: "play your favourites"
    tells = "title, genre"
    needs = _MEDIA
    also = ("media.shuffle", *_HEARD)
    step = "change_volume"


class SetMediaSource(Action):
    name, domain, description = "set_media_source", Domain.MEDIA, "Choose where the sound comes from."
    title, thing = "Sound from", "other sources"
    examples = "switch to bluetooth", "play from the u s b stick"
    do = one_of(
        "source",
        music="play from your music",
        radio="play the radio",
        podcast="play podcasts",
        bluetooth="play from your phone",
        usb="play from the USB stick",
    )
    done = one_of(
        "source",
        music="Playing from your music",
        radio="Playing from the radio",
        podcast="Playing from podcasts",
        bluetooth="Playing from your phone",
        usb="Playing from the USB stick",
    )
    tells = "title, genre; or source"
    needs = ("media.source",)
    also = ("media.title", "media.playing", *_HEARD)
    source: Literal["music", "radio", "podcast", "bluetooth", "usb"]


class SetVolume(Action):
    name, domain, description = "set_volume", Domain.MEDIA, "Set the volume in percent."
    title = "Volume"
    examples = "volume forty", "set the volume to half"
    do = lambda s: f"set the volume to {s['percent']} percent"
    done = lambda s: f"Volume at {s['percent']} percent"
    sets = {"media.volume": "percent"}
    also = ("media.muted",)
    step = "change_volume"
    percent: Percent


class ChangeVolume(Action):
    name, domain, description = "change_volume", Domain.MEDIA, "Make it louder (up) or quieter (down)."
    title = "Volume"
    examples = "a bit louder", "turn the volume down by ten percent"
    do = lambda s: (
        f"make it {_TIMES[s['times']].lower()}" if s["times"] else f"turn it {s['change']}{by_how_much(s, 'percent')}"
    )
    done = lambda s: (
        _TIMES[s["times"]]
        if s["times"]
        else f"{up_down('Turning it up', 'Turning it down')(s)}{by_how_much(s, 'percent')}"
    )
    needs = ("media.volume",)
    also = ("media.muted",)
    complaints = {"up": words("quiet quieter hear"), "down": words("loud louder noisy")}
    outright = "set_volume"
    change: Change
    by: Points | None = None
    times: Literal["double", "half"] | None = None
    """As loud as this; it goes before ``change`` and ``by``."""


class SetPlayback(Action):
    name, domain, description = "set_playback", Domain.MEDIA, "Pause, go on, start over, next or previous track."
    title = "Playing"
    examples = "next song", "pause the music"
    do = one_of(
        "command",
        play="go on playing",
        pause="pause",
        next="skip to the next one",
        previous="go back to the one before",
        restart="start it again",
    )
    done = one_of(
        "command",
        play="Playing",
        pause="Paused",
        next="Next one",
        previous="The one before",
        restart="From the beginning",
    )
    tells = "title, genre (not for pause and going on)"
    needs = _MEDIA
    also = ("media.shuffle", "media.position", *_HEARD)
    command: Literal["play", "pause", "next", "previous", "restart"]


class Seek(Action):
    name, domain, description = "seek", Domain.MEDIA, "Go forward or back in what plays, by some seconds."
    title, thing = "Forward or back", "way to go forward or back in what plays"
    examples = "skip forward thirty seconds", "rewind a bit"
    do = lambda s: f"go {s['change']}{' ' + seconds_said(s['seconds']) if s['seconds'] else ' a bit'}"
    done = lambda s: (
        f"{'Forward' if s['change'] == 'forward' else 'Back'} {seconds_said(s['seconds'])}"
        if s["seconds"]
        else f"Going {s['change']} a bit"
    )
    tells = "position_s"
    needs = ("media.source", "media.position")
    named_by = words(
        "skip forward forwards back backwards rewind wind jump seconds second minute minutes ahead on again"
    )
    change: Literal["forward", "back"]
    seconds: Annotated[int, Field(ge=5, le=600, multiple_of=5)] | None = None
    """None: half a minute."""


class SetMute(Action):
    name, domain, description = "set_mute", Domain.MEDIA, "Mute the sound or bring it back."
    title = "Mute"
    examples = "mute the sound", "unmute"
    do = lambda s: "mute the sound" if s["on"] else "turn the sound on again"
    done = lambda s: "Muted" if s["on"] else "Sound on"
    sets = {"media.muted": "on"}
    on: bool


class SetShuffle(Action):
    name, domain, description = "set_shuffle", Domain.MEDIA, "Play in random order, or in order."
    title = "Random order"
    examples = "shuffle the songs", "play in order"
    do = lambda s: "play in random order" if s["on"] else "play in order"
    done = on_off("Shuffle")
    sets = {"media.shuffle": "on"}
    on: bool


class SetRepeat(Action):
    name, domain, description = "set_repeat", Domain.MEDIA, "Repeat the track, all of them, or nothing."
    title = "Repeat"
    examples = "repeat this song", "repeat off"
    do = one_of("mode", off="stop repeating", track="repeat this one", all="repeat all")
    done = one_of("mode", off="Repeat off", track="Repeating this one", all="Repeating all")
    sets = {"media.repeat": "mode"}
    mode: Literal["off", "track", "all"]


class GetPlaying(Action):
    name, domain, query, description = "get_playing", Domain.MEDIA, True, "What is playing."
    title = "What is playing"
    examples = "what song is this", "who sings this"
    tells = "source, title, artist, playing, position_s"
    needs = _MEDIA
    also = ("media.position", "media.artist")
