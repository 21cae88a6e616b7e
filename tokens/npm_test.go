package tokens

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
)

// npm is where npm's tiktoken is installed: with it, golden ids are made and
// all texts compared (make verify-tokens).
var npm = flag.String("npm", "", "folder with node_modules/tiktoken, to compare with")

// digest is what scripts/tokens/npm-ids.mjs says of a text's ids.
type digest struct {
	N      int    `json:"n"`
	SHA256 string `json:"sha256"`
}

func digestOf(ids []int) digest {
	h := sha256.New()
	for _, id := range ids {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(id)))
	}
	return digest{len(ids), hex.EncodeToString(h.Sum(nil))}
}

// askNpm gives texts to a script of scripts/tokens and returns what it says of
// each: npm-ids.mjs a digest, or the ids with --ids; ratios.mjs a number.
func askNpm[T any](t *testing.T, script string, texts []string, args ...string) []map[string]T {
	t.Helper()
	all, err := runNpm[T](t, script, texts, args...)
	require.NoError(t, err)
	return all
}

func runNpm[T any](t *testing.T, script string, texts []string, args ...string) (all []map[string]T, err error) {
	t.Helper()
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	for _, text := range texts {
		require.NoError(t, e.Encode(text))
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"../scripts/tokens/" + script, *npm}, args...)...)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(out) {
		var one map[string]T
		require.NoError(t, json.Unmarshal(line, &one))
		all = append(all, one)
	}
	require.Len(t, all, len(texts))
	return all, nil
}

func allEncodings(t *testing.T) map[string]*Encoding {
	t.Helper()
	all := map[string]*Encoding{}
	for _, name := range Encodings() {
		e, err := NewEncoding(name)
		require.NoError(t, err)
		all[name] = e
	}
	return all
}

// golden is a file of texts and their ids by npm's tiktoken.
type golden struct {
	Text string           `json:"text"`
	IDs  map[string][]int `json:"ids"`
}

func awkward() []string {
	return []string{
		"", " ", "  ", "a", "\x00", "a\x00b", "\n", "\r\n\r\n", " \n ", "\n \n", "a  b", "a   \n   b", "\t\tx", "x \t\n", "  x", " \u00a0x", "\u00a0\u00a0x", "\u3000中", "\u2028\u2029", "\u0085x",
		"don't", "DON'T", "Don'T", "we'Re", "we'lL", "it'ſ", "IT'ſ", "'ſ", "x'd've", "''s", " 's", "'s's", "l'été", "rock'n'roll", "can't've", "'", "''''", "I'",
		"<|endoftext|>", "<|im_start|>user\nhi<|im_end|>", "<|fim_prefix|>", "<|endofprompt|>", "<|start_header_id|>", "[INST] <s> </s>", "<|endoftext|", "<<|endoftext|>>",
		"1234567890", "12 345 678,90", "٣٤٥٦", "½⅓", "Ⅷ", "1a2b3c", "3.14159", "2026-11-21T06:46:54Z", "0x1F", "1e-9",
		"fooBar", "FooBarBAZ", "HTTPServer", "getURLs", "ǅabc", "ABCǅ", "ªº", "ʰʷ", "Éa", "ÉA", "éÉ", "ÀÉÎa", "CamelCase's", "ALLCAPS's", "aB'Sc",
		"e\u0301", "\u0301e", "a\u0301\u0302b", "A\u0301B", "\u0301", " \u0301a", "!\u0301a", "1\u0301", "\n\u0301", "क्षेत्र", "ภาษาไทย", "தமிழ்", "한국어 텍스트", "עִבְרִית", "العَرَبِيَّة",
		"中文，你好。", "日本語のテキスト、です。", "中文English混合123", "「引用」", "ｆｕｌｌ　ｗｉｄｔｈ", "𠮷野家", "㍿", "々〆",
		"😀😁", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "❤️", "a😀b", "👍🏽", "\ufe0f", "\u200d", "\ufeffBOM", "\ufffd\ufffd", "\U0010ffff", "\ue000", "\U000e0001",
		"https://example.com/a?b=c&d=e#f", "/usr/local/bin", "a/b/c//d", ")/\n/x", "!\n/\n", "//\r\n//", "/", "C:\\Users\\x", "user@host:~$ ls -la | grep x", "a=b;c=d", "{\"k\":[1,2,{}]}", "<p class=\"x\">y</p>", "if (x) {\n\treturn;\n}\n",
		"    indented", "\tindented", "line  \n\n\nnext", "trailing   ", "\n\n\n   ", "   \n\n\n", "a \n", " \r", "\r \n",
		"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", "pneumonoultramicroscopicsilicovolcanoconiosis", "QmFzZTY0IHRleHQgd2l0aG91dCBzZW5zZQ==", "deadbeefcafebabe0123456789abcdef",
		strings.Repeat("a", 300), strings.Repeat(" ", 300), strings.Repeat("=", 300), strings.Repeat("😀", 100), strings.Repeat("中", 200), strings.Repeat("\n", 200), strings.Repeat(" \n", 100), strings.Repeat("ab", 200), strings.Repeat("Aa", 200), strings.Repeat("7", 200), strings.Repeat("\u0301", 100), strings.Repeat("'s", 100), strings.Repeat("/\n", 100), strings.Repeat("\x00", 100), strings.Repeat("a", 6000), strings.Repeat("the", 2000),
	}
}

func TestGoldenIDs(t *testing.T) {
	const file = "testdata/npm-ids.json"
	if *update && *npm != "" {
		var all []golden
		for i, ids := range askNpm[[]int](t, "npm-ids.mjs", awkward(), "--ids") {
			all = append(all, golden{awkward()[i], ids})
		}
		writeLines(t, file, all)
	}
	var all []golden
	readJSON(t, file, &all)
	require.Len(t, all, len(awkward()), "run go test ./tokens -run Golden -update -npm DIR, see scripts/tokens/npm-ids.mjs")
	encodings := allEncodings(t)
	for _, g := range all {
		for name, ids := range g.IDs {
			require.Equal(t, ids, encodings[name].Encode(g.Text), "%s %q", name, g.Text)
		}
	}
}

// contexts are the places in which a code point is tried; %s stands for it.
func contexts() []string {
	return []string{"%s", "a%s", "%sa", "a%sa", "A%sa", "a%sA", " %s", "%s ", "1%s1", "!%s", "'%s"}
}

// inContext writes code points in a context, one a line.
func inContext(context string, points []rune) string {
	var b strings.Builder
	for _, r := range points {
		b.WriteString(strings.Replace(context, "%s", string(r), 1))
		b.WriteByte('\n')
	}
	return b.String()
}

// newer returns the code points whose class in Unicode 16 is not the one that
// this Go release's tables give.
func newer() (points []rune) {
	table := newClassTable(unicode16)
	for r := range unicode.MaxRune + 1 {
		if !utf8.ValidRune(r) {
			continue
		}
		if table.of(r) != classByGo(r) {
			points = append(points, r)
		}
	}
	return points
}

func classByGo(r rune) class {
	switch {
	case r == '\n', r == '\r':
		return newline
	case unicode.Is(unicode.White_Space, r):
		return space
	case unicode.Is(unicode.N, r):
		return number
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.Is(unicode.L, r):
		return caseless
	case unicode.Is(unicode.M, r):
		return mark
	}
	return other
}

// unicodeGolden says how npm's tiktoken encodes the code points that Unicode
// 16 classes otherwise than 15, in every context.
type unicodeGolden struct {
	Context string            `json:"context"`
	Points  string            `json:"points,omitempty"` // in the first one, for all
	Digests map[string]digest `json:"digests"`
}

// Unicode 16 is what the reference splits by, whatever Go's tables are.
func TestUnicode16(t *testing.T) {
	const file = "testdata/npm-unicode.json"
	if *update && *npm != "" {
		var all []unicodeGolden
		var texts []string
		for _, c := range contexts() {
			texts = append(texts, inContext(c, newer()))
			all = append(all, unicodeGolden{Context: c})
		}
		all[0].Points = string(newer())
		for i, d := range askNpm[digest](t, "npm-ids.mjs", texts) {
			all[i].Digests = d
		}
		writeLines(t, file, all)
	}
	var all []unicodeGolden
	readJSON(t, file, &all)
	require.Len(t, all, len(contexts()))
	encodings := allEncodings(t)
	for _, g := range all {
		for name, want := range g.Digests {
			require.Equal(t, want, digestOf(encodings[name].Encode(inContext(g.Context, []rune(all[0].Points)))), "%s %s", name, g.Context)
		}
	}
	if unicode.Version == "15.0.0" {
		require.Equal(t, string(newer()), all[0].Points)
	}
}

// TestEqualToNpm compares with npm's tiktoken on every text of the reference
// data and on every code point in every context.
func TestEqualToNpm(t *testing.T) {
	if *npm == "" {
		t.Skip("runs npm's tiktoken for minutes; run make verify-tokens")
	}
	for name, texts := range map[string]func(*testing.T) []string{"reference": referenceTexts, "code points": everyPoint} {
		t.Run(name, func(t *testing.T) {
			v := verification{encodings: allEncodings(t)}
			for batch := range slices.Chunk(texts(t), 64) {
				v.compare(t, batch)
			}
			t.Logf("%d texts, %d bytes: ids equal to npm's tiktoken in %d encodings; npm's crashed on %d texts", v.texts, v.bytes, len(v.encodings), v.crashed)
		})
	}
}

type verification struct {
	encodings             map[string]*Encoding
	texts, bytes, crashed int
}

// compare splits a batch on which npm's tiktoken crashes, for it takes the whole process along.
func (v *verification) compare(t *testing.T, batch []string) {
	t.Helper()
	digests, err := runNpm[digest](t, "npm-ids.mjs", batch)
	switch {
	case err == nil:
		for i, d := range digests {
			for name, want := range d {
				require.Equal(t, want, digestOf(v.encodings[name].Encode(batch[i])), "%s, text of %d bytes", name, len(batch[i]))
			}
			v.texts++
			v.bytes += len(batch[i])
		}
	case len(batch) == 1:
		t.Logf("npm's tiktoken crashed on a text of %d bytes", len(batch[0]))
		v.crashed++
	default:
		v.compare(t, batch[:len(batch)/2])
		v.compare(t, batch[len(batch)/2:])
	}
}

func everyPoint(*testing.T) (texts []string) {
	var points []rune
	for r := range unicode.MaxRune + 1 {
		if utf8.ValidRune(r) {
			points = append(points, r)
		}
	}
	for part := range slices.Chunk(points, 8192) {
		for _, c := range contexts() {
			texts = append(texts, inContext(c, part))
		}
	}
	return texts
}

// referenceTexts returns every file of the reference data that is UTF-8 text.
func referenceTexts(t *testing.T) (texts []string) {
	t.Helper()
	err := filepath.WalkDir(refdata.Path(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && utf8.Valid(data) {
			texts = append(texts, string(data))
		}
		return err
	})
	require.NoError(t, err)
	return texts
}

func writeLines[T any](t *testing.T, file string, all []T) {
	t.Helper()
	var b bytes.Buffer
	for i, x := range all {
		line, err := json.Marshal(x)
		require.NoError(t, err)
		b.WriteString(map[bool]string{true: "[\n", false: ",\n"}[i == 0])
		b.Write(line)
	}
	b.WriteString("\n]\n")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, v))
}
