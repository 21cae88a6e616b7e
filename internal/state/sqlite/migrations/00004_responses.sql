-- +goose Up
CREATE TABLE responses (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,
    owner    TEXT NOT NULL,
    previous TEXT NOT NULL,
    created  INTEGER NOT NULL,
    messages TEXT NOT NULL,
    input    TEXT NOT NULL,
    body     TEXT NOT NULL,
    files    TEXT NOT NULL
) STRICT;
CREATE INDEX responses_created ON responses (created);
CREATE INDEX responses_previous ON responses (previous) WHERE previous <> '';

-- +goose Down
DROP TABLE responses;
