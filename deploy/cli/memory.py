"""The commands that show what is remembered: remember, recall, and under memory: list, show, why, history, profile, proposals.

They open the vault and the encoder. Owns how memories and
decisions are printed. What changes or takes away stands in ``deploy.cli.forgetting``.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from deploy.cli.session import Session, out, put_json, session_of
from deploy.timeline import entry_of
from schemas.errors import UnknownEntryError
from schemas.memory import (
    CONVERSATIONS,
    ENDLESS,
    FACTS,
    Consent,
    Decision,
    Fact,
    Outcome,
    Preference,
    ProfileEntry,
    Proposal,
    Status,
    usual,
)
from schemas.ports import MemoryPort
from schemas.preferences import MAIN_TITLES, SUB_TITLES, Category
from voice.dialogue.memory.kept import words
from voice.dialogue.memory.likes import because

if TYPE_CHECKING:
    from memory.vault.keys.pinned import PinnedKey

app = typer.Typer(
    name="memory",
    help="What is remembered about a driver: see it, correct it, delete it, forbid it.",
    no_args_is_help=True,
)

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON value instead of text.")]
DriverOption = Annotated[str | None, typer.Option("--driver", metavar="NAME", help="Whose memory.")]
HomeOption = Annotated[
    Path | None, typer.Option("--home", metavar="DIR", help="Folder of everything personal; or in GLOVEBOX_HOME.")
]
KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="A main, sub or detail category, e.g. music.")]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of a preference, as `memory list` shows it.")]


class Aspect(StrEnum):
    """What a line of the profile is."""

    FACT = "fact"
    HABIT = "habit"
    STYLE = "style"


TIERS = ("preferences", "proposals", "facts", "episodes", "thoughts", "summaries", "profile")
"""Parts of an export whose items have ids."""


@contextmanager
def opened(session: Session, proven: list[PinnedKey] | None = None) -> Generator[MemoryPort]:
    """The driver's vault, closed again afterwards; where there is a PIN it is asked for. ``proven`` gets what it opened."""
    from deploy.app import open_memory
    from deploy.drivers.keys import pins_of

    config = session.config()
    name, pins, pin = config.driver.name, pins_of(config), None
    if pins.has(name):
        pin = session.pin(f"PIN of {name}")
    keys = pins.require(name, pin, datetime.now(UTC))
    memory = open_memory(config, keys)
    try:
        if pin is not None:
            pins.adopt(name, pin, keys)
        if proven is not None:
            proven.append(keys)
        yield memory
    finally:
        memory.close()


def add_to(app: typer.Typer) -> None:
    """Add the commands that stand at the top."""
    app.command()(remember)
    app.command()(recall)


def remember(
    context: typer.Context,
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="What to remember, as you would say it.")],
    category: Annotated[
        str | None,
        typer.Option("--category", metavar="KEY", help="Its category; worked out from the words by default."),
    ] = None,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember something that the driver says, if it was not switched off; tells what was stored, asked or refused."""
    if not sentence.strip():
        raise typer.BadParameter("say what to remember", param_hint="SENTENCE")
    with opened(session_of(context, as_json=as_json, driver=driver, home=home)) as memory:
        decisions = memory.remember(sentence, category)
        if as_json:
            put_json({"driver": memory.driver, "decisions": [d.model_dump(mode="json") for d in decisions]})
            return
    for decision in decisions:
        out().print(Text(entry_of(0.0, decision).text))
        if decision.outcome is Outcome.REFUSED and "sensitive" in decision.reason:
            out().print(Text(f"To allow it: glovebox memory optin {decision.detail}", "dim"))
    if not decisions:
        out().print("Nothing in that is a preference that I could remember; name its category with --category.")


def recall(
    context: typer.Context,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What it is about, e.g. a request.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="At most so many.")] = 10,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """What is remembered that matters for these words; most words recall nothing. Counts as no use."""
    with opened(session_of(context, as_json=as_json, driver=driver, home=home)) as memory:
        found = memory.recall(words, limit=limit)
        if as_json:
            recalled = [
                {"score": round(r.score, 4), **_as_json(r.preference)}
                for r in found
            ]  # fmt: skip
            put_json({"driver": memory.driver, "query": words, "recalled": recalled})
            return
    if not found:
        out().print("Nothing that is remembered matters for that.")
        return
    out().print(_table([r.preference for r in found]))


@app.command("list")
def list_(
    context: typer.Context,
    key: Annotated[str | None, typer.Argument(metavar="KEY", help="Only this category; all by default.")] = None,
    history: Annotated[bool, typer.Option("--history", help="With values that held once.")] = False,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the preferences that are remembered, what the driver asked to have kept, and what is switched off."""
    _list(session_of(context, as_json=as_json, driver=driver, home=home), key, history=history)


@app.command()
def history(
    context: typer.Context,
    key: Annotated[str | None, typer.Argument(metavar="KEY", help="Only this category; all by default.")] = None,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List preferences with what held once, and from when to when."""
    _list(session_of(context, as_json=as_json, driver=driver, home=home), key, history=True)


def _list(session: Session, key: str | None, *, history: bool) -> None:
    with opened(session) as memory:
        held = () if key == FACTS else memory.preferences(key, history=history)
        consent, facts = memory.consent(), memory.facts() if key in (None, FACTS) else ()
        if session.json:
            put_json({
                "driver": memory.driver, "preferences": [_as_json(preference) for preference in held],
                "facts": [fact.model_dump(mode="json") for fact in facts], "consent": consent.model_dump(mode="json"),
            })  # fmt: skip
            return
    console = out()
    if held:
        console.print(_table(held))
    if facts:
        console.print("What you asked to have kept:")
        console.print(_facts(facts))
    if not held and not facts:
        console.print("Nothing is remembered" + (f" under {key}." if key else "."))
    console.print(consent_line(consent))


@app.command()
def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="ID", help="Id of anything that is remembered.")],
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one memory of any kind with all that is stored about it."""
    with opened(session_of(context, as_json=as_json, driver=driver, home=home)) as memory:
        found = _find(memory.export(), name)
    if as_json:
        put_json(found)
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for field, value in found.items():
        listed = (
            [v if isinstance(v, str) else " ".join(map(str, v.values())) for v in value]
            if isinstance(value, list)
            else [value]
        )
        table.add_row(Text(field.replace("_", " "), "dim"), Text("\n".join(map(str, listed)) or "-"))
    out().print(table)


def _find(exported: dict[str, Any], name: str) -> dict[str, Any]:
    for tier in TIERS:
        for item in exported.get(tier, ()):
            if item["id"] == name:
                return {"kind": tier.removesuffix("s") if tier != "summaries" else "summary", **item}
    raise UnknownEntryError(f"nothing that is remembered has the id {name[:80]!r}: `glovebox memory list` shows ids")


@app.command()
def why(
    context: typer.Context,
    name: IdArgument,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Why a preference is remembered, or kept: what was said when, what it was used for, and what it took the place of."""
    with opened(session_of(context, as_json=as_json, driver=driver, home=home)) as memory:
        fact = next((fact for fact in memory.facts() if fact.id == name), None)
        if fact is not None:
            _why_kept(fact, as_json=as_json)
            return
        told = memory.explain(name)
    if as_json:
        put_json(told.model_dump(mode="json"))
        return
    console = out()
    preference = told.preference
    console.print(Text.assemble(f"{_where(preference.category)}: ", (meaning(preference), "bold")))
    for at, sentence in told.because:
        console.print(Text(f"  {_local(at)}  you said “{sentence}”"))
    if not told.because:
        console.print(Text(f"  {_local(preference.valid_from)}  you wrote it yourself"))
    for at, action in told.used_for:
        console.print(Text(f"  {_local(at)}  used for {action.replace('_', ' ')}", "dim"))
    for old in told.history:
        console.print(Text(f"  until {_local(old.valid_to)} it was {old.value}" if old.valid_to else old.value, "dim"))


@app.command()
def profile(
    context: typer.Context,
    line: Annotated[
        tuple[str, str] | None, typer.Option("--set", metavar="KEY VALUE", help="Write or correct a line first.")
    ] = None,
    aspect: Annotated[Aspect, typer.Option("--aspect", help="What a new line is.")] = Aspect.FACT,
    remove: Annotated[str | None, typer.Option("--remove", metavar="KEY", help="Delete this line first.")] = None,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """The profile that was made of conversations, or that you write: facts, habits, style, each with what it rests on."""
    if line is not None and remove is not None:
        raise typer.BadParameter("give one of --set and --remove", param_hint="--set")
    with opened(session_of(context, as_json=as_json, driver=driver, home=home)) as memory:
        if line is not None:
            held = _entry(memory, line[0])
            key = _profile_key(line[0]) if held is None else held.key
            memory.edit_profile(key, line[1].strip(), aspect=aspect.value)
        if remove is not None:
            gone = _entry(memory, remove)
            if gone is None:
                raise UnknownEntryError(
                    f"the profile has no line {remove[:80]!r}: `glovebox memory profile` shows its lines"
                )
            memory.forget(gone.id)
        entries = memory.export().get("profile", [])
        if as_json:
            put_json({"driver": memory.driver, "profile": entries})
            return
    if not entries:
        out().print(
            f"There is no profile. It is made of conversations, if you let them be kept: memory optin {CONVERSATIONS}"
        )
        return
    table = Table(box=None, pad_edge=False)
    for name in ("", "what", "since", "from", "id"):
        table.add_column(name, no_wrap=name == "id")
    for entry in entries:
        basis = "you" if entry["basis"] == "provided" else f"{len(entry['sources'])} memories"
        key = entry["key"].replace("_", " ")
        table.add_row(key, Text(entry["value"], "bold"), entry["since"][:10], basis, entry["id"])
    out().print(table)


def _profile_key(name: str) -> str:
    """A key as it is stored: "best friend" is ``best_friend``."""
    return "_".join(name.lower().split())


def _entry(memory: MemoryPort, name: str) -> ProfileEntry | None:
    """The line of the profile with this key or id."""
    lines = (e for e in memory.profile() if name == e.id or _profile_key(name) == _profile_key(e.key))
    return next(lines, None)


@app.command()
def proposals(
    context: typer.Context,
    accept: Annotated[str | None, typer.Option(metavar="ID", help="Remember this one.")] = None,
    decline: Annotated[
        str | None, typer.Option(metavar="ID", help="Do not, and do not ask again for half a year.")
    ] = None,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what memory is not sure enough of to store it unasked, or answer one of them."""
    session = session_of(context, as_json=as_json, driver=driver, home=home)
    if accept is not None and decline is not None:
        raise typer.BadParameter("give one of --accept and --decline", param_hint="--accept")
    name = accept if accept is not None else decline
    with opened(session) as memory:
        decision = None if name is None else memory.answer(name, yes=accept is not None)
        held = memory.proposals()
        if as_json:
            put_json(_answered(memory.driver, decision, held))
            return
    if decision is not None:
        out().print(Text(entry_of(0.0, decision).text))
    elif held:
        out().print(_proposals(held))
        out().print(Text("Answer with --accept ID or --decline ID; what is not answered is erased on its day.", "dim"))
    else:
        out().print("There is nothing to ask.")


def _answered(driver: str, decision: Decision | None, held: Sequence[Proposal]) -> dict[str, Any]:
    told = None if decision is None else decision.model_dump(mode="json")
    return {"driver": driver, "decision": told, "proposals": [p.model_dump(mode="json") for p in held]}


def consent_line(consent: Consent) -> Text:
    """What may be remembered, in a sentence."""
    parts = [f"switched off: {', '.join(sorted(consent.opted_out)) or 'nothing'}"]
    sensitive = consent.opted_in - {CONVERSATIONS}
    if sensitive:
        parts.append(f"sensitive and allowed: {', '.join(sorted(sensitive))}")
    if consent.conversations:
        parts.append("conversations are kept")
    if consent.private_trip:
        parts.append("private trip: nothing is remembered")
    if consent.paused_until is not None:
        told = consent.paused_until == ENDLESS
        parts.append(f"learning is paused until {'you resume it' if told else _local(consent.paused_until)}")
    return Text("; ".join(parts).capitalize() + ".", style="dim")


def _as_json(preference: Preference) -> dict[str, Any]:
    """A preference with its category's path, which is its detail key's."""
    return {**preference.model_dump(mode="json"), "category": preference.category.key}


def _local(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _where(category: Category) -> str:
    return f"{SUB_TITLES.get(category.sub, MAIN_TITLES.get(category.main, ''))}: {category.title}"


def meaning(told: Preference | Proposal) -> str:
    """A value as it is shown: by itself where it is what the driver likes, always, else in a sentence."""
    return told.value if told.sense is usual(told.detail) and not told.conditions else because(told)


def _why_kept(fact: Fact, *, as_json: bool) -> None:
    if as_json:
        put_json(fact.model_dump(mode="json"))
        return
    out().print(Text.assemble("You asked to have kept: ", (words(fact), "bold")))
    out().print(Text(f"  {_local(fact.said_at)}  you said it"))
    if fact.until is not None:
        out().print(Text(f"  {_local(fact.until)}  it goes", "dim"))
    if fact.last_used is not None:
        out().print(Text(f"  {_local(fact.last_used)}  used last, {fact.uses} times in all", "dim"))


def _facts(held: Sequence[Fact]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("kept", "whose", "since", "until", "id"):
        table.add_column(name, no_wrap=name == "id")
    for fact in held:
        words = "" if fact.parked else fact.until_words
        until = words or ("" if fact.until is None else f"{fact.until:%Y-%m-%d}")
        table.add_row(Text(fact.text, style="bold"), Text(fact.about), f"{fact.said_at:%Y-%m-%d}", Text(until), fact.id)
    return table


def _proposals(held: Sequence[Proposal]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("category", "value", "said", "until", "id"):
        table.add_column(name, no_wrap=name in ("until", "id"))
    for proposal in held:
        table.add_row(
            proposal.category.title,
            Text(f"no longer {meaning(proposal)}" if proposal.negated else meaning(proposal), style="bold"),
            Text(f"“{proposal.sentence}”"),
            f"{proposal.expires_at:%Y-%m-%d}",
            proposal.id,
        )
    return table


def _table(held: Sequence[Preference]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("category", "value", "sure", "used", "since", "id"):
        table.add_column(name, justify="right" if name in ("sure", "used") else "left", no_wrap=name == "id")
    for preference in held:
        since = f"{preference.valid_from:%Y-%m-%d}"
        ended = preference.status is Status.SUPERSEDED and preference.valid_to is not None
        table.add_row(
            _where(preference.category),
            Text(meaning(preference), style="bold"),
            f"{preference.confidence:.2f}",
            str(preference.uses),
            f"{since} until {preference.valid_to:%Y-%m-%d}" if ended else since,
            preference.id,
            style="dim" if ended else "",
        )
    return table
