"""The commands that use the assistant: run, demo, hear, say, speak, transcribe.

Owns how a timeline is printed. Does not construct anything (``deploy.app``).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deploy.cli.memory import DriverOption, HomeOption
from deploy.cli.session import Session, err, out, put_json, report, session_of, written_to
from deploy.machine.allocator import resting
from deploy.timeline import TimelineEntry
from schemas.errors import GloveboxError

if TYPE_CHECKING:
    from deploy.assistant import Assistant

JsonOption = Annotated[bool, typer.Option("--json", help="JSON lines instead of text.")]
DevOption = Annotated[
    bool,
    typer.Option("--dev", help="For development: a live picture of the car at /dev/car. Not for a car on the road."),
]
STYLES = {
    "wake": "cyan", "heard": "bold", "decided": "dim", "recalled": "magenta", "moved": "green", "refused": "red",
    "asked": "yellow", "proposed": "yellow", "fault": "bold red", "said": "bold cyan", "learned": "magenta", "ended": "dim",
    "error": "bold red",
}  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(run)
    app.command()(demo)
    app.command()(hear)
    app.command()(say)
    app.command()(speak)
    app.command()(transcribe)


@contextmanager
def ready(session: Session, *, live: bool = False) -> Generator[Assistant]:
    """The assistant, with a line that says what is being loaded while a person waits."""
    config = session.config()
    console = err()
    with resting() if live else nullcontext(), console.status("loading") as status:
        from deploy.machine.early import Early

        early = Early(config, live=live)  # before the rest is imported, which takes a second

        try:
            from deploy.app import assemble
        except BaseException:  # an early Ctrl-C, too
            early.end()
            raise

        assistant = assemble(config, live=live, announce=lambda part: status.update(f"loading: {part}"), early=early)
    for line in assistant.lacks:
        console.print(Text(line, style="yellow"))
    with assistant:
        yield assistant


def show(entry: TimelineEntry) -> None:
    """Print an entry for a person."""
    minutes, seconds = divmod(entry.at_s, 60.0)
    style = STYLES.get(entry.kind, "")
    line = Text(f"{int(minutes):3d}:{seconds:04.1f}  ", style="dim")
    line.append(f"{entry.kind:<9} ", style=style)
    line.append(entry.text, style=style)
    out().print(line)


def run(
    context: typer.Context,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65_535, help="The screen's port on 127.0.0.1; 0: any.")
    ] = 0,
    dev: DevOption = False,
) -> None:
    """Start the live assistant: microphone and loudspeaker, until Ctrl-C."""
    with ready(session_of(context), live=True) as assistant:
        from deploy.drivers.sight import watching
        from deploy.machine.power import telling
        from deploy.screen import ScreenServer, told

        given = assistant.screen(dev=dev)
        config = assistant.config
        with (
            ScreenServer(given, config.data.folder, port) as server,
            watching(config, given.drivers, given.motion),
            telling(assistant.ignition) if config.power.ignition == "vehicle" else nullcontext(),
            assistant.announced(),
        ):
            watched = out().is_terminal
            """By a person: what is printed anywhere else may be kept there, as systemd's journal keeps it."""

            def emit(entry: TimelineEntry) -> None:
                if watched:
                    show(entry)
                happened = told(entry, given.clock)
                if happened is not None:
                    given.feed.tell(happened, entry.era)

            err().print(f"Listening. Say “{config.wake.keyword}”, then what you want. Ctrl-C ends it.")
            if watched:
                err().print(f"The screen: {server.address}")
            if dev:
                err().print("The car, live: /dev/car on the same address, once the screen is open.")
            assistant.run(emit)


def demo(
    context: typer.Context,
    as_json: JsonOption = False,
    folder: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", callback=written_to, help="Folder for drive.wav and drive.html."),
    ] = Path(),
) -> None:
    """Play two trips through the whole assistant and show what happened."""
    from deploy.demo import play

    session = session_of(context, as_json=as_json)
    raise typer.Exit(play(session.config(), folder, as_json))


def hear(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="WAV or FLAC files, wake word included.")],
    as_json: JsonOption = False,
) -> None:
    """Send sound files through the whole chain, as if the microphone had heard them."""
    session = session_of(context, as_json=as_json)

    def one(assistant: Assistant, file: Path) -> None:
        for entry in assistant.hear(file):
            if as_json:
                put_json({"file": str(file), **entry.model_dump(mode="json")})
            else:
                show(entry)

    _each(session, files, one)


def say(
    context: typer.Context,
    texts: Annotated[
        list[str],
        typer.Argument(metavar="TEXT...", help="What you would say, without the wake word; one after the other."),
    ],
    driver: DriverOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Type to the assistant: the same dialogue, gate and vehicle, without sound."""
    session = session_of(context, as_json=as_json, driver=driver, home=home)
    if not all(text.strip() for text in texts):
        raise typer.BadParameter("there are no words in it", param_hint="TEXT")
    with ready(session) as assistant:
        for entry in (entry for text in texts for entry in assistant.say(text)):
            if as_json:
                put_json(entry.model_dump(mode="json"))
            else:
                show(entry)


def speak(
    context: typer.Context,
    texts: Annotated[list[str] | None, typer.Argument(metavar="TEXT...", help="What it is to say.")] = None,
    file: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="A WAV or FLAC file, not aloud.")] = None,
    ahead: Annotated[bool, typer.Option("--ahead", help="First make the sound of all fixed sentences.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say something with the assistant's voice, as it would in a reply."""
    session = session_of(context, as_json=as_json)
    if not ahead and not any(text.strip() for text in texts or ()):
        raise typer.BadParameter("there are no words in it", param_hint="TEXT")
    if file is not None and file.suffix.lower() not in (".wav", ".flac"):
        raise typer.BadParameter(f"{file} ends in neither .wav nor .flac", param_hint="--out")
    from deploy.engines import Engines
    from deploy.speech import open_voice, said
    from models.catalog import Catalog

    config = session.config()
    engines = Engines(config, Catalog.load(config.data))
    voice, making = open_voice(config, engines)
    for line in engines.told():
        err().print(Text(line, "dim"))
    with closing(voice):
        if ahead:
            made = making.make_all() if making is not None else 0
            err().print(f"{made} fixed sentences made")
        for one in said(voice, texts or (), file, config.audio.output_device):
            if as_json:
                put_json(one)
            else:
                out().print(Text(f"{one['seconds']:.1f} s of sound, the first after {one['first_ms']:.0f} ms"))


def transcribe(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="WAV or FLAC files, no wake word needed.")],
    as_json: JsonOption = False,
) -> None:
    """Write down what is said in sound files; nothing is acted on."""
    session = session_of(context, as_json=as_json)

    def one(assistant: Assistant, file: Path) -> None:
        transcript = assistant.transcribe(file)
        if as_json:
            put_json({"file": str(file), **transcript.model_dump(mode="json")})
            return
        how = "command grammar" if transcript.in_grammar else "open speech"
        name = f"{file}: " if len(files) > 1 else ""
        out().print(
            Text(f"{name}{transcript.text or '(no words)'}").append(f"  {transcript.confidence:.2f}, {how}", "dim")
        )

    _each(session, files, one)


def _each(session: Session, files: list[Path], one: Callable[[Assistant, Path], None]) -> None:
    """Do every file; an error of one is told and the others go on. Ends with the first error's code.

    What nothing can be heard of is told before the engines are loaded, which takes seconds.
    """
    from voice.audio import wavefile

    code = 0
    good: list[Path] = []
    for file in files:
        try:
            wavefile.check(file)
            good.append(file)
        except GloveboxError as error:
            told = report(error, session, file=str(file))
            code = code or told
    if not good:
        raise typer.Exit(code)
    with ready(session) as assistant:
        for file in good:
            if len(files) > 1 and not session.json:
                err().print(Text(str(file), style="dim"))
            try:
                one(assistant, file)
            except GloveboxError as error:
                told = report(error, session, file=str(file))
                code = code or told
    raise typer.Exit(code)
