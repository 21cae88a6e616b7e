package eval_test

import (
	"context"
	"fmt"
	"log"

	"inlay/eval"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
)

// Two chunkings are compared on three documents and twelve questions.
func Example() {
	ctx := context.Background()
	set, err := eval.Load(ctx, "testdata/harbour", "")
	if err != nil {
		log.Fatal(err)
	}
	parsers, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	if err != nil {
		log.Fatal(err)
	}
	report, err := eval.Run(ctx, eval.Options{
		Set: set, Reader: parsers,
		Chunkings: []retrieve.Splitter{{Size: 64}, {Size: 128}},
		Limits:    []int{1, 3},
		Aim:       eval.Aim{Kind: eval.AimF1},
	})
	if err != nil {
		log.Fatal(err)
	}
	best := report.Recommended
	fmt.Printf("best: chunks of %s, limit %d, F1 %.2f\n", best.Chunk, best.Limit, best.F1)
	for _, p := range report.Best {
		fmt.Printf("%-6s limit %d: precision %.2f, recall %.2f, %.0f tokens\n",
			report.Settings[p.Setting].Chunk, p.Limit, p.Precision, p.Recall, p.Tokens)
	}
	// Output:
	// best: chunks of 64/0, limit 1, F1 1.00
	// 64/0   limit 1: precision 1.00, recall 1.00, 33 tokens
	// 64/0   limit 3: precision 0.69, recall 1.00, 45 tokens
	// 128/0  limit 1: precision 1.00, recall 1.00, 61 tokens
	// 128/0  limit 3: precision 0.88, recall 0.78, 48 tokens
}
