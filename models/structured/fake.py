"""A small deterministic stand-in for the language model and its grammar: it finds words that it knows, and understands nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from models.runtime.fake_encoder import VALUES
from models.text import contains
from schemas.memory import MaintenanceChoice
from schemas.preferences import BY_DETAIL


class KeywordModel:
    """`schemas.ports.StructuredModel` without a model: finds `VALUES` in the turns; maintains as it was told."""

    def __init__(self, choice: MaintenanceChoice | None = None) -> None:
        """Answers maintenance with this choice; None: what is new joins what is there."""
        self.choice = choice or MaintenanceChoice(decision="append")
        self.asked: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
        """Task, turns and facts of every call."""

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        """A slice filled with every known value of every offered category."""
        self.asked.append((task, tuple(turns), tuple(facts)))
        if task == "maintain":
            return self.choice
        schema = model.model_json_schema()
        offered = {name for part in schema.get("$defs", {}).values() for name in part.get("properties", {})}
        filled: dict[str, Any] = {}
        for detail, values in VALUES.items():
            category = BY_DETAIL[detail]
            found = [
                {"turn": number, "value": value}
                for number, turn in enumerate(turns)
                for value in values
                if contains(turn, value)
            ][: 3 if category.multi else 1]
            if detail in offered and found:
                filled.setdefault(category.main, {}).setdefault(category.sub, {})[detail] = found
        return model.model_validate(filled)
