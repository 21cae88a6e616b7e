package route

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/internal/lazy"
)

// past is what a conversation tells of its newest ask.
type past struct {
	ask     string
	earlier []chat.Message // before the ask
	at      *chat.Message  // the message that asks
	steps   []step         // since the ask, and for it
	before  []step         // before the ask
}

// step is a call that was made, with what it returned.
type step struct {
	Call
	result string
}

// readPast takes a conversation apart at its last user message. Calls without
// a result were not made.
func readPast(messages []chat.Message) (p past) {
	calls := map[string]Call{}
	for i, m := range messages {
		for _, c := range m.ToolCalls {
			call := Call{Name: c.Name}
			_ = json.Unmarshal([]byte(c.Arguments), &call.Params)
			calls[c.ID] = call
		}
		if m.Role == chat.User {
			p.ask, p.at, p.earlier = m.Text, &messages[i], messages[:i]
			p.before, p.steps = append(p.before, p.steps...), nil
		}
		if m.Role == chat.Tool {
			if call, ok := calls[m.ToolCallID]; ok {
				p.steps = append(p.steps, step{call, m.Text})
			}
		}
	}
	return p
}

// last is the newest result of the conversation.
func (p past) last() *Last {
	all := slices.Concat(p.before, p.steps)
	if len(all) == 0 {
		return nil
	}
	s := all[len(all)-1]
	return &Last{Tool: s.Name, Path: s.path(), Preview: s.result}
}

// done are the calls since the ask.
func (p past) done() (calls []Call) {
	for _, s := range p.steps {
		calls = append(calls, s.Call)
	}
	return calls
}

// saidChars is what the compact context keeps of one message.
const saidChars = 300

// compact is what was said before the ask, its end first, in at most n
// characters: the beginning of each message, with a mark where it is cut.
func (p past) compact(n int) string {
	var lines []string
	for _, m := range slices.Backward(p.earlier) {
		text := strings.TrimSpace(m.Text)
		if m.Role == chat.System || m.Role == chat.Tool || text == "" {
			continue
		}
		if short := clip(text, saidChars); short != text {
			text = short + " […]"
		}
		line := string(m.Role) + ": " + text
		if n -= len([]rune(line)) + 1; n < 0 {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// newest is the message that asks, as it was sent: with what was injected into
// it. Where the ask is not the conversation's, it is the ask.
func (p past) newest(ask string) []chat.Message {
	if p.at != nil && strings.Contains(p.at.Text, ask) {
		return []chat.Message{*p.at}
	}
	return []chat.Message{{Role: chat.User, Text: ask}}
}

// short reports whether a compact context holds all that was said before the ask.
func (p past) short(compact string) bool {
	return compact == p.whole()
}

// plain reports whether no tool ran before or since the ask.
func (p past) plain() bool { return len(p.before) == 0 && len(p.steps) == 0 }

// whole is what was said before the ask.
func (p past) whole() string {
	var lines []string
	for _, m := range p.earlier {
		if text := strings.TrimSpace(m.Text); text != "" && m.Role != chat.System && m.Role != chat.Tool {
			lines = append(lines, string(m.Role)+": "+text)
		}
	}
	return strings.Join(lines, "\n")
}

// texts are what tools returned of files, by their cleaned paths: the newest
// that a read of the whole conversation, or the last tool, returned.
func (p past) texts(last *Last) map[string]string {
	out := map[string]string{}
	for _, s := range slices.Concat(p.before, p.steps) {
		switch {
		case s.path() == "":
		case s.Name == "read_file":
			out[path.Clean(s.path())] = s.result
		case edits(s.Name), s.Name == "write_to_file": // what was read is not what is there any more
			delete(out, path.Clean(s.path()))
		}
	}
	if last != nil && last.Tool == "read_file" && last.Path != "" {
		out[path.Clean(last.Path)] = last.Preview
	}
	return out
}

var readLine = lazy.Regexp("\\bread_file[ :]+[\"'`]?([^\\s\"'`]+)")

// known are the files whose text is at hand: read in the conversation, shown by
// the last result, or named by the host's summary as "read_file PATH".
func (p past) known(last *Last, summary string) (paths []string) {
	for _, s := range slices.Concat(p.before, p.steps) {
		if s.Name == "read_file" && s.path() != "" {
			paths = appendNew(paths, path.Clean(s.path()))
		}
	}
	if last != nil && last.Tool == "read_file" && last.Path != "" {
		paths = appendNew(paths, path.Clean(last.Path))
	}
	for _, m := range readLine().FindAllStringSubmatch(summary, -1) {
		paths = appendNew(paths, path.Clean(strings.TrimRight(m[1], ".,;:")))
	}
	return paths
}

// results are what the large model needs to see and would not without the
// conversation, whole: what was returned since the ask, or last, and of what was
// returned before, all of it, or only the files that the ask names.
func (p past) results(last *Last, all bool) string {
	var b strings.Builder
	for _, s := range p.before {
		if name := s.path(); (all || s.Name == "read_file" && names(p.ask, name)) && (last == nil || len(p.steps) > 0 || !same(last.Path, name)) {
			section(&b, s.Name, name, s.result)
		}
	}
	for _, s := range p.steps {
		section(&b, s.Name, s.path(), s.result)
	}
	if len(p.steps) == 0 && last != nil {
		section(&b, last.Tool, last.Path, last.Preview)
	}
	return strings.TrimSuffix(b.String(), "\n\n")
}

func section(b *strings.Builder, tool, path, text string) {
	b.WriteString(strings.TrimSpace(tool+" "+path) + ":\n" + text + "\n\n")
}

// names reports whether a text names a file, by its path or its last part.
func names(text, file string) bool {
	if file == "" {
		return false
	}
	found, _ := regexp.MatchString(`(^|[^\w.-])`+regexp.QuoteMeta(path.Base(file))+`($|[^\w-])`, text)
	return found
}

// again reports whether a call was made since the ask.
func again(done []Call, c Call) bool {
	return slices.ContainsFunc(done, func(d Call) bool { return d.Name == c.Name && sameParams(d.Params, c.Params) })
}

func sameParams(a, b map[string]any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
