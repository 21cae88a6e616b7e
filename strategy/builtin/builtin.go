// Package builtin holds the small preprocessors that come with inlay and its
// own strategies.
//
// The preprocessors read context that the caller supplies as plain data, so
// that a desktop program, a web page and a command line can all feed them:
//
//	selected-text           attachments.selection.text       -> preprocess.selection.text
//	clipboard-text          clipboard.text                   -> preprocess.clipboard.text
//	browser-active-page     extra.browser.active_tab         -> preprocess.browser.url, .title, .readable_text
//	file-manager-selection  extra.file_manager.selection     -> preprocess.file_manager.selection.paths, .text
//	visual-element-text     attachments.visual               -> preprocess.visual.text
//	files                   the attached files               -> preprocess.files.*
//	intent                  the user's message               -> preprocess.intent.*
//	route                   the user's message and the chat  -> preprocess.route.*
package builtin

import (
	"context"
	stdembed "embed"
	"errors"
	"io/fs"

	"inlay/injection"
	"inlay/intent"
	"inlay/route"
	"inlay/strategy"
)

// Provider is the namespace of inlay's own strategies.
const Provider = "builtin"

//go:embed strategies/*.strategy.md
var files stdembed.FS

// Options say what the preprocessors work with. The zero value offers those
// that read no files.
type Options struct {
	Injector *injection.Injector       // reads and budgets files; nil leaves out files and file-manager-selection
	Defaults injection.Options         // what both start from
	Modes    map[string]injection.Mode // overrides of single attached files, by their id

	Intent intent.Preprocessor // splits the message; its zero value does so by structure
	Route  route.Preprocessor  // decides between a tool and the model; its zero value is off

	// Observe is told what the files preprocessor came to, beside its variables; nil: nobody.
	Observe func(injection.Result)

	// Open reads a file that the file manager's selection names. nil reads
	// none: paths only. OpenUnder makes one.
	Open func(ctx context.Context, path string) ([]byte, error)
}

// Preprocessors returns the built-in preprocessors, by id.
func Preprocessors(o Options) []strategy.Preprocessor {
	list := []strategy.Preprocessor{BrowserActivePage{}, ClipboardText{}}
	if o.Injector != nil {
		list = append(
			list, FileManagerSelection{Injector: o.Injector, Defaults: o.Defaults, Open: o.Open},
			injection.Preprocessor{Injector: o.Injector, Defaults: o.Defaults, Modes: o.Modes, Observe: o.Observe},
		)
	}
	return append(list, o.Intent, o.Route, SelectedText{}, VisualElementText{})
}

var errBroken = errors.New("a built-in strategy is broken")

// Strategies loads inlay's own strategies. registry must offer what they name,
// see [Preprocessors]; nil checks nothing.
func Strategies(ctx context.Context, registry *strategy.Registry) (strategy.Set, error) {
	sub, err := fs.Sub(files, "strategies")
	if err != nil {
		return strategy.Set{}, err
	}
	folder := strategy.Folder{Loader: strategy.Loader{Provider: Provider, Registry: registry}, FS: sub}
	set, err := folder.Load(ctx)
	if err == nil && len(set.Diagnostics) > 0 {
		err = errors.Join(errBroken, errors.New(set.Diagnostics[0].String()))
	}
	return set, err
}
