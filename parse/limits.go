package parse

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"inlay/fault"
	"inlay/parse/zipfile"
)

// Limits bounds what one file may cost. A zero field means its default; each
// breach is an error of its own: fault.FileTooLarge for the file's own size,
// fault.Timeout for time, fault.LimitExceeded for what it expands to.
type Limits struct {
	File       int64 `json:"file"`       // bytes of a container (PDF, Office, EPUB, mail, RTF); default 50 MiB
	PlainText  int64 `json:"plain_text"` // bytes of plain text, Markdown, code, tables and data files; default 256 MiB
	HTML       int64 `json:"html"`       // bytes of HTML; default 8 MiB
	Tags       int   `json:"tags"`       // tags of HTML laid out as a tree; beyond, by lines; default 200,000
	Text       int   `json:"text"`       // bytes of text taken out of a container; default 16 MiB
	ZipEntries int   `json:"zip_entries"`
	ZipEntry   int64 `json:"zip_entry"` // expanded bytes of one file of a zip container; default 64 MiB
	ZipTotal   int64 `json:"zip_total"` // of all its files; default 256 MiB
	ZipRatio   int64 `json:"zip_ratio"` // expanded to stored bytes above 64 MiB; default 100
	Cells      int   `json:"cells"`     // cells of a workbook; default 2,000,000
	Span       int   `json:"span"`      // columns or rows one table cell may span; default 100
	Depth      int   `json:"depth"`     // nesting of HTML elements and attached mails; default 256
	MailParts  int   `json:"mail_parts"`

	Pages      int           `json:"pages"`      // default 5,000
	Stream     int64         `json:"stream"`     // expanded bytes of one PDF stream; default 64 MiB
	Operations int           `json:"operations"` // content operations of a PDF; default 20,000,000
	FormDepth  int           `json:"form_depth"` // nesting of PDF form objects; default 12
	Time       time.Duration `json:"time"`       // for each engine that reads a PDF; default 20 s

	// Of the process that reads one file, where there is one (inlay/parse/worker).
	Memory int64         `json:"memory"` // bytes of data; default 768 MiB
	CPU    time.Duration `json:"cpu"`    // processor time, whole seconds; default 30 s
	Wall   time.Duration `json:"wall"`   // time in all; default three times Time, at least 5 s

	// WholePages reads web pages whole, menus and footers included, instead of their
	// articles. It limits nothing, but goes wherever limits go and names parses as they do.
	WholePages bool `json:"whole_pages,omitempty"`
}

// Default limits, measured to pass every honest file of the sets named in
// docs/parsing.md.
const (
	defaultFile       = 50 << 20
	defaultPlainText  = 256 << 20
	defaultHTML       = 8 << 20
	defaultTags       = 200_000
	defaultText       = 16 << 20
	defaultZipEntries = 10_000
	defaultZipEntry   = 64 << 20
	defaultZipTotal   = 256 << 20
	defaultZipRatio   = 100
	defaultCells      = 2_000_000
	defaultSpan       = 100
	defaultDepth      = 256
	defaultMailParts  = 1_000
	defaultPages      = 5_000
	defaultStream     = 64 << 20
	defaultOperations = 20_000_000
	defaultFormDepth  = 12
	defaultTime       = 20 * time.Second
	defaultMemory     = 768 << 20
	defaultCPU        = 30 * time.Second
)

const leastWall = 5 * time.Second

// WithDefaults fills every zero field.
func (l Limits) WithDefaults() Limits {
	def(&l.File, defaultFile)
	def(&l.PlainText, defaultPlainText)
	def(&l.HTML, defaultHTML)
	def(&l.Tags, defaultTags)
	def(&l.Text, defaultText)
	def(&l.ZipEntries, defaultZipEntries)
	def(&l.ZipEntry, defaultZipEntry)
	def(&l.ZipTotal, defaultZipTotal)
	def(&l.ZipRatio, defaultZipRatio)
	def(&l.Cells, defaultCells)
	def(&l.Span, defaultSpan)
	def(&l.Depth, defaultDepth)
	def(&l.MailParts, defaultMailParts)
	def(&l.Pages, defaultPages)
	def(&l.Stream, defaultStream)
	def(&l.Operations, defaultOperations)
	def(&l.FormDepth, defaultFormDepth)
	def(&l.Time, defaultTime)
	def(&l.Memory, defaultMemory)
	def(&l.CPU, defaultCPU)
	def(&l.Wall, max(3*l.Time, leastWall)) // a process takes a while to say that Time was up
	return l
}

func def[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Fingerprint names the limits in force, for keys of what was parsed under them.
func (l Limits) Fingerprint() string {
	data, err := json.Marshal(l.WithDefaults())
	if err != nil {
		panic(err) // a struct of numbers always marshals
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// Zip returns the part of the limits that zip containers are held to.
func (l Limits) Zip() zipfile.Limits {
	l = l.WithDefaults()
	return zipfile.Limits{Entries: l.ZipEntries, Entry: l.ZipEntry, Total: l.ZipTotal, Ratio: l.ZipRatio}
}

// CheckSize refuses a file of more than limit bytes.
func CheckSize(f File, limit int64) error {
	if int64(len(f.Data)) <= limit {
		return nil
	}
	return tooLarge(f.Name, limit)
}

func tooLarge(name string, limit int64) error {
	return &fault.Error{
		Code: fault.FileTooLarge, Subject: name,
		Reason: fmt.Sprintf("it is larger than the limit of %s", size(limit)),
		Next:   "split it, or raise the limit",
	}
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
