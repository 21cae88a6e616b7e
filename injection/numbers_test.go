package injection_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/injection"
)

// TestNumbersGoOn walks a chat over three files: a mark means one thing in all of
// it, and what is shown again keeps its own.
func TestNumbersGoOn(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	small := file("small.txt", "small facts")
	big, other := file("big.txt", "big facts\nred boats\n"+wordsOf(900, "x")), file("other.txt", "other things\n"+wordsOf(900, "y"))
	var past []chat.Message
	var earlier []injection.File
	ask := func(text string, files ...injection.File) injection.Result {
		res, err := in.Inject(t.Context(), injection.Request{Text: text, Files: files, Messages: past, Earlier: earlier, Model: model{length: 2000}, Options: injection.Options{Mode: modeOf(files)}})
		require.NoError(t, err)
		past = append(past, res.Message, chat.Message{Role: chat.Assistant, Text: "ok"})
		for _, f := range files {
			earlier = append(earlier, withID(f))
		}
		return res
	}
	first := ask("facts", small)
	require.Equal(t, []int{1}, first.Message.Injected.FileNumbers)
	require.Contains(t, first.Prompt, `begin [1] "small.txt"`)

	second := ask("big facts", big)
	require.Equal(t, []int{2}, numbersOf(second))
	require.Contains(t, second.Prompt, `begin [2] "big.txt", line 1`)
	require.Equal(t, second.Message.Injected.Citations, second.Citations)

	third := ask("other things", other)
	require.Equal(t, []int{3}, numbersOf(third))
	again := ask("big facts")
	require.Equal(t, []int{2}, numbersOf(again), "it has its number")
	require.Equal(t, []int{4}, numbersOf(ask("red boats")))
}

// TestNumbersOfClassic begin at 1 in each prompt: nothing in it says how to cite.
func TestNumbersOfClassic(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	big := file("big.txt", "big facts\nred boats\n"+wordsOf(900, "x"))
	o := injection.Options{Mode: injection.ModeRetrieval, Prompts: classic(t)}
	first, err := in.Inject(t.Context(), injection.Request{Text: "big facts", Files: []injection.File{big}, Model: model{length: 2000}, Options: o})
	require.NoError(t, err)
	second, err := in.Inject(t.Context(), injection.Request{Text: "red boats", Messages: []chat.Message{first.Message}, Earlier: []injection.File{withID(big)}, Model: model{length: 2000}, Options: o})
	require.NoError(t, err)
	require.Contains(t, second.Prompt, `Citation 1: "red boats"`)
}

// TestNumbersAfterClassic: where numbers were given twice, no prompt shows one of
// them for two passages.
func TestNumbersAfterClassic(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	big := file("big.txt", "big facts\nred boats\n"+wordsOf(900, "x"))
	var past []chat.Message
	ask := func(text string, o injection.Options) []int {
		o.Mode = injection.ModeRetrieval
		req := injection.Request{Text: text, Messages: past, Earlier: []injection.File{withID(big)}, Model: model{length: 2000}, Options: o}
		res, err := in.Inject(t.Context(), req)
		require.NoError(t, err)
		past = append(past, res.Message)
		return numbersOf(res)
	}
	require.Equal(t, []int{1}, ask("big facts", injection.Options{Prompts: classic(t)}))
	require.Equal(t, []int{1}, ask("red boats", injection.Options{Prompts: classic(t)}))
	threshold := .1
	require.Equal(t, []int{2, 1}, ask("big facts red boats", injection.Options{Threshold: &threshold}))
	require.Equal(t, []int{2, 1}, ask("big facts red boats", injection.Options{Threshold: &threshold}), "as they were")
}

func modeOf(files []injection.File) injection.Mode {
	if len(files) == 1 && files[0].Name == "small.txt" {
		return injection.ModeFull
	}
	return injection.ModeRetrieval
}

func numbersOf(r injection.Result) []int {
	var out []int
	for _, c := range r.Citations {
		out = append(out, c.Number)
	}
	return out
}
