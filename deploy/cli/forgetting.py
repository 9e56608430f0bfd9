"""The commands that change what is remembered, or may be: forget, wipe, correct, export, import, and the switches.

Owns the questions before something goes, and how a receipt is told. What shows stands in ``deploy.cli.memory``.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from deploy.cli.memory import (
    DriverOption,
    HomeOption,
    IdArgument,
    JsonOption,
    KeyArgument,
    consent_line,
    opened,
)
from deploy.cli.session import (
    STANDARD_OUTPUT,
    err,
    out,
    put_json,
    require_yes,
    session_of,
    shown,
    written_to,
)
from schemas.clock import WEEKDAYS
from schemas.errors import ExportError, MemoryStoreError, StorageFullError
from schemas.manners import OFFERS
from schemas.memory import CONVERSATIONS, FACTS, Consent, Kind, Matches, Period, Receipt, Selector
from schemas.ports import MemoryPort
from schemas.preferences import KINDS

MOST_UNASKED = 1
"""At a terminal more things than so many are deleted only after a yes."""

LARGEST_IMPORT = 256 << 20
"""Bytes of an export that is read: far more than a vault with 100,000 memories gives."""

YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask first.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(forget)
    app.command()(wipe)
    app.command()(correct)
    app.command()(export)
    app.command("import")(import_)
    app.command()(optout)
    app.command()(optin)
    app.command()(pause)
    app.command()(private)


def forget(  # noqa: PLR0913 - typer makes an option of each
    context: typer.Context,
    what: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="The id of anything, a category, or everything.")
    ] = None,
    name: Annotated[str | None, typer.Option("--id", metavar="ID", help="This memory.")] = None,
    text: Annotated[str | None, typer.Option("--text", metavar="WORDS", help="Whatever holds these words.")] = None,
    category: Annotated[str | None, typer.Option("--category", metavar="KEY", help="Of this category.")] = None,
    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="ID", help="From this conversation, or this trip.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Said from then on: 2026-11-20, 2026-11-20T08:00, yesterday."),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Said until then; a day is included.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything.")] = False,
    yes: YesOption = False,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete what meets all of these conditions, what was made of it and the backups; says what went and whether it is gone."""
    session = session_of(context, as_json=as_json, driver=driver, home=home)
    period = _period(since, until)
    chosen = Selector(id=name, text=text, key=category, conversation=conversation, period=period, everything=everything)
    if (what is None) == (chosen == Selector()):
        raise typer.BadParameter("say what to forget, by KEY or by options: see --help", param_hint="KEY")
    everything = everything or what == "everything"
    if everything and chosen not in (Selector(), Selector(everything=True)):
        raise typer.BadParameter("--all takes no other condition", param_hint="--all")
    if everything:
        require_yes(yes=yes, as_json=as_json)
    with opened(session) as memory:
        if not yes and (everything or _at_terminal(as_json=as_json)):
            chosen = Selector(everything=True) if everything else chosen
            _ask(memory.matching(chosen) if chosen != Selector() else None, everything=everything)
        receipt = memory.forget(what) if what is not None else memory.forget_where(chosen)
    if as_json:
        put_json(receipt.model_dump(mode="json"))
    else:
        _tell(receipt)


def _at_terminal(*, as_json: bool) -> bool:
    return not as_json and sys.stdin.isatty()


def _ask(matches: Matches | None, *, everything: bool) -> None:
    """Whether it may go; ends the command if not."""
    if everything:
        waiting = "nothing" if matches is None else _counted({}, 0, 0, 0, matches.timers, matches.reminders)
        question = f"Delete everything that is remembered{'' if waiting == 'nothing' else f', and {waiting}'}?"
    elif matches is not None and sum(matches.kinds.values()) + matches.turns + matches.proposals > MOST_UNASKED:
        for preference in matches.preferences[:10]:
            out().print(Text(f"  {preference.category.title}: {preference.value}"))
        if len(matches.preferences) > 10:
            out().print(Text(f"  and {len(matches.preferences) - 10} more"))
        question = f"Delete {_counted(matches.kinds, matches.turns, matches.proposals, matches.sentences)}?"
    else:
        return
    if not typer.confirm(question, err=True):
        raise typer.Exit(1)


def wipe(
    context: typer.Context,
    yes: YesOption = False,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete the driver: the key first, then the vault and its backups. Nothing can bring it back.

    Asks for the driver's PIN, or the owner's recovery code in its place.
    """
    from deploy.cli.drivers import prove
    from deploy.drivers.switching import delete_driver

    session = session_of(context, as_json=as_json, driver=driver, home=home)
    config = session.config()
    require_yes(yes=yes, as_json=as_json)
    prove(session, config, config.driver.name, code=True)
    if not yes and not typer.confirm(
        f"Delete all of {config.driver.name}'s memory, its key and its backups?", err=True
    ):
        raise typer.Exit(1)
    done = delete_driver(config)
    if as_json:
        put_json({
            "driver": config.driver.name, "key_destroyed": done.key_destroyed, "files": list(done.files),
            "verified": done.verified,
        })  # fmt: skip
        return
    if not done.files:
        out().print(f"There was no vault of {config.driver.name}.")
        return
    key = "Its key is destroyed." if done.key_destroyed else "Its key is shared with other vaults and was left."
    out().print(f"Deleted {len(done.files)} file{'' if len(done.files) == 1 else 's'}. {key}")


def correct(
    context: typer.Context,
    name: IdArgument,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What it should be.")],
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put another value in the place of a preference's, which becomes history, or other words in the place of what is kept."""
    with opened(session_of(context, as_json=as_json, driver=driver, home=home)) as memory:
        if any(fact.id == name for fact in memory.facts()):
            kept = memory.correct_fact(name, value)
            if as_json:
                put_json(kept.model_dump(mode="json"))
            else:
                out().print(Text(f"Kept for you now: {kept.text}."))
            return
        fresh = memory.correct(name, value)
    if as_json:
        put_json(fresh.model_dump(mode="json"))
    else:
        out().print(Text(f"{fresh.category.title} is {fresh.value} now; its id is {fresh.id}."))


def export(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Where to write it; standard output by default, and for -.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", metavar="FILE", callback=written_to, help="Write a page that people read, too."),
    ] = None,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output, as without FILE.")] = False,
) -> None:
    """Write everything that is remembered as JSON, whose schema is docs/schemas/export.schema.json."""
    from memory.rights.export_page import page as readable

    session = session_of(context, as_json=as_json, driver=driver, home=home)
    file = None if file == STANDARD_OUTPUT else file
    with opened(session) as memory:
        exported = memory.export()
    zone = datetime.now().astimezone().tzinfo or UTC
    if page is not None:
        _write(page, readable(exported, tzinfo=zone))
    if file is not None:
        _write(file, json.dumps(exported, ensure_ascii=False, indent=2) + "\n")
    for written in (file, page):
        if written is not None:
            (err() if as_json else out()).print(Text(f"Written to {written}, readable by you alone and not encrypted."))
    if as_json:
        put_json(exported)
    elif file is None and page is None:
        put_json(exported, indent=2)


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `glovebox memory export` wrote.")],
    allow: Annotated[
        bool,
        typer.Option("--allow", help="Allow what was allowed there, too: sensitive things, keeping conversations."),
    ] = False,
    yes: YesOption = False,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read an export in, as far as this memory's switches allow; what is switched off there is switched off here first."""
    session = session_of(context, as_json=as_json, driver=driver, home=home)
    exported = read_export(file)
    with opened(session) as memory:
        if not yes and _at_terminal(as_json=as_json):
            written = shown(str(exported.get("exported_at"))[: len("2026-11-20")])
            if not typer.confirm(
                f"It is of {written}, and what was deleted since then comes back. Read it in?", err=True
            ):
                raise typer.Exit(1)
        taken = memory.take_in(exported, allow=allow)
        if as_json:
            put_json({"driver": memory.driver, **taken.model_dump(mode="json")})
            return
    known = f", {taken.known} were there already" if taken.known else ""
    out().print(f"Read in {_counted(taken.kinds, 0, 0, 0, taken.timers, taken.reminders)}{known}.")
    for key, reason in sorted(taken.refused.items()):
        out().print(Text(f"  not {key.replace('_', ' ')}: {reason}", "dim"))
    if CONVERSATIONS in taken.refused or any("sensitive" in reason for reason in taken.refused.values()):
        out().print(Text("To read that in, too, import with --allow.", "dim"))


def read_export(file: Path) -> dict[str, Any]:
    """What a file holds that is to be read in, as JSON values.

    Raises:
        ExportError: it cannot be read, or is no export of a memory.
    """
    try:
        descriptor = os.open(
            file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
        )  # a pipe would be waited for
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise ExportError(f"{file} is no plain file: give a file that `glovebox memory export` wrote")
            read = stream.read(LARGEST_IMPORT + 1)
        if len(read) > LARGEST_IMPORT:
            raise ExportError(f"{file} has more than {LARGEST_IMPORT >> 20} MB and is no export of a memory")
        exported = json.loads(read.decode("utf-8"))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ExportError(f"{file} is a link and nothing is read through one: give the file itself") from None
        raise ExportError(f"the export {file} cannot be read: {error.strerror}; check its path") from error
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise ExportError(f"{file} is no JSON: give a file that `glovebox memory export` wrote") from None
    if not isinstance(exported, dict):
        raise ExportError(f"{file} is no export of a memory: give a file that `glovebox memory export` wrote")
    return exported


def optout(
    context: typer.Context,
    key: KeyArgument,
    keep: Annotated[
        bool | None,
        typer.Option("--keep/--delete", help="What to do with what is there already; asked at a terminal, else kept."),
    ] = None,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember nothing more in a category; open proposals are erased, what is stored stays or goes as you say."""
    session = session_of(context, as_json=as_json, driver=driver, home=home)
    with opened(session) as memory:
        consent = memory.opt_out(key)
        no_category = key == CONVERSATIONS or key in KINDS or key in OFFERS
        receipt = None if no_category else _rest(memory, key, keep, as_json=as_json)
        kept = memory.facts() if key == FACTS else () if no_category else memory.preferences(key)
        held = 0 if receipt is not None else len(kept)
    if as_json:
        told = None if receipt is None else receipt.model_dump(mode="json")
        put_json({**consent.model_dump(mode="json"), "stored": held, "deleted": told})
        return
    out().print(consent_line(consent))
    if receipt is not None:
        _tell(receipt)
    elif held:
        out().print(f"{held} from before are kept and not used; `glovebox memory forget {key}` deletes them.")


def _rest(memory: MemoryPort, key: str, keep: bool | None, *, as_json: bool) -> Receipt | None:
    """Delete what is there already, if that is wanted."""
    there = memory.matching(Selector(key=key))
    if there.empty or keep:
        return None
    if keep is None:
        if not _at_terminal(as_json=as_json):
            return None
        counted = _counted(there.kinds, there.turns, there.proposals, there.sentences)
        if not typer.confirm(f"There are {counted} from before. Delete them?", err=True):
            return None
    return memory.forget_where(Selector(key=key))


def optin(
    context: typer.Context,
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY",
            help=f"A category, {FACTS}: keep what you ask for, {CONVERSATIONS}: keep what was talked about, "
            f"{', '.join(KINDS)}: keep what tells of it, or {', '.join(OFFERS)}: how you are spoken to, the offer to get to know "
            "you, suggestions.",
        ),
    ],
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Allow a category again, or a sensitive one for the first time, or the keeping of conversations."""
    with opened(session_of(context, as_json=as_json, driver=driver, home=home)) as memory:
        consent = memory.opt_in(key)
    _tell_consent(consent, as_json=as_json)


def pause(
    context: typer.Context,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", help="2026-11-22T08:00, monday, or tomorrow, which is the default."),
    ] = None,
    hours: Annotated[float | None, typer.Option("--hours", min=0.01, max=8784, help="For so long.")] = None,
    off: Annotated[bool, typer.Option("--off", help="End the pause.")] = False,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Learn nothing for a while; the pause ends by itself."""
    session = session_of(context, as_json=as_json, driver=driver, home=home)
    if sum((until is not None, hours is not None, off)) > 1:
        raise typer.BadParameter("give one of --until, --hours and --off", param_hint="--until")
    now = datetime.now().astimezone()
    if off:
        moment = None
    elif hours is not None:
        moment = now + timedelta(hours=hours)
    elif until is not None:
        moment = _day_to_come(until, now) or _moment(until, "--until")
        if moment <= now:
            raise typer.BadParameter(f"{until} has passed already", param_hint="--until")
    else:
        moment = _day_to_come("tomorrow", now)
    with opened(session) as memory:
        consent = memory.pause(moment)
    _tell_consent(consent, as_json=as_json)


def private(
    context: typer.Context,
    off: Annotated[bool, typer.Option("--off", help="End it.")] = False,
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember nothing until the private trip is ended."""
    with opened(session_of(context, as_json=as_json, driver=driver, home=home)) as memory:
        consent = memory.set_private_trip(not off)
    _tell_consent(consent, as_json=as_json)


def _tell_consent(consent: Consent, *, as_json: bool) -> None:
    if as_json:
        put_json(consent.model_dump(mode="json"))
    else:
        out().print(consent_line(consent))


def _tell(receipt: Receipt) -> None:
    counted = _counted(
        receipt.kinds, receipt.turns_erased, receipt.proposals_erased, receipt.sentences_erased,
        receipt.timers_erased, receipt.reminders_erased,
    )  # fmt: skip
    checked = " No byte of it is left in the files." if receipt.verified else " It could not be verified."
    backups = f" {receipt.backups_erased} backups went, too." if receipt.backups_erased else ""
    out().print(f"Deleted {counted}.{backups}{'' if counted == 'nothing' else checked}")


_MANY = {
    Kind.PREFERENCE: "preferences", Kind.EPISODE: "exchanges", Kind.SUMMARY: "summaries", Kind.THOUGHT: "thoughts",
    Kind.EVENT: "events", Kind.PROFILE: "lines of the profile", Kind.FACT: "things kept for you",
}  # fmt: skip
_ONE = {
    Kind.PREFERENCE: "preference", Kind.EPISODE: "exchange", Kind.SUMMARY: "summary", Kind.THOUGHT: "thought",
    Kind.EVENT: "event", Kind.PROFILE: "line of the profile", Kind.FACT: "thing kept for you",
}  # fmt: skip


def _counted(
    kinds: dict[Kind, int], turns: int, proposals: int, sentences: int, timers: int = 0, reminders: int = 0
) -> str:
    counts = [(n, _ONE[kind], _MANY[kind]) for kind, n in kinds.items()]
    counts += [(proposals, "proposal", "proposals"), (turns, "waiting turn", "waiting turns")]
    counts += [(sentences, "sentence", "sentences"), (timers, "timer", "timers"), (reminders, "reminder", "reminders")]
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts if n) or "nothing"


def _period(since: str | None, until: str | None) -> Period | None:
    if since is None and until is None:
        return None
    begin = None if since is None else _moment(since, "--since")
    end = None if until is None else _moment(until, "--until", end=True)
    if begin is not None and end is not None and begin >= end:
        raise typer.BadParameter("--since lies after --until", param_hint="--since")
    return Period(since=begin, until=end)


def _day_to_come(text: str, now: datetime) -> datetime | None:
    """When tomorrow or the next day of that name begins; None for anything else."""
    word = text.strip().lower()
    if word not in ("tomorrow", *WEEKDAYS):
        return None
    days = 1 if word == "tomorrow" else (WEEKDAYS.index(word) - now.weekday() - 1) % 7 + 1
    return datetime.combine(now.date() + timedelta(days=days), time()).astimezone()


def _moment(text: str, option: str, *, end: bool = False) -> datetime:
    """A moment as it was typed, in the system's zone unless it says another; the end of what is a day or a time in words."""
    from memory.recall.times import period_in

    zone = datetime.now().astimezone().tzinfo or UTC
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        period = period_in(text, datetime.now(UTC), zone)
        edge = None if period is None else period.until if end else period.since
        if edge is None:
            raise typer.BadParameter(
                f"{text!r} is no time: give one such as 2026-11-20, 2026-11-20T08:00 or yesterday", param_hint=option
            ) from None
        return edge
    if moment.tzinfo is None:
        moment = moment.astimezone()
    day = len(text) <= len("2026-11-20")
    return moment + timedelta(days=1) if end and day else moment


def _write(file: Path, text: str) -> None:
    try:
        if file.is_symlink():  # it would be written wherever whoever prepared the folder wanted
            raise MemoryStoreError(f"{file} is a link and nothing is written through one: choose another place")
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        os.fchmod(descriptor, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        kind = StorageFullError if error.errno in (errno.ENOSPC, errno.EDQUOT) else MemoryStoreError
        raise kind(f"the export could not be written to {file}: {error.strerror}; choose another place") from error
