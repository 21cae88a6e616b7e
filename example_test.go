package inlay_test

import (
	"context"
	"fmt"
	"log"

	"inlay"
	"inlay/injection"
)

func Example() {
	ctx := context.Background()
	in, err := inlay.Open(ctx, inlay.Options{ContextLength: 1024, Chunk: "100/0", Injection: injection.Options{Limit: 1}})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := in.Ask(ctx, "How long is the notice period?", "testdata/handbook.md")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Strategy, answer.ReasonCode, answer.Decision.Available)
	for _, c := range answer.Citations {
		fmt.Println(c, "under", c.Heading)
	}
	// Output:
	// retrieval exceeds_budget 716
	// [1] handbook.md, lines 69-73 under Harbour Lane Handbook > Leaving
}
