package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"inlay/fault"
	"inlay/internal/inputs"
	"inlay/internal/wire"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/parse/worker"
)

// cli is the command line: one field per subcommand, each in a file of its own.
type cli struct {
	ConfigFile string           `name:"config" placeholder:"FILE" help:"Configuration file (default: ./inlay.yaml, then inlay/inlay.yaml in your configuration folder)."`
	Version    kong.VersionFlag `help:"Print the version and exit."`

	Ask      askCmd      `cmd:"" help:"Inject files into a prompt for a question: the main job."`
	Chat     chatCmd     `cmd:"" help:"Talk with a model about files: interactive, or one question."`
	Agent    agentCmd    `cmd:"" help:"Let a model work with a folder: ask, look at files with read-only tools, answer."`
	Parse    parseCmd    `cmd:"" help:"Print the text that a file yields, or its document with the map of sections."`
	Tokens   tokensCmd   `cmd:"" help:"Count the tokens of files."`
	Chunk    chunkCmd    `cmd:"" help:"Print the passages that a file is cut into, as JSON lines."`
	Eval     evalCmd     `cmd:"" help:"Ask questions with known answers and recommend threshold, limit and chunk size."`
	Config   configCmd   `cmd:"" help:"Print the configuration in force and where each value comes from."`
	Route    routeCmd    `cmd:"" help:"Show whether an ask needs a tool or the large model, and the prompt for it."`
	Strategy strategyCmd `cmd:"" help:"List, check, show, match and run strategies."`
	Serve    serveCmd    `cmd:"" help:"Serve document chat over HTTP, for any client of the OpenAI API."`
	Open     openCmd     `cmd:"" help:"Open the page in the browser: ask files, see the window, the decision and the passages."`
	Library  libraryCmd  `cmd:"" help:"Keep folders as libraries that are searched where they are: add, sync, watch, list, show, search, remove."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Offer libraries and a folder to agents by the Model Context Protocol, over standard input and output."`
	Keys     keysCmd     `cmd:"" help:"Make, list, rotate and revoke the keys of the service."`
	Migrate  migrateCmd  `cmd:"" help:"Copy what the service keeps in a data folder to a database and a store that servers share."`
	Cache    cacheCmd    `cmd:"" help:"Clear what was derived from documents."`
	Doctor   doctorCmd   `cmd:"" help:"Check a set-up, and say what to do where it is not sound."`

	Completion completionCmd `cmd:"" help:"Print the completion script of a shell."`
	Man        manCmd        `cmd:"" hidden:"" help:"Write the manual pages."`
	VersionCmd versionCmd    `cmd:"" name:"version" help:"Print the version, the commit and the Go release."`
}

// app is what a subcommand runs with.
type app struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
	settings       *source
	limits         parse.Limits   // of reading files, set before the subcommand runs
	ocr            *pdf.Tesseract // reads scanned pages; nil where that was not asked for
	inputs         *inputs.Reader // of what the user names, set with limits
	parsers        *parse.Registry
	workers        worker.Pool // those of parsers that wait for the next document
	literal        int         // arguments after --, which name no files
	assumed        bool        // standard input was attached without being named
	taken          string      // the argument that was taken as a file where a question is missing
}

// exited is how kong's --help and --version leave the parser.
type exited struct{ code int }

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	defer func() {
		if e, ok := recover().(exited); ok {
			err = nil
			if e.code != 0 {
				err = usageError(fmt.Errorf("exit %d", e.code))
			}
		}
	}()
	if slices.Equal(args, []string{wire.WorkerCommand}) {
		return wire.Work(ctx, getenv, stdin, stdout)
	}
	if slices.Equal(args, []string{readerCommand}) {
		return readApart(ctx, getenv, stdin, stdout)
	}
	if slices.Equal(args, []string{wire.CompileCommand}) {
		return wire.Compile(getenv)
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	a := &app{getenv: getenv, stdin: stdin, stdout: stdout, stderr: stderr}
	defer a.endWorkers()
	if a.settings, err = openSource(args, getenv); err != nil {
		return a.report(args, err)
	}
	parser, err := kong.New(grammar(args), append(kongOptions(), kong.Writers(stdout, stderr), kong.Resolvers(a.settings), kong.Bind(a))...)
	if err != nil {
		return a.report(args, err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if err != nil {
		if unknown := unknownCommand(parser.Model, args[0]); unknown != nil {
			err = unknown
		}
		return a.report(args, usageError(err))
	}
	a.settings.note(k)
	if i := slices.Index(args, "--"); i >= 0 {
		a.literal = len(args) - i - 1
	}
	k.BindTo(ctx, (*context.Context)(nil))
	return a.report(args, k.Run(a))
}

// endWorkers ends the workers that wait for another document. The first program of a
// machine that read PDFs has their second engine compiled for the next ones.
func (a *app) endWorkers() {
	a.workers.Close()
	if a.workers.Used(wire.WithPDFs()...) {
		_ = wire.CompileLater("", a.getenv) // the next program tries again
	}
}

// kongOptions are those of the command line, whatever runs it.
func kongOptions() []kong.Option {
	return []kong.Option{
		kong.Name("inlay"), kong.Description("Inject the right part of your documents into a prompt."), kong.Exit(func(code int) { panic(exited{code}) }),
		kong.TypeMapper(reflect.TypeFor[rawArg](), kong.MapperFunc(rawMapper)), kong.WithHyphenPrefixedParameters(true),
		kong.Vars{"version": version},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.PostBuild(fillFlags),
	}
}

// unknownCommand is the error of a first argument that is not a command; nil where
// it is one, or a flag.
func unknownCommand(model *kong.Application, first string) error {
	var known []string
	for _, child := range model.Children {
		if child.Name == first {
			return nil
		}
		if !child.Hidden {
			known = append(known, child.Name)
		}
	}
	if strings.HasPrefix(first, "-") {
		return nil
	}
	next := "inlay --help lists the commands"
	switch near := nearest(first, known); {
	case near != "":
		next = "did you mean inlay " + near + "? " + next
	case strings.Contains(first, " "), inputs.Exists(first):
		next = `inlay ask "question" FILE asks about files; ` + next
	}
	return &fault.Error{Code: fault.Usage, Subject: printable(first), Reason: "is not a command", Next: next}
}

// usageError is a mistake on the command line.
func usageError(err error) error {
	if errors.As(err, new(*fault.Error)) {
		return err
	}
	command := []string{"inlay"}
	var parsing *kong.ParseError
	if errors.As(err, &parsing) && parsing.Context != nil {
		for _, step := range parsing.Context.Path {
			if step.Command != nil {
				command = append(command, step.Command.Name)
			}
		}
	}
	return &fault.Error{Code: fault.Usage, Reason: err.Error(), Next: "see " + strings.Join(command, " ") + " --help", Err: err}
}

// report writes an error where its reader looks for it: on stderr as a
// sentence and, where JSON was asked for, on stdout as an object too.
func (a *app) report(args []string, err error) error {
	if err == nil {
		return nil
	}
	if errors.As(err, new(*told)) {
		return err
	}
	err = a.located(err)
	message := a.message(err)
	if fault.Is(err, fault.Canceled) {
		message = "canceled"
	}
	if _, e := io.WriteString(a.stderr, fitted(a.stderr, "inlay: "+printable(message)+"\n")); e != nil {
		return errors.Join(err, e)
	}
	if wantsJSON(args) && !errors.Is(err, errUnwell) && !errors.As(err, new(*shown)) { // what was printed says it all
		if e := writeJSON(a.stdout, errorJSON(err)); e != nil {
			return errors.Join(err, e)
		}
	}
	return err
}

// located is an error that names where a wrong setting is.
func (a *app) located(err error) error {
	if a.settings == nil {
		return err
	}
	return a.settings.blame(err)
}

// message is an error for a person at a command line: options are called by their
// flags.
func (a *app) message(err error) string {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err.Error()
	}
	said := *e
	said.Reason, said.Next = inFlags(e.Reason, "--base-url"), inFlags(e.Next, "--base-url")
	return said.Error()
}

// inFlags has options called by their flags; address is the one for a server's.
func inFlags(text, address string) string {
	return strings.NewReplacer("set the base URL of", "set "+address+" to", "the base URL", address,
		"the context length in tokens (StaticOptions.Length)", "--context-length").Replace(text)
}

// told is an error that a person has read already.
type told struct{ err error }

// Error implements error.
func (t *told) Error() string { return t.err.Error() }

// Unwrap gives the exit code.
func (t *told) Unwrap() error { return t.err }

// wantsJSON reports whether --output json is among the arguments, in one of its forms.
func wantsJSON(args []string) bool {
	i := slices.IndexFunc(args, func(a string) bool { return a == "--output" || a == "-o" })
	joined := slices.ContainsFunc(args, func(a string) bool { return a == "--output=json" || a == "-ojson" || a == "-o=json" })
	return joined || i >= 0 && i+1 < len(args) && args[i+1] == "json"
}

// shown joins an error that standard output has as JSON already.
type shown struct{ err error }

// Error implements error.
func (s *shown) Error() string { return "" }

func errorJSON(err error) any {
	return map[string]any{"schema": "inlay.error/v1", "error": errorBody(err)}
}

func errorBody(err error) map[string]any {
	body := map[string]any{"code": fault.CodeOf(err), "message": err.Error()}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		for key, value := range map[string]string{"subject": e.Subject, "reason": e.Reason, "next": e.Next} {
			if value != "" {
				body[key] = value
			}
		}
	}
	return body
}

// exitCode is the one table from error to exit code (SPEC 12).
func exitCode(err error) int {
	if errors.Is(err, errBelowFloor) {
		return 5
	}
	code := fault.CodeOf(err)
	if e, ok := errors.AsType[*fault.Error](err); ok && code == fault.PreprocessorException && errors.As(e.Err, new(*fault.Error)) {
		code = fault.CodeOf(e.Err) // what stopped the preprocessor: a file, the window
	}
	switch code {
	case "":
		return 0
	case fault.Usage:
		return 2
	case fault.FileNotFound, fault.FileUnreadable, fault.FileTooLarge, fault.UnsupportedFormat, fault.NoTextLayer,
		fault.PasswordRequired, fault.Corrupt, fault.UnmappedFont, fault.LimitExceeded:
		return 3
	case fault.DoesNotFit:
		return 4
	case fault.Canceled:
		return 130
	default:
		return 1
	}
}

// writeJSON writes v indented, with a final newline and without escaping <, >, &.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
