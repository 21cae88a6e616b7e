package chromem

import (
	"context"

	"inlay/retrieve/stored"
)

// Open returns an index whose contents are kept in the folder dir, as
// [stored.Open] says. Fingerprint names the embedder and the chunking.
func Open(ctx context.Context, dir, fingerprint string) (*stored.Index, error) {
	return stored.Open(ctx, dir, fingerprint, New())
}
