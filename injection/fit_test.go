package injection_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/tokens"
)

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

// TestOverflowAfterBuilding: the formula lets the file in, the wording around it
// does not fit, so it is retrieved, and said so (INJ-14).
func TestOverflowAfterBuilding(t *testing.T) {
	text := "notice period is long\n" + wordsOf(92, "x")
	req := injection.Request{
		Text: "notice period", Files: []injection.File{file("a.txt", text)}, Model: model{length: 100},
		Options: injection.Options{TargetContextUse: 1},
	}
	res := inject(t, req)
	require.Equal(t, injection.Retrieval, res.Strategy)
	require.Equal(t, injection.OverflowAfterBuilding, res.ReasonCode)
	require.Contains(t, warningCodes(res), "overflow_after_building")
	require.Len(t, res.Citations, 1)
}

func TestCitationsAreDroppedUntilItFits(t *testing.T) {
	line := "notice period " + wordsOf(20, "y") + "\n"
	text := strings.Repeat(line, 3) + wordsOf(300, "x")
	req := injection.Request{Text: "notice period", Files: []injection.File{file("a.txt", text)}, Model: model{length: 100}}
	res := inject(t, req)
	require.Len(t, res.Citations, 2)
	require.Equal(t, []string{"citation_dropped"}, warningCodes(res))
	require.LessOrEqual(t, res.Used.N+2, 100)

	req.Options.ReserveOutput = 40
	_, err := (&injection.Injector{Reader: reader{}, Retriever: &finder{}}).Inject(t.Context(), req)
	require.Equal(t, fault.DoesNotFit, fault.CodeOf(err))
	require.ErrorContains(t, err, "reserved for the answer")
}

func TestOverrides(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	small, big := file("small.txt", "small facts"), file("big.txt", "big facts\n"+wordsOf(900, "x"))
	with := func(f injection.File, m injection.Mode) injection.File { f.Mode = m; return f }
	base := injection.Request{Text: "facts", Model: model{length: 1000}, Options: injection.Options{Prompts: classic(t)}}

	base.Files = []injection.File{with(small, injection.ModeRetrieval)}
	res, err := in.Inject(t.Context(), base)
	require.NoError(t, err)
	require.Equal(t, injection.Retrieval, res.Strategy)
	require.Equal(t, injection.Override, res.ReasonCode)

	base.Files = []injection.File{with(big, injection.ModeFull)}
	res, err = in.Inject(t.Context(), base)
	require.NoError(t, err, "over the formula's budget but inside the window")
	require.Equal(t, injection.InjectFull, res.Strategy)

	base.Model = model{length: 500}
	_, err = in.Inject(t.Context(), base)
	require.Equal(t, fault.DoesNotFit, fault.CodeOf(err))
	require.ErrorContains(t, err, "whole files 902")
	base.Options.RetrieveOverflow = true
	res, err = in.Inject(t.Context(), base)
	require.NoError(t, err)
	require.Equal(t, injection.Retrieval, res.Strategy)
	require.Equal(t, injection.OverflowAfterBuilding, res.ReasonCode)

	base.Files = []injection.File{with(small, injection.ModeNone), with(big, injection.ModeNone)}
	res, err = in.Inject(t.Context(), base)
	require.NoError(t, err)
	require.Equal(t, "facts", res.Prompt)
	require.Equal(t, injection.None, res.Strategy)

	base.Files = []injection.File{with(small, injection.ModeFull), with(big, injection.ModeRetrieval)}
	res, err = in.Inject(t.Context(), base)
	require.NoError(t, err)
	require.Equal(t, injection.Retrieval, res.Strategy)
	require.Contains(t, res.Prompt, "** small.txt full content **")
	require.Contains(t, res.Prompt, `Citation 1: "big facts"`)
	require.Equal(t, []injection.Strategy{injection.InjectFull, injection.Retrieval}, []injection.Strategy{res.Files[0].Strategy, res.Files[1].Strategy})
}

// TestMixed: small files whole, large ones retrieved, the newest first (INJ-12).
func TestMixed(t *testing.T) {
	req := injection.Request{
		Text: "facts", Model: model{length: 1000}, Options: injection.Options{Policy: injection.MixedPolicy},
		Files: []injection.File{
			file("old.txt", "old facts\n"+wordsOf(400, "o")), file("big.txt", "big facts\n"+wordsOf(900, "x")), file("new.txt", "new facts\n"+wordsOf(400, "n")),
		},
	}
	res := inject(t, req)
	require.Equal(t, injection.Mixed, res.ReasonCode)
	require.Equal(t, injection.Retrieval, res.Strategy)
	got := map[string]injection.Strategy{}
	for _, f := range res.Files {
		got[f.Name] = f.Strategy
	}
	require.Equal(t, map[string]injection.Strategy{"old.txt": injection.Retrieval, "big.txt": injection.Retrieval, "new.txt": injection.InjectFull}, got)
	require.Less(t, strings.Index(res.Prompt, "** new.txt full content **"), strings.Index(res.Prompt, "Citation 1:"))
}

// TestItAlwaysFits throws random chats at the injector: the built prompt never
// exceeds the window, citations are slices, and the same input gives the same
// bytes.
func TestItAlwaysFits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	built, refused := 0, 0
	for range 1500 {
		req := randomRequest(r)
		res, err := in.Inject(t.Context(), req)
		if err != nil {
			require.Equal(t, fault.DoesNotFit, fault.CodeOf(err), err)
			refused++
			continue
		}
		built++
		m := req.Model.(model)
		all := append(slices.Clip(req.Messages), chat.Message{Role: chat.User, Text: res.Prompt})
		n, err := m.CountMessages(t.Context(), all)
		require.NoError(t, err)
		require.LessOrEqual(t, n.Budgeted(), m.length-req.Options.ReserveOutput)
		texts := map[string]string{}
		for _, f := range req.Files {
			texts[f.Name] = string(f.Data)
		}
		for i, c := range res.Citations {
			require.Equal(t, texts[c.File][c.Start:c.End], c.Text)
			require.Equal(t, i+1, c.Number)
		}
		again, err := in.Inject(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, res, again)
	}
	require.Greater(t, built, 300)
	require.Greater(t, refused, 100)
}

func randomRequest(r *rand.Rand) injection.Request {
	req := injection.Request{Text: wordsOf(1+r.IntN(8), "facts"), Model: model{length: 20 + r.IntN(400), method: []tokens.Method{tokens.Exact, tokens.Estimated}[r.IntN(2)]}}
	for range r.IntN(3) {
		req.Messages = append(req.Messages, chat.Message{Role: chat.User, Text: wordsOf(r.IntN(60), "h")})
	}
	for i := range 1 + r.IntN(4) {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			fmt.Fprintf(&b, "facts %d %s\n", i, wordsOf(r.IntN(20), "w"))
		}
		f := file(fmt.Sprintf("f%d.txt", i), b.String())
		f.Mode = []injection.Mode{injection.Auto, injection.Auto, injection.Auto, injection.ModeFull, injection.ModeRetrieval}[r.IntN(5)]
		req.Files = append(req.Files, f)
	}
	req.Options = injection.Options{
		Limit: 1 + r.IntN(6), ReserveOutput: r.IntN(2) * r.IntN(50), TargetContextUse: .1 + .9*r.Float64(),
		RetrieveOverflow: r.IntN(2) == 0, Policy: []injection.Policy{injection.AllOrNothing, injection.MixedPolicy}[r.IntN(2)],
	}
	return req
}
