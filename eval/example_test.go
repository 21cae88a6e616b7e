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
	fmt.Printf("%s, limit %d, threshold %g: F1 %.2f, %.2f on held-out questions\n",
		best.Chunk, best.Limit, best.Threshold, best.F1, best.HeldOut.F1)
	for _, p := range report.Best {
		fmt.Printf("%-6s limit %d: precision %.2f, recall %.2f, %.0f tokens\n",
			report.Settings[p.Setting].Chunk, p.Limit, p.Precision, p.Recall, p.Tokens)
	}
	// Output:
	// 128/0, limit 1, threshold 0.26: F1 1.00, 0.89 on held-out questions
	// 64/0   limit 1: precision 1.00, recall 0.89, 29 tokens
	// 64/0   limit 3: precision 0.90, recall 1.00, 37 tokens
	// 128/0  limit 1: precision 1.00, recall 1.00, 61 tokens
	// 128/0  limit 3: precision 0.90, recall 1.00, 70 tokens
}
