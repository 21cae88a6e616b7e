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
	ZipRatio   int64 `json:"zip_ratio"` // expanded to stored bytes above 32 MiB; default 100
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
}

// Default limits, measured to pass every honest file of the sets named in
// docs/parsing.md.
const (
	DefaultFile       = 50 << 20
	DefaultPlainText  = 256 << 20
	DefaultHTML       = 8 << 20
	DefaultTags       = 200_000
	DefaultText       = 16 << 20
	DefaultZipEntries = 10_000
	DefaultZipEntry   = 64 << 20
	DefaultZipTotal   = 256 << 20
	DefaultZipRatio   = 100
	DefaultCells      = 2_000_000
	DefaultSpan       = 100
	DefaultDepth      = 256
	DefaultMailParts  = 1_000
	DefaultPages      = 5_000
	DefaultStream     = 64 << 20
	DefaultOperations = 20_000_000
	DefaultFormDepth  = 12
	DefaultTime       = 20 * time.Second
	DefaultMemory     = 768 << 20
	DefaultCPU        = 30 * time.Second
)

const leastWall = 5 * time.Second

// WithDefaults fills every zero field.
func (l Limits) WithDefaults() Limits {
	def(&l.File, DefaultFile)
	def(&l.PlainText, DefaultPlainText)
	def(&l.HTML, DefaultHTML)
	def(&l.Tags, DefaultTags)
	def(&l.Text, DefaultText)
	def(&l.ZipEntries, DefaultZipEntries)
	def(&l.ZipEntry, DefaultZipEntry)
	def(&l.ZipTotal, DefaultZipTotal)
	def(&l.ZipRatio, DefaultZipRatio)
	def(&l.Cells, DefaultCells)
	def(&l.Span, DefaultSpan)
	def(&l.Depth, DefaultDepth)
	def(&l.MailParts, DefaultMailParts)
	def(&l.Pages, DefaultPages)
	def(&l.Stream, DefaultStream)
	def(&l.Operations, DefaultOperations)
	def(&l.FormDepth, DefaultFormDepth)
	def(&l.Time, DefaultTime)
	def(&l.Memory, DefaultMemory)
	def(&l.CPU, DefaultCPU)
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

// Raise is the next step of a file that is over the limit of the given name:
// how to set it higher, to about the given value.
func Raise(name string, value any) string {
	return fmt.Sprintf("split the document, or raise the limit: --parse-limits %s=%v", name, value)
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
