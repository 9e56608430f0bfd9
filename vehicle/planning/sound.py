"""Plans of media: what plays, how loud, in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemas import actions as a
from schemas.events import VehicleState
from vehicle.media import Item
from vehicle.planning.plan import Plan, direct, present, stepped
from vehicle.sources import MediaSource
from vehicle.travel import VOLUME, movements

_SONG = "a genre, an artist or a song"
SEEK_S = 30
"""How far "skip forward" goes: what the buttons of podcast players do. Our choice."""

_RUNS_S = 6
"""What plays runs on: a place nearer than this to the present one is no proof that it was gone to."""
_WOUND = ("music", "podcast")
_NOT_WOUND = "I can only do that with music and podcasts; ask me to play some first."


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
                return _play(self._media.song(genre=genre, artist=artist, song=song, but=action.spares), _SONG)
            case a.PlayRadio(station=station):
                return self._radio(station, action.spares)
            case a.PlayPodcast(show=show, genre=genre):
                return _play(self._media.podcast(show=show, genre=genre, but=action.spares), "a show or a genre")
            case a.PlayPlaylist(playlist=name):
                return _play(self._media.playlist(name), "a playlist")
            case a.PlayFavorites():
                return _play(self._media.favorite(), "a playlist")
            case a.SetMediaSource(source=source):
                return self._source(source, action.spares)
            case a.SetVolume(percent=percent):
                return Plan({"media.volume": percent, "media.muted": False})
            case a.ChangeVolume(change=change, times=times):
                present(state, VOLUME)
                louder = {"media.muted": False} if (times or change) in ("double", "up") else {}
                return Plan({VOLUME: round(movements(action, state)[VOLUME].target or 0.0), **louder})
            case a.SetPlayback(command="pause") if state.values.get("media.source") == "off":
                return Plan(refusal="Nothing is playing; ask me for some music.")
            case a.SetPlayback(command="pause"):
                return Plan({"media.playing": False})
            case a.SetPlayback(command="restart"):
                return self._restarted(state)
            case a.Seek(change=change, seconds=seconds):
                return _sought(change, seconds or SEEK_S, state)
            case a.SetPlayback(command=command):
                return self._playback(command, state, action.spares)
            case a.GetPlaying():
                names = ("source", "title", "playing")
                told = {name: present(state, f"media.{name}") for name in names}
                artist = state.values.get("media.artist", "")
                return Plan(answer={**told, "artist": artist, "position_s": state.values.get("media.position")})
            case _:
                return Plan(direct(action))

    def _playback(self, command: str, state: VehicleState, but: Sequence[str]) -> Plan:
        source = present(state, "media.source")
        if source == "off":
            return _play(self._media.song(but=but), _SONG)
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
        return _play(item or self._media.song(but=but), _SONG)

    def _restarted(self, state: VehicleState) -> Plan:
        """What plays from its beginning; a car whose place in it cannot be set is given the title once more."""
        if present(state, "media.source") not in _WOUND:
            return Plan(refusal=_NOT_WOUND)
        if state.values.get("media.position") is not None:
            return _placed(0, state, {"media.playing": True})
        names = ("media.source", "media.title", "media.artist", "media.genre")
        return Plan({**{name: state.values.get(name, "") for name in names}, "media.playing": True})

    def _radio(self, station: str | None, but: Sequence[str]) -> Plan:
        found = self._media.station(station, but=but)
        if found:
            return _play(found, "a station")
        if station is not None and self._media.on_dial(station):
            return Plan(refusal="I know no station on that frequency; ask me for a station by its name.")
        return Plan(refusal="I can't find that station; ask me for another one, or for a frequency.")

    def _source(self, source: str, but: Sequence[str]) -> Plan:
        """The first thing of a source; what is on a telephone or a stick the library does not know."""
        first = {"music": self._media.song, "radio": self._media.station, "podcast": self._media.podcast}
        if source in first:
            return _play(first[source](but=but), _SONG)
        blank = dict.fromkeys(("media.title", "media.artist", "media.genre"), "")
        return Plan({"media.source": source, **blank, "media.playing": True, "media.muted": False}, {"source": source})


def _sought(change: str, seconds: int, state: VehicleState) -> Plan:
    if present(state, "media.source") not in _WOUND:
        return Plan(refusal=_NOT_WOUND)
    return _placed(stepped(state, "media.position", "up" if change == "forward" else "down", seconds), state)


def _placed(position_s: float, state: VehicleState, along: Mapping[str, Any] | None = None) -> Plan:
    """What plays goes on from there, or waits there where it is paused."""
    near = abs(present(state, "media.position") - position_s) < _RUNS_S
    changes = {"media.position": position_s, **(along or {})}
    return Plan(changes, {"position_s": position_s}, frozenset({"media.position"} if near else ()))


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
