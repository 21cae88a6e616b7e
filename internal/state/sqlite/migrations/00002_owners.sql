-- +goose Up
-- An owner has keys; until now a key was its own owner.
CREATE TABLE owners (
    id      TEXT PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL
) STRICT;
INSERT INTO owners (id, name, created)
    SELECT id, CASE WHEN EXISTS (SELECT 1 FROM keys AS k WHERE k.name = keys.name AND k.rowid < keys.rowid) THEN name || ' (' || id || ')' ELSE name END, created
    FROM keys;
ALTER TABLE keys ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN scope TEXT NOT NULL DEFAULT 'write';
ALTER TABLE keys ADD COLUMN expires INTEGER;
UPDATE keys SET owner = id;
CREATE INDEX keys_owner ON keys (owner);

-- +goose Down
DROP INDEX keys_owner;
ALTER TABLE keys DROP COLUMN expires;
ALTER TABLE keys DROP COLUMN scope;
ALTER TABLE keys DROP COLUMN owner;
DROP TABLE owners;
