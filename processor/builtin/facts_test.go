package builtin_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/llm"
	"inlay/processor"
)

// planted are things that a user says once, and what must not be forgotten.
func planted() map[string]string {
	return map[string]string{
		"By the way, my name is Ada Wiebelskircher.":                              "Wiebelskircher",
		"The staging server is tide-07.example.net.":                              "tide-07.example.net",
		"We decided to ship on 14 March, whatever happens.":                       "14 March",
		"Please never touch the folder legacy/billing.":                           "legacy/billing",
		"Our budget for this is 42,500 euros.":                                    "42,500",
		"From now on answer in British English.":                                  "British English",
		"The customer is called Brunnhuber & Sons.":                               "Brunnhuber",
		"I use Go 1.26 on an old ThinkPad X220.":                                  "X220",
		"The ticket for all of that is OPS-4417.":                                 "OPS-4417",
		"Remember that the harbour office closes at four on Fridays.":             "closes at four",
		"Merke dir: das Passwort liegt im Tresor in Raum 3.14.":                   "Raum 3.14",
		"Unser Ansprechpartner ist Frau Özdemir.":                                 "Özdemir",
		"The tests run with make verify-tides, not with go test.":                 "verify-tides",
		"I prefer tabs over spaces in generated files.":                           "tabs over spaces",
		"Port 8443 is taken, so we listen on 9443.":                               "9443",
		"The sensor in Cuxhaven drifts by 3 cm a month.":                          "Cuxhaven",
		"Keep in mind that the archive only goes back to the spring of '97.":      "'97",
		"The branch everybody works on is feature/slack-water.":                   "feature/slack-water",
		"My colleague Björn reviews everything that goes into the store package.": "Björn",
		"The measuring interval is ten minutes and must not be changed.":          "ten minutes",
	}
}

// chatter is what the rest of a conversation is made of.
func chatter(r *rand.Rand) (question, answer string) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	thing := pick("parser", "tide table", "importer", "chart", "reader", "second loop", "error path", "cache", "index", "test")
	question = pick("What does the %s do?", "Can you explain the %s in more detail?", "Why is the %s so slow?", "Thanks. And the %s?",
		"Make the %s shorter please.", "Hm, I do not see it. Show me the %s again.", "Is the %s covered by anything?", "Go on with the %s.",
		"ok, the %s then", "That looks better. Do the same for the %s.")
	answer = strings.Repeat(pick("The %s goes over the lines and collects what belongs together. ",
		"It comes down to the %s, which waits for the reader. ", "I would split the %s in two and test each half. ",
		"You can leave the %s as it stands for now. ", "The %s allocates a slice for every line that it reads. "), 1+r.IntN(4))
	return strings.ReplaceAll(question, "%s", thing), strings.ReplaceAll(answer, "%s", thing)
}

// remembered carries a conversation of n turns out, with one thing planted in
// each of the first hundred every fifth, and counts what of it is in the
// last prompt.
func remembered(t *testing.T, n, window int, yaml string) (kept, of int, last string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	var said, answers []string
	texts := slices.Sorted(maps.Keys(planted()))
	r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	for i := range n {
		q, a := chatter(r)
		said, answers = append(said, q), append(answers, a)
		if i < 100 && i%5 == 2 {
			said[i] = texts[0] + " " + q
			texts = texts[1:]
		}
	}
	m := &scripted{Measurer: measurer(t, window)}
	for _, a := range answers {
		m.answers = append(m.answers, llm.Answer{Text: a})
	}
	a := agent(t, folder(t, nil), yaml, m)
	c := &processor.Conversation{}
	for i := range n {
		_, err := a.Turn(t.Context(), turn(t, window), c, said[i])
		require.NoError(t, err)
	}
	for _, message := range m.asked[n-1].Messages {
		last += message.Text + "\n"
		require.NotEqual(t, chat.Role(""), message.Role)
	}
	require.Contains(t, last, said[n-1], "the newest message is whole")
	for _, key := range planted() {
		if of++; strings.Contains(last, key) {
			kept++
		}
	}
	return kept, of, last
}

// TestFactsSurvive: what was said in the first hundred turns and matters is
// there long after; plain truncation has lost it.
func TestFactsSurvive(t *testing.T) {
	plain, _, _ := remembered(t, 160, 4000, "processors: {drop_defaults: [ChatCompressionModifier]}")
	require.Zero(t, plain)
	for _, c := range []struct{ turns, window, least int }{{300, 4000, 7}, {130, 8000, 14}} { // 8000: 19 after 300 turns
		kept, of, last := remembered(t, c.turns, c.window, "")
		t.Logf("window %d: %d of %d kept after %d turns", c.window, kept, of, c.turns)
		require.GreaterOrEqual(t, kept, c.least, last)
		require.Contains(t, last, "You are a careful assistant", "the system prompt stays")
	}
}
