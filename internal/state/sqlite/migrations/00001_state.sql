-- +goose Up
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

-- +goose Down
DROP TABLE evaluations;
DROP TABLE turns;
DROP TABLE chats;
DROP TABLE usage;
DROP TABLE files;
DROP TABLE keys;
