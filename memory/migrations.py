"""The tables of a vault and the steps that lead to them.

A step is SQL that takes a vault from the version before it to its own; ``PRAGMA user_version`` holds where a vault stands.
Steps that were ever released are never changed: a later change is a new step.

Consent is enforced here once more, beneath all Python: triggers refuse to write a preference, a sentence of one, or an open
proposal in a category that the vault's own consent tables forbid, and any turn while learning is paused. ``glovebox_now()`` is
registered on every connection of `memory.vault`; a connection without it cannot write preferences at all.
"""

from __future__ import annotations

V1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- The category tree, so that SQL can tell which details lie under a key; `memory.store` keeps it equal to schemas.
CREATE TABLE categories (
    detail TEXT PRIMARY KEY,
    sub TEXT NOT NULL,
    main TEXT NOT NULL,
    sensitive INTEGER NOT NULL CHECK (sensitive IN (0, 1))
) WITHOUT ROWID;

CREATE TABLE opted_out (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE opted_in (detail TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE learning (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    private_trip INTEGER NOT NULL DEFAULT 0 CHECK (private_trip IN (0, 1)),
    paused_until TEXT
);
INSERT INTO learning (one) VALUES (1);

CREATE TABLE preferences (
    id TEXT PRIMARY KEY,
    detail TEXT NOT NULL,
    value TEXT NOT NULL,
    conversation TEXT NOT NULL,
    confidence REAL NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL CHECK (status IN ('active', 'superseded')),
    valid_from TEXT NOT NULL,
    valid_to TEXT,
    last_used TEXT,
    superseded_by TEXT REFERENCES preferences (id) ON DELETE SET NULL,
    CHECK ((status = 'active') = (valid_to IS NULL))
);
CREATE INDEX preferences_by_successor ON preferences (superseded_by);
CREATE INDEX preferences_by_detail ON preferences (detail, status);

CREATE TABLE sentences (
    id INTEGER PRIMARY KEY,
    preference TEXT NOT NULL REFERENCES preferences (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    said_at TEXT NOT NULL,
    conversation TEXT NOT NULL,
    UNIQUE (preference, text, conversation)
);

-- What was said and not yet learnt from: erased in the transaction that stores what was learnt.
CREATE TABLE turns (
    id INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL,
    text TEXT NOT NULL,
    at TEXT NOT NULL,
    confidence REAL NOT NULL
);
CREATE INDEX turns_by_conversation ON turns (conversation);

-- What was decided, without content: no value, no sentence; refused ones without their category.
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    conversation TEXT NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT,
    preference TEXT
);

CREATE VIEW silence (reason) AS
    SELECT 'private trip' FROM learning WHERE private_trip = 1
    UNION ALL
    SELECT 'paused' FROM learning WHERE paused_until > glovebox_now();

CREATE VIEW forbidden (detail) AS
    SELECT c.detail FROM categories c
    WHERE EXISTS (SELECT 1 FROM silence)
       OR EXISTS (SELECT 1 FROM opted_out o WHERE o.key IN (c.main, c.sub, c.detail))
       OR (c.sensitive = 1 AND NOT EXISTS (SELECT 1 FROM opted_in i WHERE i.detail = c.detail));

CREATE TRIGGER preferences_need_consent BEFORE INSERT ON preferences
WHEN NEW.detail IN (SELECT detail FROM forbidden) OR NEW.detail NOT IN (SELECT detail FROM categories)
BEGIN SELECT RAISE(ABORT, 'consent forbids this preference'); END;

CREATE TRIGGER changes_need_consent BEFORE UPDATE OF id, detail, value, conversation ON preferences
WHEN NEW.detail IN (SELECT detail FROM forbidden) OR NEW.detail NOT IN (SELECT detail FROM categories)
BEGIN SELECT RAISE(ABORT, 'consent forbids this change'); END;

CREATE TRIGGER sentences_need_consent BEFORE INSERT ON sentences
WHEN (SELECT detail FROM preferences WHERE id = NEW.preference) IN (SELECT detail FROM forbidden)
BEGIN SELECT RAISE(ABORT, 'consent forbids this sentence'); END;

CREATE TRIGGER sentences_are_only_added BEFORE UPDATE OF preference ON sentences
BEGIN SELECT RAISE(ABORT, 'consent: a sentence stays with its preference'); END;

CREATE TRIGGER turns_need_consent BEFORE INSERT ON turns WHEN EXISTS (SELECT 1 FROM silence)
BEGIN SELECT RAISE(ABORT, 'consent forbids this turn'); END;

CREATE TRIGGER decisions_need_consent BEFORE INSERT ON decisions WHEN EXISTS (SELECT 1 FROM silence)
BEGIN SELECT RAISE(ABORT, 'consent forbids this entry'); END;

CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'the log of decisions is append only'); END;

CREATE TRIGGER decisions_remain BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'the log of decisions is append only'); END;
"""

V2 = """
-- What may be a preference and waits for the driver's yes.
CREATE TABLE proposals (
    id TEXT PRIMARY KEY,
    detail TEXT NOT NULL,
    value TEXT NOT NULL,
    sentence TEXT NOT NULL,
    said_at TEXT NOT NULL,
    conversation TEXT NOT NULL,
    confidence REAL NOT NULL,
    negated INTEGER NOT NULL CHECK (negated IN (0, 1)),
    expires_at TEXT NOT NULL,
    asked INTEGER NOT NULL DEFAULT 0,
    asked_at TEXT
);

-- What the driver said no to: a keyed hash, so that it can be known again but not read. The key lies in meta.
CREATE TABLE declined (mark TEXT PRIMARY KEY, until TEXT NOT NULL) WITHOUT ROWID;

CREATE TRIGGER proposals_need_consent BEFORE INSERT ON proposals
WHEN NEW.detail IN (SELECT detail FROM forbidden) OR NEW.detail NOT IN (SELECT detail FROM categories)
BEGIN SELECT RAISE(ABORT, 'consent forbids this proposal'); END;

CREATE TRIGGER proposals_are_only_replaced BEFORE UPDATE OF id, detail, value, sentence, conversation, negated ON proposals
BEGIN SELECT RAISE(ABORT, 'consent: a proposal is replaced whole'); END;
"""

STEPS: dict[int, str] = {1: V1, 2: V2}
"""Version that a step leads to -> its SQL, in order and without gaps from 1."""

VERSION = max(STEPS)
"""Version that this program writes."""
