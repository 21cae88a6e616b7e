package builtin_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"inlay/chat"
	"inlay/injection"
	"inlay/llm"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/retrieve"
	"inlay/strategy"
	"inlay/strategy/builtin"
)

// A strategy over a PDF: run, stored, and replayed from what was stored.
func Example() {
	readers, err := parse.NewRegistry(pdf.Parser{})
	if err != nil {
		fmt.Println(err)
		return
	}
	injector := &injection.Injector{Reader: readers, Retriever: retrieve.New(retrieve.Options{})}
	registry, err := strategy.NewRegistry(builtin.Preprocessors(builtin.Options{Injector: injector})...)
	if err != nil {
		fmt.Println(err)
		return
	}
	ask := &strategy.Strategy{
		ID: "user.ask", Name: "Ask", Preprocessors: []string{"files"},
		Body: "{preprocess.files.names} ({preprocess.files.strategy})\n\nQuestion: {Argument}\n",
	}
	lease := strategy.Attachment{
		Attachment: chat.Attachment{Name: "lease.pdf", Path: "testdata/lease.pdf"}, New: true,
		Open: func(context.Context) ([]byte, error) { return os.ReadFile("testdata/lease.pdf") },
	}
	var stored bytes.Buffer
	for _, window := range []int{8192, 1200} {
		model, err := llm.NewStatic(llm.StaticOptions{Model: "openai:gpt-4o", Length: window})
		if err != nil {
			fmt.Println(err)
			return
		}
		out, err := (&strategy.Engine{Registry: registry}).Execute(context.Background(), ask, strategy.ExecutionContext{
			Input: "How high is the deposit?", Model: model, Attachments: []strategy.Attachment{lease},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		stored.Reset()
		if err := out.Write(&stored); err != nil {
			fmt.Println(err)
			return
		}
		read, err := strategy.ReadExecution(&stored)
		if err != nil {
			fmt.Println(err)
			return
		}
		again, err := strategy.Replay(read)
		fmt.Print(again.Prompt)
		fmt.Println(again.Prompt == out.Prompt, err)
	}
	// Output:
	// - lease.pdf (inject-full-content)
	//
	// Question: How high is the deposit?
	// true <nil>
	// - lease.pdf (retrieval)
	//
	// Question: How high is the deposit?
	// true <nil>
}
