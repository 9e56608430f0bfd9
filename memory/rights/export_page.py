"""An export as a page that people read: one HTML file without scripts, fonts or pictures from elsewhere.

Takes what `memory.rights.export` gives and adds nothing to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from html import escape
from typing import Any

from schemas.kinds import PARKED
from schemas.memory import ENDLESS
from schemas.preferences import BY_DETAIL, MAIN_TITLES, SUB_TITLES

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; }
th, td { padding: .3rem .6rem .3rem 0; vertical-align: top; border-bottom: 1px solid #eee; }
.old { color: #777; } .quote { font-style: italic; } .note { color: #555; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } th, td { border-color: #333; } }
"""


def page(exported: Mapping[str, Any], *, tzinfo: tzinfo) -> str:
    """The whole page; times are shown in this zone."""

    def when(text: str | None) -> str:
        return "" if text is None else f"{datetime.fromisoformat(text).astimezone(tzinfo):%Y-%m-%d %H:%M}"

    parts = [
        f"<h1>What Glovebox remembers about {escape(exported['driver'])}</h1>",
        (f"<p class=note>As of {when(exported['exported_at'])}. What you said is quoted; categories and values were made of it. "
        "Keep this file as safe as a diary: it is not encrypted.</p>"),
        *_consent(exported["consent"], exported["terms"], when),
        *_preferences(exported["preferences"], when),
        *_section("You will be asked about", ("what", "you said", "until"), (
            (_title(p["category"]) + ": " + ("no longer " if p["negated"] else "") + p["value"], _Quote([p["sentence"]]),
             when(p["expires_at"])) for p in exported["proposals"])),
        *_section("Your profile", ("", "", "since", ""), (
            (e["key"].replace("_", " "), e["value"], when(e["since"]),
             "you wrote this" if e["basis"] == "provided" else "concluded") for e in exported["profile"])),
        *_section("What you asked to have kept", ("what", "whose", "since", "until"), (
            (_Quote([f["text"]]), f["about"], when(f["said_at"]),
             (f["until_words"] if f["until_words"] != PARKED else "") or when(f["until"]))
            for f in exported["facts"])),
        *_section("What happened and what was concluded", ("when", "what"), (
            (when(t["at"]), t["text"]) for t in exported["thoughts"])),
        *_section("Days", ("day", "what"), (
            (s["day"], "; ".join(line["text"] for line in s["lines"])) for s in exported["summaries"])),
        *_section("Conversations", ("when", "you said", "the answer"), (
            (when(e["at"]), _Quote([e["driver"]]), e["assistant"]) for e in exported["episodes"])),
        *_section("Said and not yet learnt from", ("when", "you said"), (
            (when(t["at"]), _Quote([t["text"]])) for t in exported["waiting"])),
        *_section("Timers and reminders", ("", "what", "when"), (
            (n["kind"], _Quote([n["label"]] if n["label"] else []), when(n["due_at"])) for n in exported["notices"])),
        *_section("Trips", ("began", "ended"), (
            (when(t["began_at"]), when(t["ended_at"])) for t in exported["trips"])),
    ]  # fmt: skip
    body = "\n".join(parts)
    return (
        "<!doctype html>\n<html lang=en>\n<head><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Glovebox: {escape(exported['driver'])}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body>\n</html>\n"
    )


class _Quote(list[str]):
    """The driver's own words."""


def _title(category: str) -> str:
    return BY_DETAIL[category.rsplit(".", 1)[-1]].title


def _name(key: str) -> str:
    title = MAIN_TITLES.get(key) or SUB_TITLES.get(key) or (BY_DETAIL[key].title if key in BY_DETAIL else None)
    return title or key.replace("_", " ").capitalize()


def _consent(consent: Mapping[str, Any], terms: Mapping[str, Any] | None, when: Any) -> Iterable[str]:
    yield "<h2>What may be remembered</h2><ul>"
    yield f"<li>Switched off: {escape(', '.join(map(_name, consent['opted_out'])) or 'nothing')}</li>"
    yield f"<li>Allowed because you asked for it: {escape(', '.join(map(_name, consent['opted_in'])) or 'nothing')}</li>"
    if consent["private_trip"]:
        yield "<li>This is a private trip: nothing is remembered.</li>"
    if consent["paused_until"] is not None:
        endless = datetime.fromisoformat(consent["paused_until"]) == ENDLESS
        yield f"<li>Learning is paused until {'you resume it' if endless else when(consent['paused_until'])}.</li>"
    if terms is not None:
        days = ", ".join(f"{name} {terms[f'{key}_days']} days" for name, key in _TERMS)
        yield f"<li>You chose to keep {days}.</li>"
    yield "</ul>"


_TERMS = (("conversations", "conversation"), ("thoughts and events", "thought"), ("days and trips", "summary"))


def _preferences(preferences: Sequence[Mapping[str, Any]], when: Any) -> Iterable[str]:
    yield "<h2>Your preferences</h2>"
    if not preferences:
        yield "<p>None.</p>"
    by_sub: dict[str, list[Mapping[str, Any]]] = {}
    for preference in preferences:
        by_sub.setdefault(preference["category"].split(".")[1], []).append(preference)
    for sub, held in by_sub.items():
        yield f"<h3>{escape(SUB_TITLES[sub])}</h3><table><tr><th>what<th>value<th>you said<th>used for<th>kept</tr>"
        for one in held:
            old = one["status"] != "active"
            said = "<br>".join(
                f"<span class=quote>“{escape(s['text'])}”</span> {when(s['said_at'])}" for s in one["sentences"]
            )
            used = "<br>".join(f"{escape(u['action'].replace('_', ' '))} {when(u['at'])}" for u in one["used_for"])
            kept = f"until {when(one['valid_to'])}" if old else f"{one['kept_unused_days']} days unused"
            yield (
                f"<tr{' class=old' if old else ''}><td>{escape(_title(one['category']))}<td>{escape(one['value'])}"
                f"<td>{said}<td>{used}<td>{kept}</tr>"
            )
        yield "</table>"


def _section(title: str, heads: Sequence[str], rows: Iterable[Sequence[str | _Quote]]) -> Iterable[str]:
    """A table, or nothing where there are no rows."""
    listed = list(rows)
    if not listed:
        return
    yield f"<h2>{escape(title)}</h2><table><tr>{''.join(f'<th>{escape(head)}' for head in heads)}</tr>"
    for row in listed:
        yield "<tr>" + "".join(f"<td>{_cell(cell)}" for cell in row) + "</tr>"
    yield "</table>"


def _cell(cell: str | _Quote) -> str:
    if isinstance(cell, _Quote):
        return "<br>".join(f"<span class=quote>“{escape(text)}”</span>" for text in cell)
    return escape(cell)
