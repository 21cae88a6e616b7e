// Package builtin has the processors that come with inlay, under the names of
// the configuration: what tells a model where it is, what resolves @file,
// @memory:, {name} and $(command), what keeps a conversation inside its window,
// what guards tool calls, what retries, accounts, redacts and checks.
//
// Each is a struct whose fields are its options; its zero value is its default.
// [Registry] puts all of them into their default order.
package builtin

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	"inlay/injection"
	"inlay/llm"
	"inlay/processor"
)

// Host is what the processors work with. What is nil switches off what needs it.
type Host struct {
	Workspace *Workspace          // the folder that may be read; nil: none
	Injector  *injection.Injector // reads and budgets @files; nil: @files stay as they are written
	Injection injection.Options   // how it does that
	Model     llm.Generator       // writes summaries where the configuration asks for it
	Tools     []string            // names of all tools, to find mistyped ones in the configuration; nil: not known
	Recall    *Recall             // shared by the chains of a service, which make summaries again; nil: nothing is remembered
	Fallbacks []string            // models to turn to when the first fails, as the agent knows them
}

// Registry is every built-in processor in the default order.
func Registry(h Host) processor.Registry {
	return processor.Registry{
		Messages: []processor.Entry[processor.MessageModifier]{
			entry("CoreSystemPromptModifier", true, CoreSystemPrompt{}, CoreSystemPrompt.Modify),
			entry("EnvironmentContextModifier", true, EnvironmentContext{Workspace: h.Workspace}, EnvironmentContext.Modify),
			entry("IdeContextModifier", true, IDEContext{}, IDEContext.Modify),
			entry("DirectoryContextModifier", true, DirectoryContext{Workspace: h.Workspace}, DirectoryContext.Modify),
			entry("MemoryImportModifier", true, MemoryImport{Workspace: h.Workspace}, MemoryImport.Modify),
			entry("AtFileProcessorModifier", true, AtFile{Workspace: h.Workspace, Injector: h.Injector, Injection: h.Injection}, AtFile.Modify),
			entry("ArgumentProcessorModifier", true, Arguments{}, Arguments.Modify),
			checked("ShellProcessorModifier", true, Shell{Workspace: h.Workspace}, Shell.check, Shell.Modify),
			entry("ChatHistoryMessageModifier", true, History{}, History.Modify),
			checked("ChatCompressionModifier", true, Compression{Generator: h.Model, known: h.Recall}, Compression.check, Compression.Modify),
			entry("ConversationCompactorModifier", true, Compactor{}, Compactor.Modify),
			checked("LoopDetectionModifier", true, LoopDetection{}, LoopDetection.check, LoopDetection.Modify),
			recordingEntry(),
			checked("RedactionMessageModifier", false, Redactor{}, Redactor.check, Redactor.ModifyMessages),
		},
		Injection: []processor.Entry[processor.ToolInjection]{
			checked("ToolInjectionModifier", true, ToolInjection{known: h.Tools}, ToolInjection.check, ToolInjection.Inject),
		},
		Parameters: []processor.Entry[processor.ToolParameter]{
			checked("ToolParameterModifier", true, ToolParameters{known: h.Tools}, ToolParameters.check, ToolParameters.Modify),
		},
		Validation: []processor.Entry[processor.ToolValidation]{
			checked("ToolValidationModifier", true, ToolValidation{Workspace: h.Workspace, known: h.Tools}, ToolValidation.check, ToolValidation.Validate),
		},
		Steps: []processor.Entry[processor.Step]{
			step("StreamingTransformStep", true, StreamingTransform{}, nil, func(s StreamingTransform) processor.Step { return processor.Step{Before: s.Before} }),
			step("ModelFallbackStep", true, ModelFallback{Models: h.Fallbacks}, ModelFallback.check, func(s ModelFallback) processor.Step { return processor.Step{After: s.After} }),
			step("RetryStep", true, RetryModel{}, nil, func(s RetryModel) processor.Step { return processor.Step{After: s.After} }),
			step("ResponseValidationStep", true, ResponseValidation{}, nil, func(s ResponseValidation) processor.Step { return processor.Step{After: s.After} }),
			step("UsageAccountingStep", true, UsageAccounting{}, nil, func(s UsageAccounting) processor.Step { return processor.Step{After: s.After} }),
		},
		Responses: []processor.Entry[processor.ResponseModifier]{
			entry("NormalizationModifier", true, Normalization{}, Normalization.Modify),
			checked("RedactionModifier", true, Redactor{}, Redactor.check, Redactor.ModifyResponse),
			checked("SafetyCheckModifier", true, SafetyCheck{}, SafetyCheck.check, SafetyCheck.Modify),
			checked("CitationCheckModifier", true, CitationCheck{}, CitationCheck.check, CitationCheck.Modify),
		},
	}
}

// method is a processor's function as a method of its options.
type method[S, T any] func(s S, ctx context.Context, t *processor.Turn, v T) (T, processor.Verdict, error)

// entry registers a struct whose fields are options.
func entry[S, T any](name string, isDefault bool, s S, run method[S, T]) processor.Entry[processor.Processor[T]] {
	return checked(name, isDefault, s, nil, run)
}

// checked is entry for options that can be wrong: check names the option and
// what is wrong with it.
func checked[S, T any](name string, isDefault bool, s S, check func(S) (option, reason string), run method[S, T]) processor.Entry[processor.Processor[T]] {
	return processor.Entry[processor.Processor[T]]{Name: name, Default: isDefault, Make: func(o processor.Options) (processor.Processor[T], error) {
		s, err := filled(o, s, check)
		if err != nil {
			return processor.Processor[T]{}, err
		}
		return processor.Processor[T]{Name: name, Run: func(ctx context.Context, t *processor.Turn, v T) (T, processor.Verdict, error) {
			return run(s, ctx, t, v)
		}}, nil
	}}
}

// filled is s with the options of a configuration, which are checked: numbers
// by their type and tags (see number), the rest by check.
func filled[S any](o processor.Options, s S, check func(S) (option, reason string)) (S, error) {
	if err := o.Into(&s); err != nil {
		return s, err
	}
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := f.Tag.Get("json")
		if reason := number(v.Field(i), f.Tag, o.Given(name)); reason != "" {
			return s, o.Bad(name, reason)
		}
	}
	if check != nil {
		if option, reason := check(s); reason != "" {
			return s, o.Bad(option, reason)
		}
	}
	return s, nil
}

// number is what is wrong with a number: it is less than 0, or than the tag
// least allows; it is 0 where that is not what the tag zero says it may be, but
// stands for the default; it is a share above 1.
func number(v reflect.Value, tag reflect.StructTag, given bool) string {
	least, _ := strconv.Atoi(tag.Get("least"))
	switch {
	case v.CanInt() && v.Int() < int64(least), v.CanFloat() && v.Float() < 0:
		return fmt.Sprintf("is less than %d", least)
	case v.CanFloat() && v.Float() > 1:
		return fmt.Sprintf("is %v, want a share between 0 and 1", v.Float())
	case (v.CanInt() || v.CanFloat()) && v.IsZero() && given && tag.Get("zero") == "":
		return "is 0; leave it out for the default"
	}
	return ""
}

func step[S any](name string, isDefault bool, s S, check func(S) (option, reason string), build func(S) processor.Step) processor.Entry[processor.Step] {
	return processor.Entry[processor.Step]{Name: name, Default: isDefault, Make: func(o processor.Options) (processor.Step, error) {
		s, err := filled(o, s, check)
		if err != nil {
			return processor.Step{}, err
		}
		out := build(s)
		out.Name = name
		return out, nil
	}}
}
