-- +goose Up
-- Uploads on their way in, in parts; until now they were files in a folder.
CREATE TABLE uploads (
    id      TEXT PRIMARY KEY,
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    purpose TEXT NOT NULL,
    bytes   INTEGER NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    life    INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_owner ON uploads (owner);
CREATE INDEX uploads_expires ON uploads (expires);
CREATE TABLE parts (
    upload TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    id     TEXT NOT NULL,
    bytes  INTEGER NOT NULL,
    PRIMARY KEY (upload, id)
) STRICT;

-- +goose Down
DROP TABLE parts;
DROP TABLE uploads;
