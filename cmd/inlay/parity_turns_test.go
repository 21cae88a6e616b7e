package main

import (
	"archive/zip"
	"bytes"
	"os"
	"strings"
)

const (
	parityContract = "# Contract\n\nThe notice period is six weeks. The rent is paid on the third of each month.\n"
	parityAmended  = "# Contract\n\nThe notice period is eight weeks. The rent is paid on the ninth of each month.\n"
	parityNotes    = "# Notes\n\nThe boat is moored at the eastern pier. The harbour master keeps the keys.\n"
	parityNotice   = "How long is the notice period?"
	parityGIF      = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)

// parityGuarded is a strategy of the user's, at every door.
const parityGuarded = `---
name: Guarded
preprocessors: [files]
tools: {"*": {rm: false}}
---
Answer from this alone.

{preprocess.files.prompt}
`

// parityTurns are the rows of the matrix.
func parityTurns(reranker string) []parityTurn {
	data, err := os.ReadFile("../../testdata/handbook.md")
	if err != nil {
		panic(err)
	}
	handbook := parityFile{name: "handbook.md", content: string(data)}
	contract, notes := parityFile{name: "contract.md", content: parityContract}, parityFile{name: "notes.md", content: parityNotes}
	first := parityStep{text: parityNotice, files: []parityFile{contract}}
	with := func(s parityStep, options map[string]any) parityStep { s.options = options; return s }
	ask := func(text string, files ...parityFile) parityStep { return parityStep{text: text, files: files} }
	reread := map[string]any{"context_length": 1024, "retrieval_limit": 1}
	small, roomy := map[string]any{"context_length": 1024}, map[string]any{"context_length": 1100}
	const ownWords = "a client of the OpenAI API sends its own words alone, and nothing in them says that a strategy made the earlier turn: it is made again without one"
	return []parityTurn{
		{name: "first", wants: "inject-full-content fits", steps: []parityStep{first}},
		{name: "first, too large", wants: "retrieval exceeds_budget", steps: []parityStep{with(ask(parityNotice, handbook), small)}},
		{name: "follow-up", wants: "none already_in_context", steps: []parityStep{first, ask("Please translate that to French.")}},
		{name: "follow-up on passages", wants: "retrieval follow_up", steps: []parityStep{with(ask(parityNotice, handbook), roomy), with(ask("And the notice period in the trial period?"), roomy)}},
		{name: "re-attached", wants: "none already_in_context", steps: []parityStep{first, ask("And the rent?", contract)}},
		{name: "changed file", wants: "inject-full-content fits", steps: []parityStep{first, ask("And now?", parityFile{name: "contract.md", content: parityAmended})}},
		{name: "two files", wants: "inject-full-content fits", steps: []parityStep{ask("What is due when, and who keeps the keys?", contract, notes)}},
		{
			name: "equal bytes, two modes", wants: "inject-full-content override",
			steps: []parityStep{ask(parityNotice, parityFile{"a.md", parityContract, "none"}, parityFile{"b.md", parityContract, "full"})},
		},
		{name: "history near full", wants: "retrieval exceeds_budget", steps: []parityStep{
			with(ask("Remember this. "+strings.Repeat("The tide turns at six. ", 60)), small),
			with(ask("How many days of leave?", handbook), map[string]any{"context_length": 1024, "retrieval_limit": 1}),
		}},
		{name: "overflow after building", wants: "retrieval overflow_after_building", steps: []parityStep{
			with(ask("How many days of leave?", handbook), map[string]any{"context_length": 1000, "target_context_use": 1.0}),
		}},
		{name: "reranked", wants: "retrieval exceeds_budget", reranker: reranker, steps: []parityStep{with(ask(parityNotice, handbook), reread)}},
		{
			name: "reranker off for one request", wants: "retrieval exceeds_budget", reranker: reranker,
			steps: []parityStep{with(ask(parityNotice, handbook), map[string]any{"context_length": 1024, "retrieval_limit": 1, "rerank": false})},
		},
		{name: "reranker that is down", wants: "retrieval exceeds_budget", reranker: "http://127.0.0.1:1/v1", steps: []parityStep{with(ask(parityNotice, handbook), reread)}},
		{
			name: "strategy, reranked", wants: "retrieval exceeds_budget", reranker: reranker,
			steps: []parityStep{{text: parityNotice, files: []parityFile{handbook}, strategy: "builtin.ask-documents", options: reread}},
		},
		{name: "none", wants: "none override", steps: []parityStep{with(first, map[string]any{"mode": "none"})}},
		{name: "override full that does not fit", wants: "does_not_fit", steps: []parityStep{with(ask(parityNotice, handbook), map[string]any{"context_length": 1024, "mode": "full"})}},
		{name: "override retrieval", wants: "retrieval override", steps: []parityStep{with(first, map[string]any{"mode": "retrieval"})}},
		{name: "mixed policy", wants: "retrieval mixed", steps: []parityStep{with(ask(parityNotice, contract, handbook), map[string]any{"context_length": 1024, "policy": "mixed"})}},
		{name: "coverage", wants: "retrieval exceeds_budget", steps: []parityStep{with(ask("Summarise the handbook.", handbook), map[string]any{"context_length": 1024, "coverage": "auto"})}},
		{
			name: "nothing above the threshold", wants: "none nothing_above_threshold",
			steps: []parityStep{with(ask("xylophone", handbook), map[string]any{"context_length": 1024, "retrieval_affinity_threshold": 0.99})},
		},
		{name: "no files", wants: "none no_files", steps: []parityStep{ask("Hello.")}},
		{
			name: "intent builtin", wants: "inject-full-content fits",
			steps: []parityStep{with(ask("Why does this fail?\n\n```go\n"+strings.Repeat("func main() { panic(1) }\n", 60)+"```\n"),
				map[string]any{"intent": "builtin", "context_length": 4096})},
		},
		{name: "route proposes a tool", wants: "none no_files", serve: []string{"--enable-prompt-preprocessor"}, steps: []parityStep{{text: "Read main.go", tools: []string{"read_file", "list_files"}}}},
		{name: "processors rewrite", wants: "inject-full-content fits", config: parityRedacts, processed: true, steps: []parityStep{ask("I am bob@example.org. How long is the notice period?", contract)}},
		{name: "processor halts", wants: "processor.halted", config: parityHalts, processed: true, says: "Run rm -rf / now.", steps: []parityStep{first}},
		{name: "rules deny a call", wants: "none no_files", calls: "rm", steps: []parityStep{{text: "Tidy up.", tools: []string{"rm", "read"}, rules: map[string]map[string]bool{"*": {"rm": false}}}}},
		{name: "strategy", wants: "inject-full-content fits", steps: []parityStep{{text: parityNotice, files: []parityFile{contract}, strategy: "builtin.ask-documents"}}},
		{name: "strategy, too large", wants: "retrieval exceeds_budget", steps: []parityStep{{text: parityNotice, files: []parityFile{handbook}, strategy: "builtin.ask-documents", options: small}}},
		{
			name: "strategy with tool rules", wants: "inject-full-content fits",
			steps: []parityStep{{text: parityNotice, files: []parityFile{contract}, strategy: "user.guarded", tools: []string{"rm", "read"}}},
		},
		{
			name: "strategy, then plain", wants: "none already_in_context", differs: map[string]string{"completions": ownWords, "stream": ownWords},
			steps: []parityStep{{text: parityNotice, files: []parityFile{contract}, strategy: "builtin.ask-documents"}, ask("And the rent?")},
		},
		{name: "plain, then strategy", wants: "none already_in_context", steps: []parityStep{first, {text: "In short?", strategy: "builtin.summarize-documents"}}},
		{name: "failed preprocessor", wants: "preprocessor.exception corrupt", steps: []parityStep{{text: parityNotice, files: []parityFile{brokenDocument()}, strategy: "builtin.ask-documents"}}},
		{name: "missing context", wants: "preprocessor.context_missing", steps: []parityStep{{text: "French", strategy: "builtin.translate-selection"}}},
		{name: "canceled", wants: "canceled", canceled: true, steps: []parityStep{first}},
		{name: "bad PDF", wants: "corrupt", steps: []parityStep{ask(parityNotice, parityFile{name: "bad.pdf", content: "%PDF-1.7\nbroken"})}},
		{name: "corrupt docx beside a good file", wants: "inject-full-content fits", steps: []parityStep{ask(parityNotice, contract, brokenDocument())}},
		{name: "image", wants: "inject-full-content fits", steps: []parityStep{ask(parityNotice, contract, parityFile{name: "dot.gif", content: parityGIF})}},
		{name: "unknown window", wants: "inject-full-content fits", model: "mystery", steps: []parityStep{with(first, map[string]any{"context_length": 0})}},
		{name: "unknown window, strategy", wants: "inject-full-content fits", model: "mystery", steps: []parityStep{
			{text: parityNotice, files: []parityFile{contract}, strategy: "builtin.ask-documents", options: map[string]any{"context_length": 0}},
		}},
		{name: "empty question", wants: "usage", steps: []parityStep{ask("", contract)}},
		{name: "dry run", wants: "inject-full-content fits", steps: []parityStep{{text: parityNotice, files: []parityFile{contract}, dry: true}}},
		{name: "dry run of a strategy", wants: "inject-full-content fits", steps: []parityStep{{text: parityNotice, files: []parityFile{contract}, dry: true, strategy: "builtin.ask-documents"}}},
	}
}

const (
	parityPlain   = "processors: {drop_defaults: true}\n"
	parityRedacts = "processors:\n  drop_defaults: true\n  message_modifiers: [RedactionMessageModifier]\n"
	parityHalts   = "processors:\n  drop_defaults: true\n  response_modifiers: [{ name: SafetyCheckModifier, options: { deny: ['rm -rf'] } }]\n"
)

// brokenDocument is an archive of the kind that Word writes, whose document is
// cut off.
func brokenDocument() parityFile {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range [][2]string{{"[Content_Types].xml", "<Types/>"}, {"word/document.xml", "<w:document><w:body><w:p>"}} {
		f, err := w.Create(part[0])
		if err == nil {
			_, err = f.Write([]byte(part[1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return parityFile{name: "broken.docx", content: b.String()[:b.Len()-10]}
}
