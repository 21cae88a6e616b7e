package injection_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"inlay/injection"
	"inlay/llm"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
)

func Example() {
	data, err := os.ReadFile("../testdata/handbook.md")
	if err != nil {
		log.Fatal(err)
	}
	parsers, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	if err != nil {
		log.Fatal(err)
	}
	model, err := llm.NewStatic(llm.StaticOptions{Model: "openai:gpt-4o", Length: 1024})
	if err != nil {
		log.Fatal(err)
	}
	in := injection.Injector{Reader: parsers, Retriever: retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: 100}})}
	res, err := in.Inject(context.Background(), injection.Request{
		Text:  "How long is the notice period?",
		Files: []injection.File{{Name: "handbook.md", Data: data}},
		Model: model, Options: injection.Options{Limit: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Strategy, res.ReasonCode, res.Decision.Available)
	for _, c := range res.Citations {
		fmt.Println(injection.Cite(c), "under", c.Heading)
	}
	// Output:
	// retrieval exceeds_budget 716
	// [1] handbook.md, lines 69-73 under Harbour Lane Handbook > Leaving
}
