package secrets_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/secrets"
)

const (
	digit = "0123456789"
	hex   = digit + "abcdef"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower = "abcdefghijklmnopqrstuvwxyz"
	alnum = digit + upper + lower
	b64   = alnum + "+/"
	b64u  = alnum + "-_"
)

// maker writes random texts of a form.
type maker struct{ *rand.Rand }

func (m maker) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.IntN(len(alphabet))]
	}
	return string(b)
}

func (m maker) pick(of ...string) string { return of[m.IntN(len(of))] }

// card is a number with a right check digit.
func (m maker) card(prefix string, n int) string {
	s := prefix + m.of(digit, n-1-len(prefix))
	for d := range 10 {
		if sum := luhn(s + fmt.Sprint(d)); sum%10 == 0 {
			return s + fmt.Sprint(d)
		}
	}
	panic("no check digit")
}

func luhn(s string) (sum int) {
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return sum
}

func (m maker) iban(country string, digits int) string {
	body := m.of(digit, digits)
	for check := range 98 {
		s := body + fmt.Sprint(int(country[0]-'A')+10, int(country[1]-'A')+10)
		s = strings.ReplaceAll(s, " ", "") + fmt.Sprintf("%02d", check)
		n := 0
		for _, c := range s {
			n = (n*10 + int(c-'0')) % 97
		}
		if n == 1 {
			return fmt.Sprintf("%s%02d%s", country, check, body)
		}
	}
	panic("no check digits")
}

func spaced(s string, separator string) string {
	var out []string
	for len(s) > 4 {
		out, s = append(out, s[:4]), s[4:]
	}
	return strings.Join(append(out, s), separator)
}

// secret is a text and what of it must not be seen any more.
type secret struct{ form, text, hidden string }

func (m maker) secrets() []secret {
	bare := func(form, key string) secret {
		return secret{form, m.pick("Use %s for it.", "key: %s", "%s", "I put %s into the settings", "curl https://example.org/%s", `{"value":"%s"}`), key}
	}
	in := func(form, text, key string) secret { return secret{form, text, key} }
	password := m.of(alnum+"!@#%^*", 9) + m.of(digit, 1) + m.of("!*^", 1)
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJ" + m.of(b64u, 40) + "." + m.of(b64u, 43)
	pem := m.pick("RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY")
	body := m.of(b64, 64) + "\n" + m.of(b64, 64) + "\n" + m.of(b64, 20) + "=="
	visa := m.card("4", 16)
	return []secret{
		bare("AWS id", m.pick("AKIA", "ASIA")+m.of(upper+"234567", 16)),
		in("AWS secret", m.pick("aws_secret_access_key = %s", "AWS_SECRET_ACCESS_KEY=%s", `"SecretAccessKey": "%s"`, "export AWS_SECRET_ACCESS_KEY='%s'"), m.of(b64, 39)+"1"),
		bare("GitHub", m.pick("ghp_", "gho_", "ghu_", "ghs_", "ghr_")+m.of(alnum, 36)),
		bare("GitHub fine-grained", "github_pat_"+m.of(alnum, 22)+"_"+m.of(alnum, 59)),
		bare("GitLab", m.pick("glpat-", "glrt-", "gldt-", "glptt-")+m.of(alnum, 20)),
		bare("Slack", m.pick("xoxb-", "xoxp-")+m.of(digit, 12)+"-"+m.of(digit, 12)+"-"+m.of(alnum, 24)),
		in("Slack webhook", "https://hooks.slack.com/services/%s", "T"+m.of(upper+digit, 9)+"/B"+m.of(upper+digit, 9)+"/"+m.of(alnum, 24)),
		bare("Stripe", m.pick("sk_live_", "rk_live_", "sk_test_")+m.of(alnum, 24)),
		bare("Stripe webhook", "whsec_"+m.of(alnum, 32)),
		bare("OpenAI", m.pick("sk-", "sk-proj-", "sk-svcacct-")+m.of(alnum, 20)+"T3BlbkFJ"+m.of(b64u, 19)+"k"),
		bare("Anthropic", "sk-ant-api03-"+m.of(b64u, 91)+"QAA"),
		bare("Google", "AIza"+m.of(b64u, 34)+"Q"),
		bare("Google OAuth", "ya29."+m.of(b64u, 59)+"Q"),
		bare("JWT", jwt),
		in("PEM", "-----BEGIN "+pem+"-----\n%s\n-----END "+pem+"-----", body),
		in("PEM in JSON", `{"private_key": "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"}`, strings.ReplaceAll(body, "\n", `\n`)),
		in("PEM cut off", "-----BEGIN "+pem+"-----\n%s", m.of(b64, 64)),
		bare("npm", "npm_"+m.of(alnum, 36)),
		bare("SendGrid", "SG."+m.of(b64u, 21)+"a."+m.of(b64u, 42)+"a"),
		in("Azure storage", "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=%s;EndpointSuffix=core.windows.net", m.of(b64, 85)+"1=="),
		in("Azure SAS", "https://acme.blob.core.windows.net/c/f?sv=2024-01-01&sr=b&sig=%s&se=2026", m.of(alnum, 40)+"%3D"),
		in("database", m.pick("postgres://app:%s@db.internal:5432/app", "mysql://root:%s@127.0.0.1/x",
			"mongodb+srv://u:%s@cluster0.example.net/?w=1", "redis://:%s@cache:6379/0", "amqp://guest:%s@mq"), m.of(alnum, 14)),
		in("basic address", "git clone https://ada:%s@example.org/x.git", m.of(alnum, 12)),
		in("bearer", m.pick("Authorization: Bearer %s", "-H 'authorization: bearer %s'", "curl -H \"Authorization: Bearer %s\" https://x", "send it as Bearer %s in the header"), m.of(b64u, 32)+"a1"),
		in("basic header", m.pick("Authorization: Basic %s", "'basic %s'"), base64.StdEncoding.EncodeToString([]byte("ada:"+m.of(alnum, 9)))),
		in("named", m.pick("DB_PASSWORD=%s", "password: %s", `"password": "%s"`, "my password is %s", "spring.datasource.password=%s",
			"dbPassword := \"%s\"", "PGPASSWORD='%s'", "--password %s", "passwd = %s"), password),
		in("named key", m.pick("OPENAI_API_KEY=%s", "apiKey: '%s'", "The API key: %s", "client_secret = \"%s\"", "X-Api-Key: %s", "auth_token=%s",
			"SECRET_KEY = '%s'", "--api-key=%s", "clientSecret => '%s'"), m.of(alnum, 30)+"x1"),
		in("named hex", m.pick("API_TOKEN=%s", `"access_token":"%s"`, "secret: %s"), m.of(hex, 38)+"a1"),
		in("mail", m.pick("write to %s.", "<%s>", "mailto:%s", "%s wrote:"), m.of(lower, 6)+m.pick(".", "_", "+", "")+m.of(lower, 4)+"@"+m.of(lower, 6)+m.pick(".org", ".co.uk", ".example.com", ".de")),
		in("mail with umlauts", "an %s schreiben", m.pick("jörg", "søren", "zoë")+"@"+m.pick("müller.de", "example.org")),
		in("card", m.pick("card %s, thanks", "%s", "pay with %s exp 12/30"), m.pick(visa, m.card("55", 16), m.card("37", 15), m.card("6011", 16), m.card("36", 14))),
		in("card in groups", "card %s", m.pick(spaced(visa, " "), spaced(visa, "-"), spaced(m.card("52", 16), " "), spaced(visa, "\u00a0"))),
		in("IBAN", m.pick("IBAN %s", "transfer to %s now", "%s"), m.pick(m.iban("DE", 18), spaced(m.iban("DE", 18), " "), m.iban("AT", 16), spaced(m.iban("CH", 17), " "))),
	}
}

// innocent are texts that look like secrets and are none.
func (m maker) innocent() []secret {
	uuid := m.of(hex, 8) + "-" + m.of(hex, 4) + "-4" + m.of(hex, 3) + "-a" + m.of(hex, 3) + "-" + m.of(hex, 12)
	n := func(form, text string) secret { return secret{form: form, text: text} }
	wrong := m.card("4", 16)
	wrong = wrong[:15] + fmt.Sprint((int(wrong[15]-'0')+1+m.IntN(8))%10)
	return []secret{
		n("git SHA", m.pick("commit %s", "see %s", "checkout %s", "token ring at %s")+" "+m.of(hex, 40)),
		n("short SHA", "fixed in "+m.of(hex, 7)),
		n("UUID", m.pick("id: ", "request ", `"uuid": "`, "/users/")+uuid),
		n("ISBN", m.pick("ISBN ", "")+"978-3-"+m.of(digit, 2)+"-"+m.of(digit, 6)+"-"+m.of(digit, 1)),
		n("ISBN plain", "978"+m.of(digit, 10)),
		n("phone", m.pick("+49 30 "+m.of(digit, 8), "+1 (415) 555-"+m.of(digit, 4), "0049 "+m.of(digit, 3)+" "+m.of(digit, 7), "+44 20 7946 "+m.of(digit, 4))),
		n("order", m.pick("order no. ", "invoice ", "#")+"1"+m.of(digit, 15)),
		n("wrong card", "card "+wrong),
		n("time", fmt.Sprint("at ", 1_700_000_000_000+m.IntN(1e11))),
		n("IMEI", "IMEI "+m.card("35", 15)),
		n("fraction", "0."+m.of("45", 1)+m.of(digit, 15)),
		n("image", "![x](data:image/png;base64,iVBORw0KGgo"+m.of(b64, 200)+")"),
		n("integrity", `"integrity": "sha512-`+m.of(b64, 86)+`=="`),
		n("go.sum", "github.com/x/y v1.2.3 h1:"+m.of(b64, 43)+"="),
		n("digest", m.pick("sha256:", "digest: sha256:", "md5 ")+m.of(hex, 64)),
		n("icon", m.pick("icon@2x.png", "logo@3x.webp", "see ![](a@2x.jpg)")),
		n("package", m.pick("lodash@4.17.21", "npm i react@19.0.0-rc.beta", "@types/node@20.1.0", "git@github.com:x/y.git")),
		n("tokens", m.pick("max_tokens: 4096000000", "total_tokens=123456789", "prompt tokens: 12345678", "token_count = 99999999", "the token limit is 128000000")),
		n("code", m.pick("password := os.Getenv(\"DB_PASSWORD\")", "token = parser.nextToken()", "const apiKey = process.env.API_KEY_2",
			"secret: getSecret(name1)", "password = input.password2.value", "key = hashlib.sha256(data).hexdigest()",
			"token := strings.Fields(line)[0]", "self.token = self.next_token2()", "api_key=${API_KEY}", "password: {{ .Values.password1 }}",
			"token: ${{ secrets.GITHUB_TOKEN }}", "PASSWORD=<your-password-1>", "password=********")),
		n("types", m.pick("password: string;", "token?: Promise<string>", "secret: boolean", "apiKey: required", "passwordHash: varchar255", "private String password;", "access_token: Optional[str]")),
		n("prose", m.pick("The password is incorrect.", "A token is required2 to begin.", "the secret: patience",
			"password policy: minimum twelve letters", "Secretary: Johanna88", "authorization is handled upstream", "key: ArrowLeft",
			"Password: must have 8 characters", "basic authentication", "a bearer of good-news-in-2024", "primary key is customer_id2",
			"API key rotation: quarterly2025")),
		n("files", m.pick("password_file: /run/secrets/db1", "token_url: https://example.org/oauth2/token", "secretName: my-tls-secret-1",
			"ssh_key_path = ~/.ssh/id_ed25519", "secret: /etc/ssl/key1.pem", "api_key_header: X-API-Key2")),
		n("addresses", m.pick("http://localhost:8080/path@2x", "https://example.org:8443/a@b/c", "ws://host:9000/?u=@me", "see https://en.wikipedia.org/wiki/ISO_8601", "file:///home/ada/x@y")),
		n("classes", m.pick("sk-circle-fade-dot sk-cube-grid", "pk_user_account_settings_overview", "risk-management-framework", "mask-image-linear-gradient", "desk_drawer_number_twentyfour")),
		n("public key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA"+m.of(b64, 43)+" laptop"),
		n("certificate", "-----BEGIN CERTIFICATE-----\n"+m.of(b64, 64)+"\n-----END CERTIFICATE-----"),
		n("versions", m.pick("v4.1.1-20240102150405-0123456789ab", "2024-01-02T15:04:05.123456789Z", "4.1.1.1.1.1.1.1.1.1.1.1.1", "10.0.0.1:4111")),
		n("matrix", "4111 22 33 4444 55555 6 777 8 9"),
		n("handles", m.pick("@ada and @bob", "a@b", "x @ y", "f(a@b)", "@Override", "@media (min-width: 20em)")),
	}
}

// TestPrecisionAndRecall counts over many texts of each form, whose letters and
// digits are drawn again for each.
func TestPrecisionAndRecall(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(1, 2))}
	missed, wrong := map[string]int{}, map[string]int{}
	found, texts, clean := 0, 0, 0
	const each = 200
	for range each {
		for _, s := range m.secrets() {
			texts++
			out := secrets.Redact(strings.Replace(s.text, "%s", s.hidden, 1))
			if !leaks(out, s.hidden) {
				found++
				continue
			}
			if missed[s.form]++; missed[s.form] == 1 {
				t.Logf("missed: %s: %.200s -> %.200s", s.form, strings.Replace(s.text, "%s", s.hidden, 1), out)
			}
		}
		for _, s := range m.innocent() {
			if out := secrets.Redact(s.text); out == s.text {
				clean++
			} else if wrong[s.form]++; wrong[s.form] == 1 {
				t.Logf("wrong: %s: %.200s -> %.200s", s.form, s.text, out)
			}
		}
	}
	bad := each*len(m.innocent()) - clean
	recall, precision := float64(found)/float64(texts), float64(found)/float64(found+bad)
	t.Logf("%d texts with a secret in %d forms, %d without in %d forms: recall %.4f, precision %.4f", texts, len(m.secrets()), clean+bad, len(m.innocent()), recall, precision)
	t.Log("missed", missed, "wrong", wrong)
	require.GreaterOrEqual(t, recall, .99)
	require.GreaterOrEqual(t, precision, .99)
}

// leaks reports whether a long piece of a secret is still there.
func leaks(out, hidden string) bool {
	for i := 0; i+10 <= len(hidden); i++ {
		if strings.Contains(out, hidden[i:i+10]) {
			return true
		}
	}
	return false
}

// TestRedactedStays: what is redacted comes out as it went in.
func TestRedactedStays(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(3, 4))}
	for _, s := range m.secrets() {
		once := secrets.Redact(strings.Replace(s.text, "%s", s.hidden, 1))
		require.Equal(t, once, secrets.Redact(once), s.form)
		require.Equal(t, strings.Replace(s.text, "%s", s.hidden, 1), secrets.Redact(strings.Replace(s.text, "%s", s.hidden, 1), secrets.Kinds()...))
	}
}

// BenchmarkRedact reads source code, in which names of secrets are frequent.
func BenchmarkRedact(b *testing.B) {
	data, err := os.ReadFile("secrets_test.go")
	require.NoError(b, err)
	for name, text := range map[string]string{"code": string(data), "prose": strings.Repeat("All work and no play makes Jack a dull boy, and he said so in 1922. ", 200)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				secrets.Redact(text)
			}
		})
	}
}

// FuzzRedact: what is redacted stays as it is, and only what is a secret's is
// taken out: the text without its digits and letters is found around the marks.
func FuzzRedact(f *testing.F) {
	m := maker{rand.New(rand.NewPCG(5, 6))}
	for _, s := range append(m.secrets(), m.innocent()...) {
		f.Add(strings.Replace(s.text, "%s", s.hidden, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := secrets.Redact(text)
		require.Equal(t, text, secrets.Redact(text, secrets.Kinds()...))
		from := 0
		for i, piece := range regexp.MustCompile(`\[redacted:(?:key|iban|card|mail)\]`).Split(out, -1) {
			n := strings.Index(text[from:], piece)
			require.GreaterOrEqual(t, n, 0, "what stands between secrets is there still: %d %q", i, piece)
			from += n + len(piece)
		}
	})
}
