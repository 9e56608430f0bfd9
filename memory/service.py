"""What is remembered about one driver: the ``MemoryPort``.

Composes the parts of `memory.driver` over one open vault, and hands on what each of them does. What is done in which order,
and under which lock, is the parts' own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from memory.driver.conversations import Conversations
from memory.driver.keeping import Keeping
from memory.driver.knowing import Knowing
from memory.driver.learner import Learner
from memory.driver.moving import Moving
from memory.driver.recollections import Recollections
from memory.driver.rights import Rights
from memory.driver.session import Session
from memory.driver.switches import Switches
from memory.learn.english.canonical import Canon
from memory.learn.explicit import Reader
from memory.learn.extraction import ExtractionSettings, Extractor
from memory.learn.facts import is_secret
from memory.learn.guard import Guard
from memory.learn.maintenance import Maintainer
from memory.learn.proposals import Proposals, ProposalSettings
from memory.recall.preferences import RECALL_AT
from memory.recall.search import HybridSearch, SearchTuning
from memory.settings import TierSettings
from memory.store.listing import Pages
from memory.store.reminders import Reminders
from memory.vault.lifecycle import Vault
from schemas.ports import Encoder


class MemorySettings(BaseModel):
    """All thresholds of memory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    extraction: ExtractionSettings = ExtractionSettings()
    recall_at: float = Field(default=RECALL_AT, ge=0.0, le=1.0)
    """Score from which on a preference is recalled."""
    recall: SearchTuning = SearchTuning()
    proposals: ProposalSettings = ProposalSettings()
    tiers: TierSettings = TierSettings()


class DriverMemory:
    """One driver's memory over an open vault. Safe for use by several threads."""

    def __init__(
        self,
        driver: str,
        vault: Vault,
        *,
        encoder: Encoder,
        clock: Callable[[], datetime],
        settings: MemorySettings | None = None,
        zone: tzinfo = UTC,
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        """Memory of a driver; reads what is stored and prepares it for recall.

        Args:
            driver: the driver's name.
            vault: the driver's open vault; closed by `close`.
            encoder: for recall, and for what is learnt.
            clock: aware current time.
            settings: thresholds.
            zone: where the driver is, for days and times of day.
            new_id: makes the ids of preferences and proposals.
        """
        settings = settings or MemorySettings()
        self.driver = driver
        extractor = Extractor(encoder, settings.extraction)
        self.session = session = Session(
            driver, vault, encoder, extractor,
            search=HybridSearch(vault, encoder, settings.recall, settings.recall_at), guard=Guard(encoder),
            clock=clock, new_id=new_id,
        )  # fmt: skip
        canon = Canon(encoder)
        proposals = Proposals(session.store, settings.proposals, new_id)
        self.reminders, self.watch = (
            Reminders(
                session.store,
                session.lock,
                clock,
                lambda label: bool(session.guard.forbidden(label, session.store.consent())),
            ),
            session.watch,
        )
        self.conversations = Conversations(session, settings.tiers, zone)
        keeping = Keeping(session, lambda text: is_secret(encoder, text))
        self.learner = Learner(
            session, self.conversations, keeping=keeping,
            reader=Reader(extractor, encoder, canon),
            maintainer=Maintainer(encoder), proposals=proposals, zone=zone,
        )  # fmt: skip
        knowing = Knowing(session, zone)
        self.rights = Rights(
            session, self.learner, self.conversations, self.reminders, canon, counted=knowing.forgotten
        )
        self.rights.carry_out_all()
        keeping.expire()
        session.search.refresh()
        proposals.expire(clock())
        recollections, switches, pages = (
            Recollections(session, self.conversations),
            Switches(session),
            Pages(session.store),
        )

        # By the ports of ``schemas.memory_port``: what each client calls, and the part that does it.
        self.recall, self.search, self.used = recollections.recall, recollections.search, recollections.used
        self.topics, self.against = recollections.topics, recollections.against
        self.period, self.episodes = recollections.period, session.archive.episodes

        learner = self.learner
        self.note, self.remember, self.learn = learner.note, learner.remember, learner.learn
        self.keeps, self.lasts, self.of_close = learner.keeps, learner.lasts, learner.of_close
        self.tells, self.discloses, self.special = learner.tells, learner.discloses, learner.special
        self.secret = learner.secret
        self.forget_pending, self.learn_pending = learner.forget_pending, learner.learn_pending
        self.proposals, self.worth = learner.proposals, learner.worth
        self.asked, self.answer = learner.asked, learner.answer

        self.consent, self.opt_out, self.opt_in = switches.consent, switches.opt_out, switches.opt_in
        self.set_private_trip, self.pause = switches.set_private_trip, switches.pause

        rights = self.rights
        self.preferences, self.explain, self.correct = rights.preferences, rights.explain, rights.correct
        moving = Moving(session, learner.maintainer, rights.written)
        self.move, self.move_back = moving.move, moving.move_back
        self.facts, self.fact, self.correct_fact = keeping.facts, keeping.fact, keeping.correct_fact
        self.keep, self.renewal = keeping.keep, keeping.renewal
        self.matching, self.fitting, self.sweeps = rights.matching, rights.fitting, rights.sweeps
        self.forget, self.forget_where = rights.forget, rights.forget_where
        self.withhold, self.restore, self.carry_out = rights.withhold, rights.restore, rights.carry_out
        self.export, self.take_in = rights.export, rights.take_in

        self.habits, self.suggested, self.review = knowing.habits, knowing.suggested, knowing.review

        self.browse, self.browse_kept, self.tally = pages.browse, pages.browse_kept, pages.tally
        self.browse_facts = pages.browse_facts

        conversations = self.conversations
        self.begin_trip, self.end_trip = conversations.begin_trip, conversations.end_trip
        self.reflect = conversations.reflect
        self.profile, self.edit_profile = session.archive.profile, conversations.edit_profile
        self.trips, self.terms, self.set_terms = session.archive.trips, conversations.terms, conversations.set_terms

    def close(self) -> None:
        """Erase what is withheld, and release the vault and the searchable copy of it."""
        session = self.session
        with session.lock:
            if not session.vault.closed:
                self.rights.carry_out_all()
            session.search.close()
            self.learner.forget_refused()
            session.vault.close()
