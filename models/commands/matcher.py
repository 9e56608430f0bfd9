"""Understanding a command by rules alone.

Owns: the way from a sentence to a command. A match is a complete parse: the word graph says which blocks of templates have
exactly this sentence, and hassil reads the slots from them. A telephone number, which may be long, is no template: it is read
digit by digit. Does not own whether a recogniser heard the sentence well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

from hassil.intents import Intents
from hassil.recognize import recognize_all

from models.commands import dialling
from models.commands.graph import WordGraph
from models.commands.phrase import slots_of
from models.commands.templates import Template, Templates, load_templates
from models.text import spoken
from schemas.events import Command, CommandKind, Standing

MAX_WORDS = 60
"""Longer texts are no commands; it bounds the work."""

MAX_TAILS = 60
"""Longer sentences that are looked at, the shortest first. Of the 206 commands in docs/what-to-say.md 26 have one that means
something else, and the first such is one of the first five tails (``tests/unit/voice/dialogue/test_commands.py``)."""

_ANSWERS = frozenset({"yes", "no", "stop"})
"""Control words that are answered at once though commands begin with them ("stop ... the window"): they move nothing that the
rest of the sentence would not move, and somebody who says them does not want to wait."""

_GOES_ON = frozenset(
    "a an the my your his her our their some any every another "  # a noun follows
    "to of at for from with into onto than until via and or but nor because if when while "  # what they join follows
    "i'm i'd i'll i've you're we're we'd let's it's that's there's what's where's who's how's "  # a predicate follows
    "am want need would could should very too "
    "twenty thirty forty fifty sixty seventy eighty ninety hundred point oh "  # a number that may go on
    "um uh er erm hmm well".split()
)
"""Last words after which free speech is not over. Prepositions that end orders too ("turn it down", "put it on") are not here."""


class TemplateMatcher:
    """``schemas.ports.CommandMatcher`` over sentence templates.

    Where several commands fit, the one that stands first in the file wins: within a block the first sentence template, and
    of its readings the first value of a list.
    """

    def __init__(
        self, templates: Templates | None = None, graph: WordGraph | None = None, open_: tuple[int, ...] | None = None
    ) -> None:
        """Templates of Glovebox unless others are given.

        Args:
            templates: what can be said.
            graph: theirs, where it is there already.
            open_: the blocks of those with wildcards, where they are known already.
        """
        self.templates = templates or load_templates()
        self.graph = graph or WordGraph(self.templates)
        self._blocks: dict[int, list[Template]] = {}
        for template in self.templates.templates:
            self._blocks.setdefault(template.block, []).append(template)
        self.open = open_ if open_ is not None else tuple(self._with_wildcards())
        """The blocks that have a template with a wildcard, which the graph has not."""
        shared = Intents.from_dict({**self.templates.definition, "intents": {}})
        self._lists, self._rules = shared.slot_lists, shared.expansion_rules
        self._intents = cache(self._block_intents)
        self._standings: dict[str, Standing] = {}

    def match(self, text: str) -> Command | None:
        """The command that the whole text asks for, or None: a partial match is no match.

        Digits, case, punctuation and hyphens do not matter ("22.5 °C" is "twenty two point five degrees celsius").
        """
        sentence = spoken(text)
        words = sentence.split()
        if not words or len(words) > MAX_WORDS:
            return None
        for block in sorted({*self.graph.ends(words), *self.open}):
            for result in recognize_all(sentence, self._intents(block), self._lists, self._rules):
                template = self._blocks[block][0]
                slots = {name: entity.value for name, entity in result.entities.items()}
                return Command(kind=template.kind, name=template.intent, slots=slots)
        return _called(sentence)

    def begins(self, text: str) -> bool:
        """Whether a command begins with these words and they break off where something must follow ("navigate to")."""
        words = spoken(text).split()
        return (
            bool(words) and words[-1] in _GOES_ON and self.graph.after(words) is not None and self.match(text) is None
        )

    def standing(self, text: str) -> Standing:
        """How much of a sentence these words are.

        "please" and "now" after a command do not make another one of it, so nothing waits for them.
        """
        sentence = spoken(text)
        if sentence not in self._standings:
            if len(self._standings) >= 4096:
                self._standings.clear()
            self._standings[sentence] = self._stands(sentence.split())
        return self._standings[sentence]

    def _stands(self, words: list[str]) -> Standing:
        if not words:
            return Standing.OPEN
        command, state = self.match(" ".join(words)), self.graph.after(words)
        number = dialling.dialling(" ".join(words))
        if command is not None and number is not None and state is None:
            return Standing.CONTINUABLE
        if command is None:
            unfinished = state is not None or words[-1] in _GOES_ON or number is not None
            return Standing.UNFINISHED if unfinished else Standing.OPEN
        if state is None or (command.kind is CommandKind.CONTROL and command.name in _ANSWERS):
            return Standing.COMPLETE
        for tail in islice(self.graph.tails(state), MAX_TAILS):
            longer = self.match(" ".join((*words, *tail)))
            if longer is not None and longer != command:
                return Standing.CONTINUABLE
        return Standing.COMPLETE

    def _with_wildcards(self) -> Iterator[int]:
        for block, own in self._blocks.items():
            if any(slot.list_name in self.templates.wildcards for t in own for slot in slots_of(t.phrase)):
                yield block

    def _block_intents(self, block: int) -> Intents:
        own = self._blocks[block]
        data = [{"sentences": [template.text for template in own], "slots": dict(own[0].slots)}]
        return Intents.from_dict({"language": self.templates.language, "intents": {own[0].intent: {"data": data}}})


def _called(sentence: str) -> Command | None:
    """The command of a sentence that has a telephone number called."""
    digits = dialling.ordered(sentence)
    return Command(kind=CommandKind.ACTION, name="call_number", slots={"digits": digits}) if digits else None
