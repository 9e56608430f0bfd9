"""The tables of a vault and the steps that lead to them.

A step is SQL that takes a vault from the version before it to its own; ``PRAGMA user_version`` holds where a vault stands.
Steps that were ever released are never changed: a later change is a new step.

Consent is enforced here once more, beneath all Python: triggers refuse to write a preference, a sentence of one, an open
proposal, an episode, a thought, a line of a summary or of the profile in a category that the vault's own consent tables
forbid, any fact while facts are off, any turn while learning is paused, and whatever is kept of conversations unless the
driver asked for that. ``glovebox_now()`` is registered on every connection of `memory.vault.lifecycle`; a connection
without it cannot write preferences at all.
"""

from __future__ import annotations

V1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- The category tree, so that SQL can tell which details lie under a key; `memory.store.preferences` keeps it equal to schemas.
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

V3 = """
-- The tiers beside preferences. Details and tags are JSON lists of keys. Conversations are kept only when the driver asked
-- for it (the key conversations in opted_in).
CREATE VIEW unkept (reason) AS
    SELECT reason FROM silence
    UNION ALL
    SELECT 'conversations are not kept' WHERE NOT EXISTS (SELECT 1 FROM opted_in WHERE detail = 'conversations');

CREATE TABLE trips (id TEXT PRIMARY KEY, began_at TEXT NOT NULL, ended_at TEXT) WITHOUT ROWID;

CREATE TABLE episodes (
    id TEXT PRIMARY KEY,
    conversation TEXT NOT NULL,
    at TEXT NOT NULL,
    driver TEXT NOT NULL,
    assistant TEXT NOT NULL DEFAULT '',
    details TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(details)),
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    importance REAL NOT NULL DEFAULT 0,
    uses INTEGER NOT NULL DEFAULT 0,
    last_used TEXT,
    reflected INTEGER NOT NULL DEFAULT 0 CHECK (reflected IN (0, 1))
);
CREATE INDEX episodes_by_time ON episodes (at);
CREATE INDEX episodes_by_conversation ON episodes (conversation);

CREATE TABLE thoughts (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('thought', 'event')),
    text TEXT NOT NULL,
    at TEXT NOT NULL,
    details TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(details)),
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    importance REAL NOT NULL DEFAULT 0,
    uses INTEGER NOT NULL DEFAULT 0,
    last_used TEXT
);
CREATE INDEX thoughts_by_time ON thoughts (at);

CREATE TABLE summaries (id TEXT PRIMARY KEY, day TEXT NOT NULL UNIQUE);

-- A summary is its lines, so that a line can go without anything being written anew.
CREATE TABLE summary_lines (
    summary TEXT NOT NULL REFERENCES summaries (id) ON DELETE CASCADE,
    source TEXT NOT NULL,
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    details TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(details)),
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    PRIMARY KEY (summary, source)
) WITHOUT ROWID;
CREATE INDEX summary_lines_by_source ON summary_lines (source);

CREATE TABLE profile (
    id TEXT PRIMARY KEY,
    aspect TEXT NOT NULL CHECK (aspect IN ('fact', 'habit', 'style')),
    key TEXT NOT NULL UNIQUE,
    value TEXT NOT NULL,
    details TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(details)),
    confidence REAL NOT NULL,
    since TEXT NOT NULL,
    edited INTEGER NOT NULL DEFAULT 0 CHECK (edited IN (0, 1))
);

-- What a thought or a line of the profile was made of.
CREATE TABLE sources (memory TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY (memory, source)) WITHOUT ROWID;
CREATE INDEX sources_by_source ON sources (source);

-- The nearest other memories, nearest first.
CREATE TABLE links (
    memory TEXT NOT NULL, other TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (memory, other)
) WITHOUT ROWID;
CREATE INDEX links_by_other ON links (other);

-- Tags that grew from what recurs; those that every vault has are in memory.store.tags.
CREATE TABLE tags (key TEXT PRIMARY KEY, since TEXT NOT NULL) WITHOUT ROWID;

-- Unit vectors (float16) of memories of any kind, and of the last queries: only what can be computed anew.
CREATE TABLE vectors (memory TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE queries (id INTEGER PRIMARY KEY, at TEXT NOT NULL, vector BLOB NOT NULL);

CREATE TRIGGER trips_need_consent BEFORE INSERT ON trips WHEN EXISTS (SELECT 1 FROM unkept)
BEGIN SELECT RAISE(ABORT, 'consent forbids this trip'); END;

CREATE TRIGGER episodes_need_consent BEFORE INSERT ON episodes
WHEN EXISTS (SELECT 1 FROM unkept)
  OR EXISTS (SELECT 1 FROM json_each(NEW.details) d
             WHERE d.value IN (SELECT detail FROM forbidden) OR d.value NOT IN (SELECT detail FROM categories))
BEGIN SELECT RAISE(ABORT, 'consent forbids this episode'); END;

CREATE TRIGGER episodes_are_only_replaced BEFORE UPDATE OF id, conversation, at, driver, assistant, details ON episodes
BEGIN SELECT RAISE(ABORT, 'consent: an episode is replaced whole'); END;

CREATE TRIGGER thoughts_need_consent BEFORE INSERT ON thoughts
WHEN EXISTS (SELECT 1 FROM silence)
  OR (NEW.kind = 'event' AND EXISTS (SELECT 1 FROM unkept))
  OR EXISTS (SELECT 1 FROM json_each(NEW.details) d
             WHERE d.value IN (SELECT detail FROM forbidden) OR d.value NOT IN (SELECT detail FROM categories))
BEGIN SELECT RAISE(ABORT, 'consent forbids this thought'); END;

CREATE TRIGGER thoughts_are_only_replaced BEFORE UPDATE OF id, kind, text, at, details ON thoughts
BEGIN SELECT RAISE(ABORT, 'consent: a thought is replaced whole'); END;

CREATE TRIGGER summary_lines_need_consent BEFORE INSERT ON summary_lines
WHEN EXISTS (SELECT 1 FROM unkept)
  OR EXISTS (SELECT 1 FROM json_each(NEW.details) d
             WHERE d.value IN (SELECT detail FROM forbidden) OR d.value NOT IN (SELECT detail FROM categories))
BEGIN SELECT RAISE(ABORT, 'consent forbids this line'); END;

CREATE TRIGGER summary_lines_are_only_replaced BEFORE UPDATE ON summary_lines
BEGIN SELECT RAISE(ABORT, 'consent: a line is replaced whole'); END;

CREATE TRIGGER profile_needs_consent BEFORE INSERT ON profile
WHEN EXISTS (SELECT 1 FROM silence)
  OR EXISTS (SELECT 1 FROM json_each(NEW.details) d
             WHERE d.value IN (SELECT detail FROM forbidden) OR d.value NOT IN (SELECT detail FROM categories))
BEGIN SELECT RAISE(ABORT, 'consent forbids this entry'); END;

CREATE TRIGGER profile_is_only_replaced BEFORE UPDATE OF id, aspect, key, value, details ON profile
BEGIN SELECT RAISE(ABORT, 'consent: an entry is replaced whole'); END;

CREATE TRIGGER tags_need_consent BEFORE INSERT ON tags WHEN EXISTS (SELECT 1 FROM unkept)
BEGIN SELECT RAISE(ABORT, 'consent forbids this tag'); END;

CREATE TRIGGER queries_need_consent BEFORE INSERT ON queries WHEN EXISTS (SELECT 1 FROM unkept)
BEGIN SELECT RAISE(ABORT, 'consent forbids this query'); END;

-- Whatever goes takes its vector and its links along.
CREATE TRIGGER preferences_go_whole AFTER DELETE ON preferences
BEGIN
    DELETE FROM vectors WHERE memory = OLD.id;
    DELETE FROM links WHERE memory = OLD.id OR other = OLD.id;
END;
CREATE TRIGGER episodes_go_whole AFTER DELETE ON episodes
BEGIN
    DELETE FROM vectors WHERE memory = OLD.id;
    DELETE FROM links WHERE memory = OLD.id OR other = OLD.id;
END;
CREATE TRIGGER thoughts_go_whole AFTER DELETE ON thoughts
BEGIN
    DELETE FROM vectors WHERE memory = OLD.id;
    DELETE FROM links WHERE memory = OLD.id OR other = OLD.id;
    DELETE FROM sources WHERE memory = OLD.id;
END;
CREATE TRIGGER summaries_go_whole AFTER DELETE ON summaries
BEGIN
    DELETE FROM vectors WHERE memory = OLD.id;
    DELETE FROM links WHERE memory = OLD.id OR other = OLD.id;
END;
CREATE TRIGGER profile_goes_whole AFTER DELETE ON profile
BEGIN
    DELETE FROM vectors WHERE memory = OLD.id;
    DELETE FROM sources WHERE memory = OLD.id;
END;
"""

V4 = """
-- What is on its way out: shown nowhere, taken back within seconds or erased, at the latest when the vault is opened again.
CREATE TABLE withheld (
    token TEXT NOT NULL,
    kind TEXT NOT NULL,
    memory TEXT NOT NULL,
    until TEXT NOT NULL,
    PRIMARY KEY (token, kind, memory)
) WITHOUT ROWID;

-- What a preference was used for: the name of an action, no slots.
CREATE TABLE used_for (
    id INTEGER PRIMARY KEY,
    preference TEXT NOT NULL REFERENCES preferences (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    action TEXT NOT NULL
);
CREATE INDEX used_for_by_preference ON used_for (preference);

CREATE TRIGGER used_for_needs_consent BEFORE INSERT ON used_for
WHEN (SELECT detail FROM preferences WHERE id = NEW.preference) IN (SELECT detail FROM forbidden)
BEGIN SELECT RAISE(ABORT, 'consent forbids this use'); END;
"""

V5 = """
-- What search needs of a memory beside its vector: numbers of its stems. Whoever changes the words of a memory takes both away,
-- in the same transaction; `memory.recall.vectors` makes them anew.
ALTER TABLE vectors ADD COLUMN stems BLOB;

-- The links of a search graph and the memories that they lie between; no vectors.
CREATE TABLE graphs (kind TEXT PRIMARY KEY, ids BLOB NOT NULL, links BLOB NOT NULL);

CREATE TRIGGER preferences_change_words AFTER UPDATE OF detail, value ON preferences
BEGIN DELETE FROM vectors WHERE memory = OLD.id; END;
CREATE TRIGGER preferences_end AFTER UPDATE OF status ON preferences WHEN NEW.status <> 'active'
BEGIN DELETE FROM vectors WHERE memory = OLD.id; END;
CREATE TRIGGER sentences_come AFTER INSERT ON sentences
BEGIN DELETE FROM vectors WHERE memory = NEW.preference; END;
CREATE TRIGGER sentences_change AFTER UPDATE OF text ON sentences
BEGIN DELETE FROM vectors WHERE memory = OLD.preference; END;
CREATE TRIGGER sentences_go AFTER DELETE ON sentences
BEGIN DELETE FROM vectors WHERE memory = OLD.preference; END;
CREATE TRIGGER summary_lines_come AFTER INSERT ON summary_lines
BEGIN DELETE FROM vectors WHERE memory = NEW.summary; END;
CREATE TRIGGER summary_lines_go AFTER DELETE ON summary_lines
BEGIN DELETE FROM vectors WHERE memory = OLD.summary; END;
"""

V6 = """
-- The marks of what was declined were keyed with a secret that lay beside them, so that a list of words found what they stood for.
DELETE FROM declined;
DELETE FROM meta WHERE key = 'declined';
"""

V7 = """
-- In what sense a value is meant, and when; conditions are a JSON list. A road type was always one to be avoided.
ALTER TABLE preferences ADD COLUMN sense TEXT NOT NULL DEFAULT 'likes'
    CHECK (sense IN ('likes', 'dislikes', 'avoids', 'needs'));
ALTER TABLE preferences ADD COLUMN conditions TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(conditions));
ALTER TABLE proposals ADD COLUMN sense TEXT NOT NULL DEFAULT 'likes'
    CHECK (sense IN ('likes', 'dislikes', 'avoids', 'needs'));
ALTER TABLE proposals ADD COLUMN conditions TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(conditions));
UPDATE preferences SET sense = 'avoids' WHERE detail = 'avoidance_of_specific_road_types';
UPDATE proposals SET sense = 'avoids' WHERE detail = 'avoidance_of_specific_road_types';

DROP TRIGGER changes_need_consent;
CREATE TRIGGER changes_need_consent BEFORE UPDATE OF id, detail, value, conversation, sense ON preferences
WHEN NEW.detail IN (SELECT detail FROM forbidden) OR NEW.detail NOT IN (SELECT detail FROM categories)
BEGIN SELECT RAISE(ABORT, 'consent forbids this change'); END;
-- Words of conditions can always be taken away, since forgetting must.
CREATE TRIGGER conditions_need_consent BEFORE UPDATE OF conditions ON preferences
WHEN length(NEW.conditions) >= length(OLD.conditions)
 AND (NEW.detail IN (SELECT detail FROM forbidden) OR NEW.detail NOT IN (SELECT detail FROM categories))
BEGIN SELECT RAISE(ABORT, 'consent forbids this condition'); END;
DROP TRIGGER proposals_are_only_replaced;
CREATE TRIGGER proposals_are_only_replaced
BEFORE UPDATE OF id, detail, value, sentence, conversation, negated, sense, conditions ON proposals
BEGIN SELECT RAISE(ABORT, 'consent: a proposal is replaced whole'); END;
DROP TRIGGER preferences_change_words;
CREATE TRIGGER preferences_change_words AFTER UPDATE OF detail, value, sense, conditions ON preferences
BEGIN DELETE FROM vectors WHERE memory = OLD.id; END;

-- What the driver asked to have kept and is no preference; until is when it stops mattering.
CREATE TABLE facts (
    id TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    about TEXT NOT NULL DEFAULT '',
    said_at TEXT NOT NULL,
    conversation TEXT NOT NULL,
    until TEXT,
    until_words TEXT NOT NULL DEFAULT '',
    uses INTEGER NOT NULL DEFAULT 0,
    last_used TEXT
);
CREATE INDEX facts_by_time ON facts (said_at);

CREATE VIEW unasked (reason) AS
    SELECT reason FROM silence
    UNION ALL
    SELECT 'facts are switched off' WHERE EXISTS (SELECT 1 FROM opted_out WHERE key = 'facts');

CREATE TRIGGER facts_need_consent BEFORE INSERT ON facts WHEN EXISTS (SELECT 1 FROM unasked)
BEGIN SELECT RAISE(ABORT, 'consent forbids this fact'); END;
CREATE TRIGGER changed_facts_need_consent
BEFORE UPDATE OF id, text, about, said_at, conversation, until, until_words ON facts WHEN EXISTS (SELECT 1 FROM unasked)
BEGIN SELECT RAISE(ABORT, 'consent forbids this change'); END;
CREATE TRIGGER facts_change_words AFTER UPDATE OF text, about, until_words ON facts
BEGIN DELETE FROM vectors WHERE memory = OLD.id; END;
CREATE TRIGGER facts_go_whole AFTER DELETE ON facts
BEGIN
    DELETE FROM vectors WHERE memory = OLD.id;
    DELETE FROM links WHERE memory = OLD.id OR other = OLD.id;
END;
"""

STEPS: dict[int, str] = {1: V1, 2: V2, 3: V3, 4: V4, 5: V5, 6: V6, 7: V7}
"""Version that a step leads to -> its SQL, in order and without gaps from 1."""

VERSION = max(STEPS)
"""Version that this program writes."""
