package main

import (
	"inlay/injection"
	"inlay/parse"
	"inlay/parse/pdf"
)

// settings are the values that shape a decision. A field with a key is a row of
// the table in package options, which gives its flag, environment name, bounds,
// default and help (see flags.go).
type settings struct {
	modelSettings
	searchSettings
	Mode             string  `key:"mode"`
	Policy           string  `key:"policy"`
	Coverage         string  `key:"coverage"`
	OnOverflow       string  `key:"on_overflow"`
	OnFailure        string  `key:"on_failure"`
	Strict           bool    `key:"strict"`
	TargetContextUse float64 `key:"target_context_use"`
	ReserveOutput    int     `key:"reserve_output_tokens"`
	PromptSet        string  `key:"prompt_set"`
	ExpandQuery      bool    `key:"expand_query"`
	Intent           string  `key:"intent"`
}

// modelSettings say which model will answer.
type modelSettings struct {
	Model         string `key:"model"`
	BaseURL       string `key:"base_url"`
	ContextLength int    `key:"context_length"`
}

// readSettings bound what reading a file may cost.
type readSettings struct {
	ParseLimits string `key:"parse_limits"`
	HTML        string `key:"html"`
	OCR         bool   `key:"ocr"`
	OCRLanguage string `key:"ocr_language"`
}

// AfterApply hands the settings to whatever reads files, once flags are known.
func (s readSettings) AfterApply(a *app) (err error) {
	a.ocr = s.tesseract()
	a.limits, err = s.limits()
	return err
}

func (s readSettings) limits() (parse.Limits, error) {
	l, err := parse.LimitsFrom(s.ParseLimits)
	l.WholePages = s.HTML == "all"
	return l, err
}

// tesseract reads scanned pages; nil where that was not asked for.
func (s readSettings) tesseract() *pdf.Tesseract {
	if !s.OCR {
		return nil
	}
	return &pdf.Tesseract{Language: s.OCRLanguage}
}

// searchSettings shape reading and retrieval.
type searchSettings struct {
	readSettings
	Embedder  string   `key:"embedder"`
	Limit     int      `key:"retrieval_limit"`
	Threshold *float64 `key:"retrieval_affinity_threshold"`
	Relative  float64  `key:"relative"`
	Chunk     string   `key:"chunk"`
	Store     string   `key:"store"`
}

// options are the settings as injection takes them.
func (s settings) options() (injection.Options, error) {
	set, err := promptSet(s.PromptSet)
	if err != nil {
		return injection.Options{}, err
	}
	values := valuesOf(&s)
	delete(values, "prompt_set") // may be a folder here
	return injection.Options{Prompts: set}.With(values)
}
