"""Understanding a command by rules alone.

Owns: the way from a sentence to a command. A match is a complete parse: the word graph says which blocks of templates have
exactly this sentence, and hassil reads the slots from them. Does not own whether a recogniser heard the sentence well.
"""

from __future__ import annotations

from functools import cache

from hassil.intents import Intents
from hassil.recognize import recognize_all

from models.commands.graph import WordGraph
from models.commands.phrase import slots_of
from models.commands.spelling import spoken
from models.commands.templates import Template, Templates, load_templates
from schemas.events import Command

MAX_WORDS = 60
"""Longer texts are no commands; it bounds the work."""


class TemplateMatcher:
    """``schemas.ports.CommandMatcher`` over sentence templates.

    Where several commands fit, the one that stands first in the file wins: within a block the first sentence template, and
    of its readings the first value of a list.
    """

    def __init__(self, templates: Templates | None = None) -> None:
        """Templates of Glovebox unless others are given."""
        self.templates = templates or load_templates()
        self.graph = WordGraph(self.templates)
        self._blocks: dict[int, list[Template]] = {}
        for template in self.templates.templates:
            self._blocks.setdefault(template.block, []).append(template)
        self._open = tuple(
            block
            for block, own in self._blocks.items()
            if any(slot.list_name in self.templates.wildcards for t in own for slot in slots_of(t.phrase))
        )
        shared = Intents.from_dict({**self.templates.definition, "intents": {}})
        self._lists, self._rules = shared.slot_lists, shared.expansion_rules
        self._intents = cache(self._block_intents)

    def match(self, text: str) -> Command | None:
        """The command that the whole text asks for, or None: a partial match is no match.

        Digits, case, punctuation and hyphens do not matter ("22.5 °C" is "twenty two point five degrees celsius").
        """
        sentence = spoken(text)
        words = sentence.split()
        if not words or len(words) > MAX_WORDS:
            return None
        for block in sorted({*self.graph.ends(words), *self._open}):
            for result in recognize_all(sentence, self._intents(block), self._lists, self._rules):
                template = self._blocks[block][0]
                slots = {name: entity.value for name, entity in result.entities.items()}
                return Command(kind=template.kind, name=template.intent, slots=slots)
        return None

    def _block_intents(self, block: int) -> Intents:
        own = self._blocks[block]
        data = [{"sentences": [template.text for template in own], "slots": dict(own[0].slots)}]
        return Intents.from_dict({"language": self.templates.language, "intents": {own[0].intent: {"data": data}}})
