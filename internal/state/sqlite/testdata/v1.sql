CREATE TABLE keys (
    id      TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    hint    TEXT NOT NULL,
    hash    BLOB NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    revoked INTEGER
) STRICT;

CREATE TABLE files (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT NOT NULL UNIQUE,
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    purpose TEXT NOT NULL,
    content TEXT NOT NULL,
    bytes   INTEGER NOT NULL,
    created INTEGER NOT NULL,
    state   TEXT NOT NULL,
    report  TEXT
) STRICT;
CREATE INDEX files_owner ON files (owner, seq);
CREATE INDEX files_content ON files (owner, content);
CREATE INDEX files_waiting ON files (state) WHERE state = 'uploaded';

-- What each owner keeps, so that a limit is checked without adding up.
CREATE TABLE usage (
    owner TEXT PRIMARY KEY,
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE chats (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT NOT NULL UNIQUE,
    owner   TEXT NOT NULL,
    title   TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
) STRICT;
CREATE INDEX chats_owner ON chats (owner, seq);

CREATE TABLE turns (
    chat     TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    number   INTEGER NOT NULL,
    created  INTEGER NOT NULL,
    messages TEXT NOT NULL,
    result   TEXT NOT NULL,
    PRIMARY KEY (chat, number)
) STRICT;

CREATE TABLE evaluations (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,
    owner    TEXT NOT NULL,
    created  INTEGER NOT NULL,
    state    TEXT NOT NULL,
    request  TEXT NOT NULL,
    progress TEXT,
    result   TEXT,
    failure  TEXT
) STRICT;
CREATE INDEX evaluations_owner ON evaluations (owner, seq);

CREATE TABLE goose_db_version (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    version_id INTEGER NOT NULL,
    is_applied INTEGER NOT NULL,
    tstamp TIMESTAMP DEFAULT (datetime('now'))
);
INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1);
INSERT INTO keys VALUES ('key_1', 'ann', 'inlay_abcd', x'00', 1800000000, NULL);
INSERT INTO keys VALUES ('key_2', 'ann', 'inlay_efgh', x'01', 1800000001, NULL);
INSERT INTO files VALUES (1, 'file-1', 'key_1', 'report.pdf', 'user_data', 'c1', 10, 1800000000, 'processed', '{}');
INSERT INTO usage VALUES ('key_1', 1, 10);
INSERT INTO chats VALUES (1, 'chat_1', 'key_1', 'Leave', 1800000000, 1800000000);
INSERT INTO turns VALUES ('chat_1', 1, 1800000000, '[]', '{}');
INSERT INTO evaluations VALUES (1, 'eval_1', 'key_1', 1800000000, 'queued', '{}', NULL, NULL, NULL);
