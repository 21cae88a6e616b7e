package injection

import (
	"fmt"
	"sync"

	"inlay/retrieve"
)

// State is where a step of the work is.
type State string

// The five states of INJ-17.
const (
	Waiting  State = "waiting"
	Loading  State = "loading"
	Done     State = "done"
	Errored  State = "error"
	Canceled State = "canceled"
)

// Status is one node of the tree of statuses, sent whenever it changes. The
// root has Parent 0; ids start at 1 and grow in the order of creation.
type Status struct {
	ID     int    `json:"id"`
	Parent int    `json:"parent,omitempty"`
	State  State  `json:"state"`
	Text   string `json:"text"`
}

// Every status text of INJ-17 has its home here.
const (
	textDeciding        = "Deciding how to handle the document(s)..."
	textLoadingModel    = "Loading an embedding model for retrieval..."
	textRetrieving      = "Retrieving relevant citations for user query..."
	textNothingRelevant = "No relevant citations found for user query"
	textRetrievalBest   = "Retrieval is optimal for the size of content provided"
	textContentFits     = "All content can fit into the context"
)

func textLoadingParser(file string) string { return "Loading parser for " + file + "..." }

func textParserLoaded(library, file string) string { return library + " loaded for " + file + "..." }

func textParsing(file string, done float64) string {
	return fmt.Sprintf("Parsing file %s... (%.2f%%)", file, done*100)
}

func textProcess(file string) string { return fmt.Sprintf("Process %s for retrieval", file) }

func textProcessing(file string) string { return fmt.Sprintf("Processing %s for retrieval", file) }

func textProcessed(file string) string { return fmt.Sprintf("Processed %s for retrieval", file) }

func textStage(verb, file string, done float64) string {
	return fmt.Sprintf("%s %s for retrieval (%.1f%%)", verb, file, done*100)
}

func textRetrieved(n int) string {
	return fmt.Sprintf("Retrieved %d relevant citations for user query", n)
}

// textChosen is the closing status of the decision.
func textChosen(d Decision) string {
	head := "Chosen context injection strategy: '" + string(d.Strategy) + "'. "
	switch d.ReasonCode {
	case Fits:
		return head + textContentFits
	case ExceedsBudget, NoWindowLeft:
		return head + textRetrievalBest
	default:
		return head + d.Reason
	}
}

// stageText words a step of retrieval.
func stageText(s retrieve.Step) string {
	switch s.Stage {
	case retrieve.Starting:
		return textProcessing(s.File)
	case retrieve.Loading:
		return textStage("Loading", s.File, s.Done)
	case retrieve.Chunking:
		return textStage("Chunking", s.File, s.Done)
	case retrieve.Embedding:
		return textStage("Embedding", s.File, s.Done)
	default:
		return textProcessed(s.File)
	}
}

// tracker hands out ids and sends statuses, one at a time.
type tracker struct {
	mu   sync.Mutex
	last int
	send func(Status)
}

// node is one status being worked on.
type node struct {
	t      *tracker
	status Status
}

// open starts a status below parent (nil for the root).
func (t *tracker) open(parent *node, state State, text string) *node {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	n := &node{t: t, status: Status{ID: t.last, State: state, Text: text}}
	if parent != nil {
		n.status.Parent = parent.status.ID
	}
	t.emit(n.status)
	return n
}

// set changes a status; what does not change is not sent again.
func (n *node) set(state State, text string) {
	n.t.mu.Lock()
	defer n.t.mu.Unlock()
	if n.status.State == state && n.status.Text == text {
		return
	}
	n.status.State, n.status.Text = state, text
	n.t.emit(n.status)
}

// failOpen ends a status that was not done when the work around it failed.
func (n *node) failOpen(err error) {
	n.t.mu.Lock()
	done := n.status.State == Done
	n.t.mu.Unlock()
	if !done {
		n.fail(err)
	}
}

// fail ends a status as canceled or failed, keeping its text.
func (n *node) fail(err error) {
	state := Errored
	if isCanceled(err) {
		state = Canceled
	}
	n.t.mu.Lock()
	text := n.status.Text
	n.t.mu.Unlock()
	n.set(state, text)
}

func (t *tracker) emit(s Status) {
	if t.send != nil {
		t.send(s)
	}
}
