package injection_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/prompts"
	"inlay/tokens"
)

func TestWholeFiles(t *testing.T) {
	res := inject(t, injection.Request{
		Text: "what is red", Files: []injection.File{file("a.txt", "roses are red"), file("b.txt", "violets are blue")},
		Model: model{length: 1000},
	})
	require.Equal(t, injection.InjectFull, res.Strategy)
	require.Equal(t, injection.Fits, res.ReasonCode)
	require.Equal(t, 6, res.Decision.Files.N)
	require.Equal(t, 3, res.Decision.Prompt.N)
	require.Equal(t, 700, res.Decision.Available)
	want, err := classic(t).Full(prompts.Data{Query: "what is red", Files: []prompts.File{{Number: 1, Name: "a.txt", Text: "roses are red"}, {Number: 2, Name: "b.txt", Text: "violets are blue"}}})
	require.NoError(t, err)
	require.Equal(t, want, res.Prompt)
	require.Equal(t, "roses are red\n\nviolets are blue", res.Variables["preprocess.files.content"])
	require.Empty(t, res.Citations)
	require.Equal(t, []string{res.Files[0].FileID, res.Files[1].FileID}, res.Message.Injected.FileIDs)
}

// TestDefaults: without options the prompt is the cited set's.
func TestDefaults(t *testing.T) {
	res, err := (&injection.Injector{Reader: reader{}, Retriever: &finder{}}).Inject(t.Context(), injection.Request{
		Text: "what is red", Files: []injection.File{file("a.txt", "roses are red")}, Model: model{length: 1000},
	})
	require.NoError(t, err)
	cited, err := prompts.Named("cited")
	require.NoError(t, err)
	want, err := cited.Full(prompts.Data{Query: "what is red", Files: []prompts.File{{Number: 1, Name: "a.txt", Text: "roses are red"}}})
	require.NoError(t, err)
	require.Equal(t, want, res.Prompt)
}

func TestRetrieval(t *testing.T) {
	text := "filler line one\nthe notice period is thirty days\n" + wordsOf(800, "x")
	res := inject(t, injection.Request{Text: "notice period", Files: []injection.File{file("c.txt", text)}, Model: model{length: 1000}})
	require.Equal(t, injection.Retrieval, res.Strategy)
	require.Equal(t, injection.ExceedsBudget, res.ReasonCode)
	require.Equal(t, tokens.AtLeast, res.Decision.Files.Method)
	require.Len(t, res.Citations, 1)
	c := res.Citations[0]
	require.Equal(t, text[c.Start:c.End], c.Text)
	require.Contains(t, res.Prompt, `Citation 1: "the notice period is thirty days"`)
	require.Equal(t, `Citation 1: "the notice period is thirty days"`, res.Context)
	require.True(t, strings.HasSuffix(res.Prompt, "User Query:\n\nnotice period"))
}

func TestNothingAboveThreshold(t *testing.T) {
	res := inject(t, injection.Request{
		Text: "who feeds the ship's cat", Files: []injection.File{file("c.txt", "the tide\n"+wordsOf(900, "x"))}, Model: model{length: 1000},
	})
	require.Equal(t, injection.None, res.Strategy)
	require.Equal(t, injection.Retrieval, res.Decision.Strategy)
	require.Equal(t, injection.NothingAboveThreshold, res.ReasonCode)
	require.True(t, strings.HasPrefix(res.Prompt, "Important: No citations were found"))
	require.Equal(t, "none", res.Variables["preprocess.files.strategy"])
	require.NotNil(t, res.NearMisses)
	require.Equal(t, []injection.Admission{{Threshold: .19, Passages: 1}}, res.NearMisses.Admits)
}

func TestNoFilesLeavesTheMessageAlone(t *testing.T) {
	text := " {Argument} \x00 odd \n"
	res := inject(t, injection.Request{Text: text, Model: model{length: 10}, Messages: []chat.Message{{Role: chat.User, Text: wordsOf(50, "x")}}})
	require.Equal(t, text, res.Prompt)
	require.Equal(t, injection.None, res.Strategy)
	require.Equal(t, injection.NoFiles, res.ReasonCode)
	require.Contains(t, warningCodes(res), "window_overflow")
}

func TestImagesPassBy(t *testing.T) {
	res := inject(t, injection.Request{Text: "look", Model: model{length: 100}, Files: []injection.File{
		{Name: "a.png", MediaType: "image/png", Data: []byte("!corrupt")}, {Name: "b", Data: []byte("\x89PNG\r\n\x1a\n..")},
	}})
	require.Equal(t, injection.NoFiles, res.ReasonCode)
	require.Len(t, res.Message.Attachments, 2)
}

func TestDuplicatesCountOnce(t *testing.T) {
	one := inject(t, injection.Request{Text: "q", Files: []injection.File{file("a", "same text")}, Model: model{length: 100}})
	two := inject(t, injection.Request{Text: "q", Files: []injection.File{file("a", "same text"), file("b", "same text")}, Model: model{length: 100}})
	require.Equal(t, one.Decision, two.Decision)
	require.Equal(t, one.Prompt, two.Prompt)
	require.Equal(t, []string{"duplicate_file"}, warningCodes(two))
}

// TestFollowUps walks one chat over several turns (INJ-5, INJ-21).
func TestFollowUps(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	small, big := file("small.txt", "small facts"), file("big.txt", "big facts\n"+wordsOf(900, "x"))
	m := model{length: 1000}

	first, err := in.Inject(t.Context(), injection.Request{Text: "facts", Files: []injection.File{small}, Model: m})
	require.NoError(t, err)
	require.Equal(t, injection.InjectFull, first.Strategy)
	past := []chat.Message{first.Message, {Role: chat.Assistant, Text: "ok"}}

	second, err := in.Inject(t.Context(), injection.Request{Text: "more facts", Messages: past, Earlier: []injection.File{withID(small)}, Model: m})
	require.NoError(t, err)
	require.Equal(t, injection.AlreadyInContext, second.ReasonCode)
	require.Equal(t, "more facts", second.Prompt)

	again, err := in.Inject(t.Context(), injection.Request{Text: "more facts", Messages: past, Files: []injection.File{small}, Earlier: []injection.File{withID(small)}, Model: m})
	require.NoError(t, err)
	require.Equal(t, injection.AlreadyInContext, again.ReasonCode)

	third, err := in.Inject(t.Context(), injection.Request{Text: "big facts", Messages: past, Files: []injection.File{big}, Earlier: []injection.File{withID(small)}, Model: m})
	require.NoError(t, err)
	require.Equal(t, injection.Retrieval, third.Strategy)
	require.Len(t, third.Files, 2)
	require.True(t, third.Files[0].InContext, "what is whole in the window is not searched")
	require.Nil(t, third.Files[0].Index)
	past = append(past, third.Message, chat.Message{Role: chat.Assistant, Text: "ok"})

	fourth, err := in.Inject(t.Context(), injection.Request{Text: "big facts", Messages: past, Earlier: []injection.File{withID(small), withID(big)}, Model: m})
	require.NoError(t, err)
	require.Equal(t, injection.FollowUp, fourth.ReasonCode)
	require.Equal(t, []any{"small.txt", "big.txt"}, fourth.Variables["preprocess.files.names"])

	fifth, err := in.Inject(t.Context(), injection.Request{
		Text: "facts", Messages: past, Files: []injection.File{file("new.txt", "new facts")},
		Earlier: []injection.File{withID(small), withID(big)}, Model: m,
	})
	require.NoError(t, err)
	require.Equal(t, injection.InjectFull, fifth.Strategy)
	require.Equal(t, []string{"earlier_not_searched"}, warningCodes(fifth))

	sixth, err := in.Inject(t.Context(), injection.Request{
		Text: "big facts", Messages: past,
		Files: []injection.File{file("new.txt", "new facts\n"+wordsOf(950, "y"))}, Earlier: []injection.File{withID(small), withID(big)}, Model: m,
	})
	require.NoError(t, err)
	require.Equal(t, []any{"small.txt", "big.txt", "new.txt"}, sixth.Variables["preprocess.files.names"], "retrieval searches all the chat's files")
}

func withID(f injection.File) injection.File {
	data := f.Data
	f.ID = "file-" + sha(data)
	f.Data, f.Open = nil, func(context.Context) ([]byte, error) { return data, nil }
	return f
}

func TestExpandQuery(t *testing.T) {
	f := &finder{}
	in := &injection.Injector{Reader: reader{}, Retriever: f}
	req := injection.Request{
		Text: "and the second?", Files: []injection.File{file("a", wordsOf(900, "x"))}, Model: model{length: 1000},
		Messages: []chat.Message{{Role: chat.User, Text: "rewritten", Injected: &chat.Injected{Query: "which boats sail"}}, {Role: chat.Assistant, Text: "two"}},
		Options:  injection.Options{ExpandQuery: true},
	}
	res, err := in.Inject(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, "which boats sail\nand the second?", res.Query)
	require.Equal(t, res.Query, f.calls[0].Query)
	require.True(t, strings.HasSuffix(res.Prompt, "\n\nand the second?"), "the expanded query is for the search alone")
}

func TestPlaceholderForTemplatesThatNeedAUser(t *testing.T) {
	var counted []int
	res := inject(t, injection.Request{
		Text: "q", Files: []injection.File{file("a", "text")}, Model: model{length: 100, strict: true, counted: &counted},
		Messages: []chat.Message{{Role: chat.System, Text: "be kind"}},
	})
	require.Equal(t, []int{1, 2, 2}, counted, "refused, tried with a placeholder, counted when built")
	require.Equal(t, 4+3, res.Decision.Window.InContext.N)
}

func TestHistoryThatOverflows(t *testing.T) {
	req := injection.Request{
		Text: "q", Files: []injection.File{file("a", "text")}, Model: model{length: 10},
		Messages: []chat.Message{{Role: chat.User, Text: wordsOf(50, "x")}}, Options: injection.Options{DryRun: true},
	}
	res := inject(t, req)
	require.Equal(t, injection.NoWindowLeft, res.ReasonCode)
	require.Equal(t, 0, res.Decision.Available)
	require.Contains(t, warningCodes(res), "window_overflow")

	req.Options.DryRun = false
	_, err := (&injection.Injector{Reader: reader{}, Retriever: &finder{}}).Inject(t.Context(), req)
	require.Equal(t, fault.DoesNotFit, fault.CodeOf(err))
}

func TestDryRunEmbedsNothing(t *testing.T) {
	f := &finder{}
	in := &injection.Injector{Reader: reader{}, Retriever: f}
	res, err := in.Inject(t.Context(), injection.Request{
		Text: "q", Files: []injection.File{file("a", wordsOf(900, "x"))}, Model: model{length: 1000}, Options: injection.Options{DryRun: true},
	})
	require.NoError(t, err)
	require.Equal(t, injection.Retrieval, res.Decision.Strategy)
	require.Empty(t, f.calls)
	require.Empty(t, res.Prompt)
	require.InDelta(t, .3, res.Threshold, 0)
}

func TestUnknownWindow(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	for _, m := range []injection.Request{
		{Text: "q", Files: []injection.File{file("a", "b")}},
		{Text: "q", Files: []injection.File{file("a", "b")}, Model: model{}},
	} {
		_, err := in.Inject(t.Context(), m)
		require.Equal(t, fault.WindowUnknown, fault.CodeOf(err))
		require.ErrorContains(t, err, "set")
	}
	res := inject(t, injection.Request{Text: "q", Model: model{}})
	require.Equal(t, "q", res.Prompt)
}

func TestFailures(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	bad, locked, good := file("bad.pdf", "!corrupt"), file("locked.pdf", "!password_required"), file("good.txt", "text")
	req := injection.Request{Text: "q", Files: []injection.File{bad, good}, Model: model{length: 100}}

	res := inject(t, req)
	require.Equal(t, injection.InjectFull, res.Strategy)
	require.Equal(t, []injection.Failure{{FileID: res.Failures[0].FileID, File: "bad.pdf", Code: fault.Corrupt, Reason: "is corrupt", Next: "mend it"}}, res.Failures)

	req.Options.Strict = true
	_, err := in.Inject(t.Context(), req)
	require.Equal(t, fault.Corrupt, fault.CodeOf(err))

	req = injection.Request{Text: "q", Files: []injection.File{bad, locked}, Model: model{length: 100}}
	_, err = in.Inject(t.Context(), req)
	require.ErrorContains(t, err, "bad.pdf: is corrupt; locked.pdf: is password_required")

	req.Options.Continue = true
	res, err = in.Inject(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, "q", res.Prompt)
	require.Len(t, res.Failures, 2)
}

func TestEmptyQuestion(t *testing.T) {
	_, err := (&injection.Injector{Reader: reader{}, Retriever: &finder{}}).Inject(t.Context(), injection.Request{
		Text: " \n", Files: []injection.File{file("a", "b")}, Model: model{length: 100},
	})
	require.Equal(t, fault.Usage, fault.CodeOf(err))
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last injection.Status
	_, err := (&injection.Injector{Reader: reader{}, Retriever: &finder{}}).Inject(ctx, injection.Request{
		Text: "q", Files: []injection.File{file("a", "b")}, Model: model{length: 100}, Report: func(s injection.Status) { last = s },
	})
	require.Equal(t, fault.Canceled, fault.CodeOf(err))
	require.ErrorIs(t, err, context.Canceled)
	require.NotEqual(t, injection.Loading, last.State)
}

func TestOptionsOutOfRange(t *testing.T) {
	half, two := .5, 2.0
	for name, o := range map[string]injection.Options{
		"retrieval_limit":              {Limit: 101},
		"retrieval_affinity_threshold": {Threshold: &two},
		"target_context_use":           {TargetContextUse: 1.01},
		"reserve_output_tokens":        {ReserveOutput: -1},
		"policy":                       {Policy: "some"},
		"mode":                         {Mode: "maybe"},
	} {
		err := o.Validate()
		require.ErrorContains(t, err, name)
		require.Equal(t, fault.Usage, fault.CodeOf(err), name)
	}
	require.NoError(t, injection.Options{Limit: 100, Threshold: &half, TargetContextUse: 1}.Validate())
}
