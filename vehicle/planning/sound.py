"""Plans of media: what plays, how loud, in which order."""

from __future__ import annotations

from typing import Any

from schemas import actions as a
from schemas.events import VehicleState
from vehicle.media import Item
from vehicle.planning.plan import PERCENT_STEP, Plan, direct, present, stepped
from vehicle.sources import MediaSource

_SONG = "a genre, an artist or a song"


class Sound:
    """Plans media over a library."""

    def __init__(self, media: MediaSource) -> None:
        """Plans over this library."""
        self._media = media

    def plan(self, action: a.Action, state: VehicleState) -> Plan:
        """What a media action writes and answers.

        Raises:
            schemas.errors.AdapterError: the vehicle does not report what plays.
        """
        match action:
            case a.PlayMusic(genre=genre, artist=artist, song=song):
                return _play(self._media.song(genre=genre, artist=artist, song=song), _SONG)
            case a.PlayRadio(station=station):
                return _play(self._media.station(station), "a station")
            case a.PlayPodcast(show=show, genre=genre):
                return _play(self._media.podcast(show=show, genre=genre), "a show or a genre")
            case a.PlayPlaylist(playlist=name):
                return _play(self._media.playlist(name), "a playlist")
            case a.PlayFavorites():
                return _play(self._media.favorite(), "a playlist")
            case a.SetMediaSource(source=source):
                return self._source(source)
            case a.SetVolume(percent=percent):
                return Plan({"media.volume": percent, "media.muted": False})
            case a.ChangeVolume(change=change, by=by):
                louder = {"media.muted": False} if change == "up" else {}
                return Plan({"media.volume": stepped(state, "media.volume", change, by or PERCENT_STEP), **louder})
            case a.SetPlayback(command="pause"):
                return Plan({"media.playing": False})
            case a.SetPlayback(command=command):
                return self._playback(command, state)
            case a.GetPlaying():
                names = ("source", "title", "playing")
                told = {name: present(state, f"media.{name}") for name in names}
                artist = state.values.get("media.artist", "")
                return Plan(answer={**told, "artist": artist, "position_s": state.values.get("media.position")})
            case _:
                return Plan(direct(action))

    def _playback(self, command: str, state: VehicleState) -> Plan:
        source = present(state, "media.source")
        if source == "off":
            return _play(self._media.song(), _SONG)
        if command == "play":
            return Plan({"media.playing": True})
        step = 1 if command == "next" else -1
        item = self._media.neighbour(
            source,
            present(state, "media.title"),
            state.values.get("media.genre", ""),
            step,
            shuffled=state.values.get("media.shuffle") is True,
        )
        return _play(item or self._media.song(), _SONG)

    def _source(self, source: str) -> Plan:
        """The first thing of a source; what is on a telephone or a stick the library does not know."""
        first = {"music": self._media.song, "radio": self._media.station, "podcast": self._media.podcast}
        if source in first:
            return _play(first[source](), _SONG)
        blank = dict.fromkeys(("media.title", "media.artist", "media.genre"), "")
        return Plan({"media.source": source, **blank, "media.playing": True, "media.muted": False}, {"source": source})


def _play(item: Item | None, ask_for: str) -> Plan:
    if item is None:
        return Plan(refusal=f"I can't find that in the library; ask me for {ask_for} that is in it.")
    changes: dict[str, Any] = {
        "media.source": item.source,
        "media.title": item.title,
        "media.artist": item.artist,
        "media.genre": item.genre,
        "media.playing": True,
        "media.muted": False,
    }
    return Plan(changes, {"title": item.spoken, "genre": item.genre})
