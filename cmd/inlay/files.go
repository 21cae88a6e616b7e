package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/download"
	"inlay/internal/inputs"
	"inlay/internal/wire"
	"inlay/parse"
)

// splitMode takes "big.pdf=retrieval" apart, at the last = and only before a
// known mode, so that other = signs may be in names.
func splitMode(arg string) (path string, mode injection.Mode) {
	i := strings.LastIndexByte(arg, '=')
	if i <= 0 {
		return arg, injection.Auto
	}
	mode, err := injection.ParseMode(arg[i+1:])
	if err != nil || arg[i+1:] == "" {
		return arg, injection.Auto
	}
	return arg[:i], mode
}

// checkMode refuses a word after = that is not a mode, where what is before it is
// a file and the whole is none.
func checkMode(arg string) error {
	i := strings.LastIndexByte(arg, '=')
	if i <= 0 || inputs.Exists(arg) || !inputs.Exists(arg[:i]) {
		return nil
	}
	if _, err := injection.ParseMode(arg[i+1:]); err == nil {
		return nil
	}
	return &fault.Error{
		Code: fault.Usage, Subject: arg, Reason: fmt.Sprintf("%q is not a mode (auto, full, retrieval or none)", arg[i+1:]),
		Next: "write it like " + arg[:i] + "=retrieval",
	}
}

// opened is what the user's arguments came to.
type opened struct {
	files  []injection.File
	images []chat.Attachment // set apart: they stay on the message
	notes  []string          // what was left out of folders
}

// openFiles reads what the user named, in order.
func openFiles(ctx context.Context, a *app, args []rawArg) (o opened, err error) {
	parsers, err := a.registry()
	if err != nil {
		return opened{}, err
	}
	for _, arg := range args {
		if err := checkMode(string(arg)); err != nil {
			return opened{}, err
		}
		path, mode := splitMode(string(arg))
		files, notes, err := a.read(ctx, path)
		if err != nil {
			return opened{}, err
		}
		o.notes = append(o.notes, notes...)
		for _, f := range files {
			if kind := injection.Picture(parsers, f.Data); kind != "" {
				o.images = append(o.images, chat.Attachment{FileID: parse.FileID(f.Data), Name: f.Name, MediaType: kind, Path: f.Path})
				continue
			}
			o.files = append(o.files, injection.File{Name: f.Name, Path: f.Path, MediaType: f.MediaType, Mode: mode, Data: f.Data})
		}
	}
	return o, nil
}

// openEach is openFiles for a request that goes on without the files that
// cannot be read: their errors are reported with the result.
func openEach(ctx context.Context, a *app, args []rawArg) (o opened, err error) {
	for _, arg := range args {
		if err := checkMode(string(arg)); err != nil {
			return opened{}, err
		}
		path, mode := splitMode(string(arg))
		files, notes, err := a.read(ctx, path)
		o.notes = append(o.notes, notes...)
		switch {
		case ctx.Err() != nil:
			return opened{}, ctx.Err()
		case fault.Is(err, fault.Usage), fault.Is(err, fault.LimitExceeded):
			return opened{}, err
		case err != nil:
			o.files = append(o.files, injection.File{Name: path, Mode: mode, Open: func(context.Context) ([]byte, error) { return nil, err }})
		}
		for _, f := range files {
			o.files = append(o.files, injection.File{Name: f.Name, Path: f.Path, MediaType: f.MediaType, Mode: mode, Data: f.Data})
		}
	}
	return o, nil
}

// read reads the files of one name.
func (a *app) read(ctx context.Context, name string) ([]parse.File, []string, error) {
	if name == inputs.Stdin {
		slow := time.AfterFunc(quietFor, func() { _, _ = io.WriteString(a.stderr, "Reading standard input; Ctrl-D ends it.\n") })
		defer slow.Stop()
	}
	if a.inputs == nil { // a command without settings of reading
		a.inputs = &inputs.Reader{Limits: a.limits, Stdin: a.stdin, Accept: a.leaveOut}
	}
	files, notes, err := a.inputs.Read(ctx, name)
	if err == nil && name == inputs.Stdin && a.assumed && len(files[0].Data) == 0 {
		return nil, nil, nil // a program that has nothing to say left its end open
	}
	return files, notes, err
}

// quietFor is how long standard input may keep the program waiting before it says so.
const quietFor = 2 * time.Second

// leaveOut is why a file of a folder is not read.
func (a *app) leaveOut(f parse.File) string {
	parsers, err := a.registry()
	if err != nil {
		return "not readable"
	}
	return wire.LeaveOut(parsers, f)
}

// registry is the parsers of the command, opened when they are first needed.
func (a *app) registry() (*parse.Registry, error) {
	if a.parsers == nil {
		var err error
		if a.parsers, err = wire.OpenKeptParsers(a.limits, a.ocr, a.getenv, &a.workers); err != nil {
			return nil, err
		}
	}
	return a.parsers, nil
}

// warnings are the notes as a result has them.
func (o opened) warnings() (out []injection.Warning) {
	for _, note := range o.notes {
		out = append(out, injection.Warning{Code: "left_out", Message: note})
	}
	return out
}

// tell writes the notes for a command whose output is no result.
func (o opened) tell(a *app) {
	for _, note := range o.notes {
		_, _ = fmt.Fprintln(a.stderr, "warning:", printable(note))
	}
}

// typed is what a command line came to: a question, and the files it is about.
type typed struct {
	question string
	files    []rawArg // those of -f, then those among the arguments
}

// arguments parts the arguments of a command: one that names a file, folder or web
// address that is there is attached, the others are the words of the question. What
// follows -- is of the question. A pipe without files is one.
func (a *app) arguments(flagged, args []rawArg) (out typed, err error) {
	out.files = slices.Clone(flagged)
	literal := len(args) - a.literal
	quoted := slices.ContainsFunc(args, func(arg rawArg) bool { return strings.Contains(string(arg), " ") && !inputs.Exists(string(arg)) })
	var words []string
	for i, arg := range args {
		name, _ := splitMode(string(arg))
		switch {
		case i >= literal:
			words = append(words, string(arg))
		case name == inputs.Stdin && len(args) > 1, download.IsAddress(name) && !strings.ContainsAny(name, " \n"), inputs.Exists(name):
			out.files = append(out.files, arg)
		case checkMode(string(arg)) != nil:
			return out, checkMode(string(arg))
		case inputs.LooksLikePath(name, len(args) == 1), quoted && inputs.CouldBePath(name):
			return out, &fault.Error{
				Code: fault.FileNotFound, Subject: name, Reason: "there is no such file",
				Next: "check the path; where it is a part of the question, put -- before the question",
			}
		default:
			words = append(words, string(arg))
		}
	}
	out.question = strings.Join(words, " ")
	if strings.TrimSpace(out.question) == "" && len(args) > 0 && len(out.files) > len(flagged) {
		a.taken = string(args[len(args)-1])
	}
	if len(out.files) == 0 && a.piped() && out.question != inputs.Stdin && strings.TrimSpace(out.question) != "" {
		out.files, a.assumed = []rawArg{inputs.Stdin}, true
	}
	return out, nil
}

// unread says that standard input was left alone though something is in it.
func (a *app) unread(got typed, quiet bool) {
	f, ok := a.stdin.(*os.File)
	isStdin := func(f rawArg) bool { path, _ := splitMode(string(f)); return path == inputs.Stdin }
	if quiet || !ok || !a.piped() || got.question == inputs.Stdin || slices.ContainsFunc(got.files, isStdin) || !waiting(f) {
		return
	}
	_, _ = io.WriteString(a.stderr, "warning: standard input is not read; -f - attaches it\n")
}

// free makes sure that standard input is not wanted both as a document and for the
// lines of a conversation.
func (a *app) free(got typed) error {
	isStdin := func(f rawArg) bool { path, _ := splitMode(string(f)); return path == inputs.Stdin }
	if strings.TrimSpace(got.question) != "" || !slices.ContainsFunc(got.files, isStdin) {
		return nil
	}
	return &fault.Error{Code: fault.Usage, Subject: "-", Reason: "standard input cannot be both a file and the questions", Next: "give the question as an argument"}
}

// piped reports whether standard input is a pipe or a file with something in it,
// rather than a keyboard or nothing.
func (a *app) piped() bool {
	f, ok := a.stdin.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 || info.Mode().IsRegular() && info.Size() > 0)
}

// rawArg is an argument taken byte for byte: file names and questions need not
// be UTF-8.
type rawArg string

// rawMapper reads a rawArg.
func rawMapper(ctx *kong.DecodeContext, target reflect.Value) error {
	text, ok := ctx.Scan.Pop().Value.(string)
	if !ok {
		return errors.New("expected a text")
	}
	target.SetString(text)
	return nil
}
