package intent

import (
	"errors"
	"fmt"
	"strings"
)

// Decision is what was done with a message, as a code for results and counters.
type Decision string

// The decisions of [Extractor.Extract], and of [Result.Prefer].
const (
	Small     Decision = "small"     // below a tenth of the window: nothing is moved
	NoBulk    Decision = "no_bulk"   // large, and nothing in it is significantly larger than the request
	Moved     Decision = "moved"     // bulk was moved into documents
	Completed Decision = "completed" // the same, with a part that the analyzer had left out
	Refused   Decision = "refused"   // the analysis is invalid: the raw message is the prompt
	Failed    Decision = "failed"    // there is no analysis: the raw message is the prompt
	RawFits   Decision = "raw_fits"  // the documents would not go in whole, and the raw message fits
	Covered   Decision = "covered"   // nothing was found for the request: the documents go in by coverage
)

// decision is the code of an extraction.
func decision(m Message, a Analysis, err error) Decision {
	switch {
	case err != nil && invalid(err):
		return Refused
	case err != nil:
		return Failed
	case a.Completed > 0:
		return Completed
	case len(a.ContextItems) > 0:
		return Moved
	case m.Large:
		return NoBulk
	}
	return Small
}

// invalid reports whether there was an analysis, and it could not be used.
func invalid(err error) bool {
	for _, own := range []error{errSmall, errEmpty, errSlice, errOrder, errDropped, errParagraphs, errLong, errLeftOut} {
		if errors.Is(err, own) {
			return true
		}
	}
	return false
}

// Fit is what a turn knows once it has decided over the documents, before it
// builds the prompt. Numbers are tokens of the model that will answer.
type Fit struct {
	Room  int  // what the new message may take: the window without the reserve, the system prompt, the history and other files
	Raw   int  // the raw message
	Whole bool // all moved documents are injected whole beside the intent
	Found int  // passages that were found in them for the intent; not looked at where Whole
}

// Choice says in which form a message goes on.
type Choice struct {
	Decision Decision // RawFits, Covered, or the extraction's own
	Raw      bool     // the raw message is the prompt, without the documents
	Cover    bool     // the best passages of the documents go in by coverage, whatever they scored
	Reason   string   // for people
}

// Prefer decides between the raw message and the moved documents, so that moving
// bulk never gives the model less than the raw message would have (INT-9). Where
// the documents go in whole, they do; else the raw message is the prompt where it
// fits; else the documents are searched, and where nothing is found in them the
// best of them go in by coverage, because the user pasted them to be read.
func (r Result) Prefer(f Fit) Choice {
	c := Choice{Decision: r.Decision, Reason: r.Reason}
	switch {
	case len(r.Documents) == 0, f.Whole:
	case f.Raw <= f.Room:
		c.Decision, c.Raw = RawFits, true
		c.Reason = fmt.Sprintf("What would be moved would not be injected whole, and the message as it is fits (%d of %d tokens), so it stays as it is.", f.Raw, f.Room)
	case f.Found == 0:
		c.Decision, c.Cover = Covered, true
		c.Reason = "Nothing in what was moved matches the request, so a selection that covers it is injected."
	}
	return c
}

// AsRaw is the result with the raw message as the prompt and no documents, for a
// choice of the raw message. The language and what the analysis cost are kept.
func (r Result) AsRaw(c Choice) Result {
	r.Text, r.Documents, r.DocList = r.Raw, []Document{}, ""
	r.Completed, r.Paraphrased = 0, []Range{}
	r.Decision, r.Reason = c.Decision, c.Reason
	return r
}

// Account is where the bytes of a raw message went, white space aside. Together
// they are all of it.
type Account struct {
	Text        int `json:"text"`        // in the current prompt
	Documents   int `json:"documents"`   // in documents
	Paraphrased int `json:"paraphrased"` // said in other words by the current prompt
}

// Account counts where the raw message went.
func (r Result) Account() (a Account) {
	for _, d := range r.Documents {
		a.Documents += printable(d.Content)
	}
	for _, p := range r.Paraphrased {
		a.Paraphrased += printable(r.Raw[p.Start:p.End])
	}
	a.Text = printable(r.Raw) - a.Documents - a.Paraphrased
	return a
}

// Seen is how much of a message's moved documents reaches the prompt: the ranges
// of each document, by its index, that were injected, disjoint and counted from
// its beginning. It names what is left out.
func (r Result) Seen(shown map[int][]Range) (left []LeftOut) {
	for i, d := range r.Documents {
		in := 0
		for _, s := range shown[i] {
			in += s.End - s.Start
		}
		if size := d.End - d.Start; in < size {
			left = append(left, LeftOut{Name: d.Name, Bytes: size - in, Share: float64(size-in) / float64(size)})
		}
	}
	return left
}

// LeftOut is a moved document of which the model does not see all.
type LeftOut struct {
	Name  string  `json:"name"`
	Bytes int     `json:"bytes"` // that are not in the prompt
	Share float64 `json:"share"` // of the document, 0..1
}

// printable counts the bytes of a text that are no white space.
func printable(s string) (n int) {
	for field := range strings.FieldsSeq(s) {
		n += len(field)
	}
	return n
}
