-- +goose Up
-- When a file is deleted by itself; NULL: never.
ALTER TABLE files ADD COLUMN expires INTEGER;
CREATE INDEX files_expires ON files (expires) WHERE expires IS NOT NULL;

-- +goose Down
DROP INDEX files_expires;
ALTER TABLE files DROP COLUMN expires;
