-- +goose Up
CREATE TABLE libraries (
    id         BIGINT PRIMARY KEY,              -- at random: the index may be that of other databases too
    owner      TEXT NOT NULL,
    name       TEXT NOT NULL COLLATE "C",
    class      TEXT NOT NULL,                   -- of its passages in the index
    settings   TEXT NOT NULL,                   -- JSON
    generation BIGINT NOT NULL DEFAULT 0,       -- changes with what it holds
    holder     TEXT,                            -- the batch that may change it
    until      TIMESTAMPTZ,                     -- and how long, unless it says that it goes on
    UNIQUE (owner, name)
);

CREATE TABLE library_documents (
    doc        BIGINT PRIMARY KEY,              -- at random; content that is put again is another document
    library    BIGINT NOT NULL REFERENCES libraries ON DELETE CASCADE,
    key        TEXT NOT NULL,                   -- of content and extension
    file_id    TEXT NOT NULL,
    title      TEXT NOT NULL,
    media_type TEXT NOT NULL,
    language   TEXT NOT NULL,
    text       BIGINT NOT NULL,                 -- bytes
    passages   BIGINT NOT NULL,
    words      BIGINT NOT NULL,
    beside     BIGINT NOT NULL,
    bytes      BIGINT NOT NULL,                 -- of its blob
    UNIQUE (library, key)
);

CREATE TABLE library_paths (
    library    BIGINT NOT NULL REFERENCES libraries ON DELETE CASCADE,
    path       TEXT NOT NULL COLLATE "C",
    doc        BIGINT NOT NULL REFERENCES library_documents ON DELETE CASCADE,
    folder     TEXT NOT NULL,
    tags       TEXT NOT NULL,                   -- JSON
    size       BIGINT NOT NULL,
    modified   BIGINT NOT NULL,                 -- Unix nanoseconds
    attributes TEXT NOT NULL,                   -- JSON
    PRIMARY KEY (library, path)
);
CREATE INDEX library_paths_doc ON library_paths (doc);

CREATE TABLE library_failures (
    library  BIGINT NOT NULL REFERENCES libraries ON DELETE CASCADE,
    path     TEXT NOT NULL COLLATE "C",
    folder   TEXT NOT NULL,
    size     BIGINT NOT NULL,
    modified BIGINT NOT NULL,
    code     TEXT NOT NULL,
    reason   TEXT NOT NULL,
    next     TEXT NOT NULL,
    PRIMARY KEY (library, path)
);

-- How many passages and documents hold a term.
CREATE TABLE library_terms (
    library   BIGINT NOT NULL REFERENCES libraries ON DELETE CASCADE,
    language  TEXT NOT NULL COLLATE "C",
    term      TEXT NOT NULL COLLATE "C",
    passages  BIGINT NOT NULL,
    documents BIGINT NOT NULL,
    PRIMARY KEY (library, language, term)
);

-- Documents whose passages and bytes are to be deleted: those that are gone, and
-- those that a batch has put and not committed.
CREATE TABLE library_garbage (
    doc     BIGINT PRIMARY KEY,
    library BIGINT NOT NULL,
    owner   TEXT NOT NULL,
    class   TEXT NOT NULL,
    text    BIGINT NOT NULL,
    counted BOOLEAN NOT NULL,                   -- its terms are in library_terms
    batch   TEXT                                -- that may commit it
);
CREATE INDEX library_garbage_library ON library_garbage (library);
CREATE INDEX library_garbage_owner ON library_garbage (owner);
