-- +goose Up
CREATE TABLE vector_stores (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    owner       TEXT NOT NULL,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    created     INTEGER NOT NULL,
    active      INTEGER NOT NULL,
    days        INTEGER NOT NULL, -- it expires so long after active; 0: never
    expired     INTEGER NOT NULL, -- 1: its content was deleted
    metadata    TEXT
) STRICT;
CREATE INDEX vector_stores_owner ON vector_stores (owner, seq);
CREATE TABLE store_batches (
    id       TEXT PRIMARY KEY,
    store    TEXT NOT NULL REFERENCES vector_stores (id) ON DELETE CASCADE,
    created  INTEGER NOT NULL,
    canceled INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX store_batches_store ON store_batches (store);
CREATE TABLE store_files (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    store      TEXT NOT NULL REFERENCES vector_stores (id) ON DELETE CASCADE,
    file       TEXT NOT NULL,
    batch      TEXT NOT NULL,
    path       TEXT NOT NULL,
    created    INTEGER NOT NULL,
    state      TEXT NOT NULL,
    bytes      INTEGER NOT NULL,
    attributes TEXT,
    chunking   TEXT,
    failure    TEXT,
    UNIQUE (store, file),
    UNIQUE (store, path)
) STRICT;
CREATE INDEX store_files_file ON store_files (file);
CREATE INDEX store_files_batch ON store_files (batch) WHERE batch <> '';
CREATE INDEX store_files_waiting ON store_files (state) WHERE state = 'in_progress';

-- +goose Down
DROP TABLE store_files;
DROP TABLE store_batches;
DROP TABLE vector_stores;
