"""A driver's memory as its clients see it: a port for each of them, and `MemoryPort`, which is all of them.

The voice notes what is said, recalls and asks. Whoever drives has the same rights by voice, on the screen and on the command
line. The screen browses and takes back. The composition root begins and ends trips and keeps reminders.
Long because each of its methods says what it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

from schemas.manners import Habit, Review
from schemas.memory import (
    Condition,
    Consent,
    Conversation,
    Decision,
    Episode,
    Explanation,
    Fact,
    Found,
    Kind,
    Listing,
    Matches,
    Period,
    Preference,
    ProfileEntry,
    Proposal,
    Receipt,
    Recollection,
    Reflected,
    Selector,
    Sense,
    TakenIn,
    Terms,
    Trip,
    Turn,
    Waiting,
    Withheld,
)


class RecallPort(Protocol):
    """What is remembered that matters now: for the voice."""

    def recall(
        self, query: str, *, details: Sequence[str] = (), limit: int = 3, ahead: bool = False
    ) -> tuple[Recollection, ...]:
        """Active preferences that matter for the query, best first; empty when none passes the threshold.

        Args:
            query: what was asked, in words.
            details: only these detail keys; empty for all.
            limit: at most that many.
            ahead: it is only looked what a reply would be; the query does not count among the recent ones, by which is pruned.
        """
        ...

    def against(self, details: Sequence[str]) -> tuple[Preference, ...]:
        """What the driver dislikes or avoids, of these detail keys: nothing of it may be offered or chosen unasked."""
        ...

    def topics(self, question: str) -> tuple[str, ...]:
        """The detail keys that a question may be about; none for what is not remembered at all ("what's my shoe size")."""
        ...

    def search(
        self,
        query: str,
        *,
        kinds: Sequence[Kind] = (),
        tags: Sequence[str] = (),
        period: Period | None = None,
        details: Sequence[str] = (),
        limit: int = 5,
    ) -> tuple[Found, ...]:
        """Memories of any kind that matter for the query, best first; usually none, since most turns need no memory.

        Args:
            query: what was asked, in words. If they say nothing but a time ("what did we talk about yesterday") and that is given
                as the period, what is kept of it is listed: summaries, then exchanges.
            kinds: only these; empty for all, as with the three that follow.
            tags: with one of these tags.
            period: said in this time. A period or tags also say that something remembered is asked for, so less has to fit.
            details: about one of these detail keys.
            limit: at most that many.
        """
        ...

    def used(self, recalled: Sequence[Recollection | Found], action: str | None = None) -> None:
        """Note that these were used (reinforcement), and preferences for which action: its name, for `explain`."""
        ...

    def period(self, words: str) -> Period | None:
        """The time that words speak of ("last tuesday"), on the driver's calendar and trips; None where they speak of none."""
        ...

    def episodes(self, period: Period | None = None) -> tuple[Episode, ...]:
        """Exchanges that are kept, oldest first."""
        ...


class NotingPort(Protocol):
    """What the driver says, to be learnt from: for the voice."""

    def note(self, turn: Turn, conversation: str, *, teaches: bool = True) -> None:
        """Keep a turn until extraction has seen it; during a pause or a private trip it is dropped at once.

        Args:
            turn: what was said.
            conversation: id of the conversation that it belongs to.
            teaches: False where nothing is to be learnt from it: it can only become part of a kept conversation.
        """
        ...

    def keeps(self, text: str) -> bool:
        """Whether a sentence asks to have something kept, in whatever words: it is one for `remember`."""
        ...

    def renewal(self, said: str, *, orders: bool = False) -> tuple[Fact, bool] | None:
        """The one fact of which a sentence tells another number, day or place, as it reads then, and whether that is sure.

        None where it tells nothing new of any, or where that may not be kept. `correct_fact` keeps it.

        Args:
            said: the sentence.
            orders: it may ask something of the car, so that only what says all of the fact and takes its value back is taken.
        """
        ...

    def lasts(self, text: str, sure: float) -> bool:
        """Whether a sentence that was taken for one order rather tells what lasts, of the driver or of company.

        Args:
            text: the sentence.
            sure: probability that it is that order, 0..1.
        """
        ...

    def of_close(self, text: str) -> Fact | None:
        """What somebody close to the driver likes, needs or avoids by a sentence, as a fact for `keep`.

        None where it tells no such thing, or one that may not be kept.
        """
        ...

    def secret(self, text: str) -> bool:
        """Whether a sentence tells a PIN, a password or the like, which is never kept and never said."""
        ...

    def special(self, text: str) -> str:
        """Why a sentence may not be kept: it tells a secret, or its words tell of health, belief or the like; else empty."""
        ...

    def keep(self, fact: Fact) -> Decision:
        """Keep a fact, if it may be kept and is not kept already."""
        ...

    def tells(self, text: str) -> bool:
        """Whether a sentence surely tells what the driver likes, needs or avoids, although it was carried out as an order."""
        ...

    def discloses(self, text: str) -> bool:
        """Whether a sentence tells of a special kind of data, whether it may be kept or not, or a secret such as a PIN."""
        ...

    def remember(self, sentence: str, key: str | None = None) -> tuple[Decision, ...]:
        """Store what the driver asks to be remembered.

        Args:
            sentence: the driver's words.
            key: the detail key that it belongs to; None: extraction decides. What is asked for with its category is stored
                even where extraction is not sure, with the words of the sentence that carry the value.

        Raises:
            schemas.errors.UnknownEntryError: no such detail key.
        """
        ...

    def learn(self, conversation: Conversation) -> tuple[Decision, ...]:
        """Extraction and maintenance over a finished conversation; what is allowed is stored when this returns."""
        ...

    def forget_pending(self, conversation: str) -> int:
        """Erase what came of this conversation and is not stored: waiting turns and open proposals; how many that were."""
        ...


class ProposalPort(Protocol):
    """What memory asks the driver about: for the voice, the screen and the command line."""

    def proposals(self) -> tuple[Proposal, ...]:
        """What memory is not sure enough of to store it unasked and has not expired, last heard first."""
        ...

    def worth(self, proposal: Proposal, *, told: bool = False) -> bool:
        """Whether it is worth a driver's attention to ask about it aloud; ``told``: they have just told it, and surely."""
        ...

    def asked(self, proposal: str) -> None:
        """Note that the driver was asked aloud about a proposal; unknown ids are ignored."""
        ...

    def answer(self, proposal: str, yes: bool) -> Decision:
        """The driver's answer: yes stores the proposal if consent allows it now, no is not asked again for a while.

        Raises:
            schemas.errors.UnknownEntryError: no open proposal has that id.
        """
        ...


class ConsentPort(Protocol):
    """What may be remembered: for the voice, the screen and the command line."""

    def consent(self) -> Consent:
        """What may be remembered now."""
        ...

    def opt_out(self, key: str) -> Consent:
        """Switch a main, sub or detail category off, or the keeping of conversations; open proposals go.

        What is stored stays until forgotten: ``matching(Selector(key=key))``, so that the driver can be asked about it.
        """
        ...

    def opt_in(self, key: str) -> Consent:
        """Switch a category on again, or a sensitive one or the keeping of conversations on for the first time."""
        ...

    def set_private_trip(self, private: bool) -> Consent:
        """Remember nothing from now on, or remember again."""
        ...

    def pause(self, until: datetime | None) -> Consent:
        """Remember nothing until then; None resumes."""
        ...


class RightsPort(Protocol):
    """Seeing, correcting, forgetting, taking along: for the voice, the screen and the command line."""

    def preferences(self, key: str | None = None, *, history: bool = False) -> tuple[Preference, ...]:
        """Stored preferences, newest first, under a main, sub or detail key.

        Raises:
            schemas.errors.UnknownEntryError: no such category.
        """
        ...

    def explain(self, name: str) -> Explanation:
        """Why a preference is remembered, what it was used for, and what it took the place of.

        Raises:
            schemas.errors.UnknownEntryError: no preference has that id.
        """
        ...

    def correct(self, name: str, value: str) -> Preference:
        """Put another value in the place of a preference's, which is kept as superseded.

        Raises:
            schemas.errors.UnknownEntryError: no active preference has that id, or its category is closed and does not have
                that value; the message names those that it has.
            schemas.errors.ConsentError: consent forbids its category now.
        """
        ...

    def move(self, name: str, detail: str, *, instead: bool = False) -> Decision:
        """Put a preference under another topic, with its sentences and conditions.

        Args:
            name: its id.
            detail: key of the detail category that it belongs to.
            instead: it may take the place of what stands there. Without it the decision is ``ASK`` where something does, names that
                as ``replaced``, and nothing is changed.

        Raises:
            schemas.errors.UnknownEntryError: no active preference has that id, or the topic is none or cannot have that value.
            schemas.errors.ConsentError: consent forbids one of the two topics now.
        """
        ...

    def move_back(self, name: str) -> tuple[Preference, ...]:
        """Undo the move that made this preference: what was there before holds again, and is returned.

        Raises:
            schemas.errors.UnknownEntryError: no active preference has that id, or it was not moved.
            schemas.errors.ConsentError: consent forbids the topic it came from.
        """
        ...

    def facts(self) -> tuple[Fact, ...]:
        """What the driver asked to have kept and still matters, newest first."""
        ...

    def fact(self, name: str) -> Fact:
        """One of them, with when it was said and how often it was used.

        Raises:
            schemas.errors.UnknownEntryError: no fact has that id.
        """
        ...

    def correct_fact(self, name: str, text: str) -> Fact:
        """Put another text in the place of a fact's; nothing of the old one is left.

        Raises:
            schemas.errors.UnknownEntryError: no fact has that id, or the text is empty or too long.
            schemas.errors.ConsentError: facts may not be written now, or not such a one.
        """
        ...

    def fitting(self, text: str, about: str = "", guesses: int = 0, *, named: bool = False) -> tuple[Selector, ...]:
        """What a wish to have something forgotten means, of all that is remembered: by its meaning and its words.

        One where that is clear, the best few where several fit alike, the nearest where nothing fits.

        Args:
            text: the whole sentence.
            about: the words of it that would name what is meant, if they are known.
            guesses: how many of the nearest at most.
            named: only what has words of the sentence that tell something.
        """
        ...

    def matching(self, what: Selector) -> Matches:
        """What `forget_where` would erase, and erases nothing. Nothing at all matches a selector without a condition.

        Raises:
            schemas.errors.UnknownEntryError: no such category.
        """
        ...

    def sweeps(self, what: Selector) -> bool:
        """Whether forgetting it takes so much away at once that it is asked about as everything is: PIN, second question.

        So does all there is, and more than ten things; one thing that is named never does.
        """
        ...

    def forget(self, key: str) -> Receipt:
        """Erase a preference or an open proposal by id, a category by key, or ``everything``; history included.

        Raises:
            schemas.errors.UnknownEntryError: nothing has that id or key.
        """
        ...

    def forget_where(self, what: Selector) -> Receipt:
        """Erase everything that meets all of a selector's conditions, what derives from it, and the backups.

        A preference goes with what it took the place of. Of one that was said at several times only the sentences that meet
        the conditions go. Where nothing meets them the receipt is empty.

        Raises:
            schemas.errors.UnknownEntryError: nothing has that id, or no such category.
        """
        ...

    def export(self) -> dict[str, Any]:
        """Everything that is stored, as JSON values."""
        ...

    def take_in(self, exported: Mapping[str, Any], *, allow: bool = False) -> TakenIn:
        """Read an export in, as far as consent allows now; what is switched off there is switched off here first.

        Args:
            exported: JSON values, as `export` gives them.
            allow: take over what the driver had allowed there, too: sensitive categories, the keeping of conversations.

        Raises:
            schemas.errors.ExportError: it is no export that this program can read.
        """
        ...

    def profile(self) -> tuple[ProfileEntry, ...]:
        """Facts, habits and style."""
        ...

    def edit_profile(self, key: str, value: str, *, aspect: Literal["fact", "habit", "style"] = "fact") -> ProfileEntry:
        """Write or correct a line of the profile; refinement leaves it alone from then on. ``aspect`` is for a new line.

        Raises:
            schemas.errors.ConsentError: nothing may be remembered now, or not of that category.
            schemas.errors.UnknownEntryError: no key or no value.
        """
        ...


class BrowsingPort(Protocol):
    """What is remembered, a page at a time, and what can be taken back for a moment: for the screen."""

    def browse(
        self, key: str | None = None, *, text: str = "", told: Callable[[str, str, Sense, Sequence[Condition]], str] | None = None,
        period: Period | None = None, limit: int = 6, offset: int = 0,
    ) -> Listing:  # fmt: skip
        """A page of the active preferences without reading the others, whole words first, then the newest.

        Args:
            key: a main, sub or detail key; None: all.
            text: only those that hold these letters in their value, in a sentence or in what is ``told`` of them; small and
                capital letters are the same, with accents and without.
            told: what the screen shows of a preference with this detail, value, sense and these conditions.
            period: only those that were said first in this time.
            limit: at most that many.
            offset: how many to leave out before.

        Raises:
            schemas.errors.UnknownEntryError: no such category.
        """
        ...

    def browse_kept(
        self, *, name: str | None = None, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """A page of what is kept beside preferences, newest first: the profile, thoughts and events, exchanges, days.

        Args:
            name: only what has this id; None: all.
            text: as `browse`.
            period: only what is of this time.
            limit: at most that many.
            offset: how many to leave out before.
        """
        ...

    def browse_facts(self, *, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0) -> Listing:
        """A page of the facts that still matter, whole words first, then the newest; the conditions are those of `browse`."""
        ...

    def tally(self) -> dict[str, int]:
        """Detail key -> how many active preferences it has; those without any are left out."""
        ...

    def trips(self) -> tuple[Trip, ...]:
        """Trips whose times are kept, first to last."""
        ...

    def terms(self) -> Terms:
        """How long what comes of conversations is kept: what the driver chose, else what is configured."""
        ...

    def set_terms(self, terms: Terms) -> Terms:
        """Keep it so long from now on.

        What is over by it goes with the next `reflect`, not sooner: until then it can be taken back.

        Raises:
            schemas.errors.ConsentError: a guest, of whom nothing is kept.
        """
        ...

    def withhold(self, what: Selector) -> Withheld:
        """Take it out of every list and of recall at once, to be erased by `carry_out` unless `restore` takes it back.

        Should the process end before, it is erased when the vault is next opened: it never comes back by itself.

        Raises:
            schemas.errors.UnknownEntryError: nothing meets the conditions.
        """
        ...

    def restore(self, token: str) -> None:
        """Take back what was withheld, within the time that `Withheld.until` says.

        Raises:
            schemas.errors.UnknownEntryError: unknown token, carried out already, or too late.
        """
        ...

    def carry_out(self, token: str) -> Receipt:
        """Erase what was withheld.

        Raises:
            schemas.errors.UnknownEntryError: unknown token, or carried out already.
        """
        ...


class KnowingPort(Protocol):
    """What is usual with the driver, and what was learnt of late: for the voice and the screen."""

    def habits(self) -> tuple[Habit, ...]:
        """What the driver usually has done at this time of the week and has not had done today, the surest first.

        None of what consent forbids now, of what is disliked, of what the driver does not want to have suggested, and none at all
        while suggestions are switched off or nothing may be remembered.
        """
        ...

    def suggested(self, habit: Habit, yes: bool | None) -> None:
        """Note that a suggestion was made and how it was answered; None: not yet. After a no it is not made again."""
        ...

    def review(self, period: Period) -> Review:
        """What was learnt in a time and what it took the place of; how much was refused and forgotten, never what."""
        ...


class TripPort(Protocol):
    """Trips, and what is done when a conversation or a trip is over: for the composition root.

    Until the driver asks that conversations are kept, nothing of them is, and only what rests on preferences is thought about.
    """

    def begin_trip(self, trip: str) -> None:
        """A drive begins; its conversations are called ``<trip>-<number>``."""
        ...

    def learn_pending(self, conversation: str | None = None, told: str = "") -> tuple[Decision, ...]:
        """Extraction and maintenance over every conversation noted and not yet learnt from, oldest first; then they are erased.

        Args:
            conversation: its id: only over what was noted of that one.
            told: the turn in it by which the driver surely tells something: less sureness is enough to store what that says.
        """
        ...

    def end_trip(self, trip: str) -> None:
        """A drive is over, and with it a private trip."""
        ...

    def reflect(self) -> Reflected:
        """Think about what was said since the last time, then let go of what is over; nobody who recalls waits for it.

        While nothing may be remembered nothing is made; what is over goes all the same.
        """
        ...


class RemindersPort(Protocol):
    """Timers and reminders that wait, kept for whoever rings."""

    def watch(self, changed: Callable[[], None] | None) -> None:
        """From now on call this when what waits is another and `save` was not the reason: `load` it anew. None: call nothing."""
        ...

    def load(self) -> tuple[int, tuple[Waiting, ...]]:
        """What waits, and a number for `save`.

        Raises:
            schemas.errors.MemoryStoreError: it cannot be read.
        """
        ...

    def save(self, waiting: Sequence[Waiting], state: int) -> None:
        """Keep this in the place of what was there; during a pause or a private trip nothing new of it.

        Args:
            waiting: all that waits.
            state: what `load` gave. Does nothing if something was forgotten or taken back since: whoever watches was told.

        Raises:
            schemas.errors.MemoryStoreError: it cannot be written.
        """
        ...


class MemoryPort(
    RecallPort, NotingPort, ProposalPort, ConsentPort, RightsPort, BrowsingPort, KnowingPort, TripPort, Protocol
):
    """One driver's memory, open."""

    @property
    def driver(self) -> str:
        """The driver's name."""
        ...

    @property
    def reminders(self) -> RemindersPort:
        """Timers and reminders that wait."""
        ...

    def watch(self, changed: Callable[[bool], None] | None) -> None:
        """From now on call this when what is stored or may be is another; True: something was forgotten. None: call nothing.

        Called once it is done, on the thread that did it and without the memory's locks; it must not wait for anything.
        """
        ...

    def close(self) -> None:
        """Release the vault."""
        ...
