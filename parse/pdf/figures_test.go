package pdf_test

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/refdata"
	"inlay/parse"
	"inlay/parse/pdf"
)

var (
	figures = flag.Bool("figures", false, "measure against pdftotext over all reference PDFs")
	each    = flag.Bool("each", false, "with -figures: a line for each file")
	command = flag.String("command", "", "with -figures: the inlay command, to measure what it and its workers cost")
)

// figure is what was measured on one file.
type figure struct {
	name               string
	words              int
	f1, order          float64       // without the bars of tables
	marked             float64       // F1 with them
	ours, theirs, fast time.Duration // CPU; fast: the own text layer alone
	whole              time.Duration // CPU of the command with its worker
	pages, theirPages  int
	code               fault.Code
	libraries          map[string]int
	ourWords           int
}

// TestFigures prints how the parser does against poppler's pdftotext in the
// same run: go test -run TestFigures ./parse/pdf -figures -v
func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("run with -figures")
	}
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed: scripts/install-poppler")
	}
	p := parser(t)
	require.NoError(t, p.Second.Prepare())
	var all []figure
	for _, path := range documents(t) {
		if strings.Contains(path, "hostile") { // TestHostile's matter
			continue
		}
		f := measure(t, p, tool, path)
		all = append(all, f)
		if *each {
			t.Logf("%-90s words %6d ours %6d F1 %.3f with bars %.3f order %.3f %s %v", f.name, f.words, f.ourWords, f.f1, f.marked, f.order, f.code, f.libraries)
		}
	}
	t.Log(summary(all))
}

// documents lists the reference PDFs.
func documents(t *testing.T) []string {
	t.Helper()
	root, err := filepath.EvalSymlinks(refdata.Path(t, "documents"))
	require.NoError(t, err)
	var out []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.EqualFold(filepath.Ext(path), ".pdf") {
			out = append(out, path)
		}
		return err
	}))
	sort.Strings(out)
	return out
}

func measure(t *testing.T, p pdf.Parser, tool, path string) figure {
	t.Helper()
	f := figure{name: filepath.Base(path), libraries: map[string]int{}}
	var reference string
	reference, f.theirs = used(tool, path, "-")
	f.theirPages = strings.Count(reference, "\f")
	if *command != "" {
		_, f.whole = used(*command, "parse", path)
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	before := cpu()
	_, _ = pdf.Parser{}.Parse(context.Background(), parse.File{Name: f.name, Data: data}, nil) // its outcome is judged below
	f.fast = cpu() - before
	before = cpu()
	doc, err := p.Parse(context.Background(), parse.File{Name: f.name, Data: data}, nil)
	f.ours = cpu() - before
	f.code = fault.CodeOf(err)
	f.pages = doc.Coverage.Pages
	for _, s := range doc.Sections {
		if s.Kind == parse.Page {
			f.libraries[cmp.Or(s.Library, doc.Library)]++
		}
	}
	want, got := words(reference), words(doc.Text)
	f.marked = wordF1(want, got)
	got = withoutMarkup(got)
	f.words, f.ourWords = len(want), len(got)
	f.f1 = wordF1(want, got)
	f.order = sameOrder(words(reference), got)
	return f
}

// words splits a text. Characters that only steer the order of writing, which
// poppler adds to text from right to left, are no part of words.
func words(s string) []string {
	return strings.Fields(strings.Map(func(r rune) rune {
		if r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069' || r == '\u200E' || r == '\u200F' {
			return -1
		}
		return r
	}, s))
}

// withoutMarkup drops the bars and dashes of Markdown tables.
func withoutMarkup(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "|" || w == "---" })
}

// parser is the parser that is measured.
func parser(t *testing.T) pdf.Parser {
	t.Helper()
	dir, err := os.UserCacheDir()
	require.NoError(t, err)
	// As in the worker, whose process is what ends PDFium there.
	second := &pdf.PDFium{CacheDir: filepath.Join(dir, "inlay", "wasm"), Unstoppable: true}
	t.Cleanup(func() { require.NoError(t, second.Close()) })
	return pdf.Parser{Second: second}
}

// used runs a program and returns what it wrote and the CPU time of it and of
// the processes it started.
func used(program string, args ...string) (string, time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = cmd.Run() // a file it cannot read has no text
	if cmd.ProcessState == nil {
		return "", 0
	}
	return out.String(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// cpu is the CPU time this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// wordF1 is the harmonic mean of precision and recall of words as multisets.
func wordF1(want, got []string) float64 {
	count := map[string]int{}
	for _, w := range want {
		count[w]++
	}
	common := 0
	for _, w := range got {
		if count[w] > 0 {
			count[w]--
			common++
		}
	}
	if len(want)+len(got) == 0 {
		return 1
	}
	return 2 * float64(common) / float64(len(want)+len(got))
}

// sameOrder is the share of the words that are once in both texts which are
// in the same order: the longest increasing run of positions.
func sameOrder(want, got []string) float64 {
	once := func(words []string) map[string]int {
		at := map[string]int{}
		for i, w := range words {
			if _, twice := at[w]; twice {
				at[w] = -1
				continue
			}
			at[w] = i
		}
		return at
	}
	place := once(want)
	mine := once(got)
	var positions []int
	for i, w := range got {
		if p, ok := place[w]; ok && p >= 0 && mine[w] == i {
			positions = append(positions, p)
		}
	}
	if len(positions) == 0 {
		return 1
	}
	var tails []int
	for _, p := range positions {
		i := sort.SearchInts(tails, p)
		if i == len(tails) {
			tails = append(tails, p)
			continue
		}
		tails[i] = p
	}
	return float64(len(tails)) / float64(len(positions))
}

// summary renders the figures of all files.
func summary(all []figure) string {
	var b strings.Builder
	var f1, order, marked float64
	var judged, silent, pages, theirPages int
	var ours, theirs, fast, whole time.Duration
	codes, libraries := map[fault.Code]int{}, map[string]int{}
	for _, f := range all {
		codes[f.code]++
		pages += f.pages
		theirPages += f.theirPages
		ours += f.ours
		theirs += f.theirs
		fast += f.fast
		whole += f.whole
		for l, n := range f.libraries {
			libraries[l] += n
		}
		if f.words < 20 {
			continue
		}
		judged++
		f1 += f.f1
		order += f.order
		marked += f.marked
		if f.code == "" && f.ourWords == 0 {
			silent++
		}
	}
	n := float64(max(judged, 1))
	fmt.Fprintf(&b, "\nfiles %d, with 20 words or more %d\n", len(all), judged)
	fmt.Fprintf(&b, "word F1 %.4f, leaving out the bars and dashes of Markdown tables, which are no words (%.4f with them)\n", f1/n, marked/n)
	fmt.Fprintf(&b, "order %.4f against pdftotext; silently empty %d\n", order/n, silent)
	rate := float64(pages) / ours.Seconds()
	their := float64(theirPages) / theirs.Seconds()
	quick := float64(pages) / fast.Seconds()
	fmt.Fprintf(&b, "pages per CPU second: own text layer alone %.0f, with the second engine %.0f, pdftotext %.0f; ratios %.2f and %.2f\n", quick, rate, their, quick/their, rate/their)
	if whole > 0 {
		fmt.Fprintf(&b, "the command, which starts a worker for each file: %.0f pages per CPU second, ratio %.2f\n", float64(pages)/whole.Seconds(), float64(pages)/whole.Seconds()/their)
	}
	fmt.Fprintf(&b, "outcomes %v, pages by library %v\n", codes, libraries)
	return b.String()
}
