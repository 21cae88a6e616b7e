package plain

import (
	"context"
	"encoding/json"
	"strings"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/outline"
)

// Notebook reads Jupyter notebooks: Markdown cells as they are, code cells as
// fenced code, the text of outputs after them.
func Notebook(limits parse.Limits) parse.Parser { return notebook{limits} }

type notebook struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p notebook) Info() parse.Info {
	return parse.Info{
		Name: "notebook", Version: "2", Library: "inlay/plain",
		MediaTypes: []string{"application/x-ipynb+json"}, Extensions: []string{".ipynb"},
	}
}

// lines is a notebook's text: one string or a list of them.
type lines string

// UnmarshalJSON accepts both forms; anything else is not a text.
func (l *lines) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = lines(one)
		return nil
	}
	var many []string
	if json.Unmarshal(data, &many) == nil {
		*l = lines(strings.Join(many, ""))
	}
	return nil
}

type notebookFile struct {
	Metadata struct {
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
	Cells []struct {
		Type    string `json:"cell_type"`
		Source  lines  `json:"source"`
		Outputs []struct {
			Text  lines            `json:"text"`
			Data  map[string]lines `json:"data"`
			Error string           `json:"ename"`
			Value string           `json:"evalue"`
		} `json:"outputs"`
	} `json:"cells"`
}

// Parse implements [parse.Parser].
func (p notebook) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	d, err := decode(ctx, f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	var file notebookFile
	if err := json.Unmarshal([]byte(d.Text), &file); err != nil {
		return parse.Document{}, &fault.Error{Code: fault.Corrupt, Reason: "it is not a notebook: its JSON is damaged", Next: "save it again in Jupyter", Err: err}
	}
	var b parse.Builder
	for i, cell := range file.Cells {
		if err := ctx.Err(); err != nil {
			return parse.Document{}, err
		}
		source := strings.TrimRight(string(cell.Source), "\n")
		if cell.Type == "code" {
			b.Block(parse.Code, file.Metadata.Language.Name, fence(source, file.Metadata.Language.Name))
		} else {
			sections, _ := outline.Markdown(source)
			b.Markdown(source, sections)
		}
		for _, out := range cell.Outputs {
			text := string(out.Text)
			if text == "" {
				text = string(out.Data["text/plain"])
			}
			if text == "" && out.Error != "" {
				text = out.Error + ": " + out.Value
			}
			b.Block(parse.Code, "output", fence(strings.TrimRight(text, "\n"), ""))
		}
		report.Tell(float64(i+1) / float64(len(file.Cells)))
	}
	out, err := b.Document()
	out.Charset, out.Warnings = d.Charset, d.Warnings
	return out, err
}

// fence wraps code in a fence longer than any run of backticks in it.
func fence(code, language string) string {
	if strings.TrimSpace(code) == "" {
		return ""
	}
	mark := "```"
	for strings.Contains(code, mark) {
		mark += "`"
	}
	return mark + language + "\n" + code + "\n" + mark
}
