package pdf

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"inlay/fault"
)

// OCRLibrary is the name under which tesseract appears in documents.
const OCRLibrary = "tesseract"

// Tesseract reads images with the program of that name, run for each page with
// the image on its standard input. The zero value looks for the program on the
// path and reads English.
type Tesseract struct {
	Program  string        // default "tesseract"
	Language string        // tesseract's names, joined by +: "eng+deu"; default "eng"
	PageTime time.Duration // for one page, drawing included; default 60 s
}

// Bounds of what is handed to tesseract and taken from it.
const (
	defaultPageTime = time.Minute
	maxRecognized   = 4 << 20 // bytes of one page's text
	installOCR      = "install it (Debian and Ubuntu: apt install tesseract-ocr, macOS: brew install tesseract)"
)

func (t Tesseract) withDefaults() Tesseract {
	t.Program = cmp.Or(t.Program, "tesseract")
	t.Language = cmp.Or(t.Language, "eng")
	t.PageTime = cmp.Or(t.PageTime, defaultPageTime)
	return t
}

// Check reports whether the program is there and knows the languages: nil, or
// fault.Usage that says how to get what is missing.
func (t Tesseract) Check(ctx context.Context) error {
	_, err := t.ready(ctx)
	return err
}

// ready is Check; turn says whether tesseract can find out how a page is turned.
func (t Tesseract) ready(ctx context.Context) (turn bool, err error) {
	t = t.withDefaults()
	known, err := t.languages(ctx)
	if err != nil {
		return false, err
	}
	for lang := range strings.SplitSeq(t.Language, "+") {
		if !slices.Contains(known, lang) {
			return false, &fault.Error{
				Code: fault.Usage, Subject: "OCR language " + strconv.Quote(lang),
				Reason: "tesseract has " + strings.Join(known, ", "),
				Next:   "install its data (Debian and Ubuntu: apt install tesseract-ocr-" + debianName(lang) + ")",
			}
		}
	}
	return slices.Contains(known, "osd"), nil
}

// debianName is how Debian's packages write a language: chi_sim is chi-sim.
func debianName(lang string) string {
	if !regexp.MustCompile(`^[A-Za-z_]+$`).MatchString(lang) {
		return "LANGUAGE"
	}
	return strings.ReplaceAll(strings.ToLower(lang), "_", "-")
}

// languages lists what tesseract has data for.
func (t Tesseract) languages(ctx context.Context) ([]string, error) {
	out, err := t.run(ctx, nil, "--list-langs")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &fault.Error{Code: fault.Usage, Subject: "OCR", Reason: "tesseract cannot be run", Next: installOCR, Err: err}
	}
	_, list, _ := strings.Cut(out, "\n")
	return strings.Fields(list), nil
}

// Recognize returns the text of an image of the given resolution, turned upright
// first if tesseract has the data for that. Errors are those of [Tesseract.Check],
// fault.Timeout after PageTime, and tesseract's own.
func (t Tesseract) Recognize(ctx context.Context, img *image.Gray, dpi int) (string, error) {
	t = t.withDefaults()
	turn, err := t.ready(ctx)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, t.PageTime)
	defer cancel()
	text, _, err := t.recognize(ctx, img, dpi, turn)
	return text, err
}

// recognize returns the text of an image of the given resolution and the boxes of
// its words, in dots from the image's lower left corner. With turn, it asks first
// how the page is turned, for which tesseract needs data of its own.
func (t Tesseract) recognize(ctx context.Context, img *image.Gray, dpi int, turn bool) (string, []boxed, error) {
	common := []string{"stdin", "stdout", "--dpi", strconv.Itoa(dpi)}
	turns, size := 0, img.Rect.Size()
	if turn {
		// With few characters it gives up: then the page is taken as upright.
		report, err := t.run(ctx, portable(img), append(common, "--psm", "0", "-c", "min_characters_to_try=10")...)
		if ctx.Err() != nil {
			return "", nil, err
		}
		turns = quarters(report)
		img = turned90(img, turns)
	}
	table, err := t.run(ctx, portable(img), append(common, "-l", t.Language, "--psm", "3", "tsv")...)
	text, words := recognized(table)
	for i := range words {
		words[i].box = words[i].box.turnedBack(turns, float64(size.X), float64(size.Y))
	}
	return text, words, err
}

// recognized reads tesseract's table of words: one a line, with its block,
// paragraph, line and place.
func recognized(table string) (text string, words []boxed) {
	var b strings.Builder
	last := []string{"", "", ""}
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) < 12 || f[0] != "5" || strings.TrimSpace(f[11]) == "" {
			continue
		}
		at := []string{f[2], f[3], f[4]} // block, paragraph, line
		switch {
		case b.Len() == 0:
		case !slices.Equal(at[:2], last[:2]):
			b.WriteString("\n\n")
		case at[2] != last[2]:
			b.WriteString("\n")
		default:
			b.WriteString(" ")
		}
		last = at
		b.WriteString(f[11])
		var place [4]float64 // left, top, width, height
		for i := range place {
			place[i], _ = strconv.ParseFloat(f[6+i], 64) // a wrong number is no place
		}
		words = append(words, boxed{text: tidy(f[11]), box: box{place[0], place[1], place[0] + place[2], place[1] + place[3]}})
	}
	return b.String(), words
}

// turnedBack undoes clockwise quarters of a turn of an image that was w wide and h
// high, and counts from its lower edge then.
func (b box) turnedBack(quarters int, w, h float64) box {
	for range quarters & 3 {
		// A dot at (x, y) was turned to (height-y, x).
		w, h = h, w
	}
	for range quarters & 3 {
		w, h = h, w
		b = box{b.y0, h - b.x1, b.y1, h - b.x0}
	}
	return box{b.x0, h - b.y1, b.x1, h - b.y0}
}

// leastSure is the confidence from which tesseract's word on how a page is
// turned is taken.
const leastSure = 1

// quarters reads from tesseract's report by how many quarters, clockwise, a
// page must be turned to be upright.
func quarters(report string) int {
	values := map[string]float64{}
	for line := range strings.Lines(report) {
		key, value, _ := strings.Cut(line, ":")
		if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			values[key] = v
		}
	}
	if values["Orientation confidence"] < leastSure {
		return 0
	}
	return int(values["Rotate"]) / 90
}

// turned90 turns an image clockwise by quarters of a turn.
func turned90(img *image.Gray, quarters int) *image.Gray {
	for range quarters & 3 {
		size := img.Rect.Size()
		out := image.NewGray(image.Rect(0, 0, size.Y, size.X))
		for y := range size.Y {
			for x, v := range img.Pix[y*img.Stride : y*img.Stride+size.X] {
				out.Pix[x*out.Stride+size.Y-1-y] = v
			}
		}
		img = out
	}
	return img
}

// run runs tesseract on one processor. When the context ends, it is killed.
func (t Tesseract) run(ctx context.Context, in io.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, t.Program, args...)
	cmd.Env = append(cmd.Environ(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin = in
	cmd.WaitDelay = time.Second
	var out bounded
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		// Its own words may quote the document.
		return "", errors.Join(ctx.Err(), fmt.Errorf("run tesseract: %w", err))
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD"), nil
}

// bounded keeps the first bytes written to it.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxRecognized {
		return 0, errBudget
	}
	return b.Buffer.Write(p)
}

// portable renders an image in the portable graymap format, which tesseract
// reads without a library for images.
func portable(img *image.Gray) io.Reader {
	size := img.Rect.Size()
	readers := []io.Reader{strings.NewReader(fmt.Sprintf("P5\n%d %d\n255\n", size.X, size.Y))}
	for y := range size.Y {
		readers = append(readers, bytes.NewReader(img.Pix[y*img.Stride:y*img.Stride+size.X]))
	}
	return io.MultiReader(readers...)
}
