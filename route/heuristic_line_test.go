package route_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/route"
)

// lines are commands with what sentences have too: dots, colons, commas, quotes.
func lines() []string {
	return []string{
		"go test ./...", "go test ./internal/... -race -count=1", "go vet ./cmd/... ./internal/...", "go test -run 'TestA|TestB' ./...",
		"go build -o out ./cmd/server", "git add .", "git add -A; git commit -m 'first, then the rest'", "git commit -m \"fix the thing. And more, please\"",
		"git log --format=%h,%s -n 3", "git diff main..", "git diff HEAD~1..HEAD -- src/", "git checkout -- .", "ls ..", "ls -la ./src/*.go",
		"docker run --rm -v .:/app -w /app node:20 npm test", "docker compose -f a.yml -f b.yml up -d", "mix test test/accounts_test.exs:88",
		"bundle exec rspec spec/models/order_spec.rb:42", "./gradlew :app:assembleDebug", "bin/rails routes -c orders", "forge test -vvv --match-test testWithdraw",
		"Rscript analysis/deseq.R counts.tsv", "julia --project=. test/runtests.jl", "npm run build && npm run e2e", "npm ci && npm test -- --watch=false || true",
		"cat a.log | grep -v ' the ' | sort -u > out.txt", "curl -s http://localhost:3000/health?x=1", "git clone https://example.com/a/b.git", "find . -name '*.tmp' -delete",
		"find . -name \"*.go\" -exec gofmt -l {} +", "make -C firmware BOARD=nrf52840dk", "make -j4 all", "sh -c \"npm test\"", "pytest -k 'not slow' tests/", "kubectl get pods -n prod -o jsonpath='{.items[*].metadata.name}'",
		"FOO=bar npm start", "rsync -av dist/ user@host:/srv/www/", "psql -c 'select 1; select 2'", "terraform plan -var-file=prod.tfvars", "sed -i 's/a, b/c; d/' x.txt",
		"zola build --drafts", "cargo test --package wal -- --nocapture", "python -m pytest tests/unit -x", "php artisan migrate:status", "time make bench", "cd web && npm run lint:fix",
		"tar -czf out.tar.gz --exclude=.git .", "scp build.zip host:", "mv old new", "npx prisma migrate dev", "kubectl rollout restart deploy api", "echo \"a and b. c\" >> notes.txt",
	}
}

// TestCommandsAreWhole holds every command that is proposed to the one that the
// ask has, however the sentence around it goes on: a command that is cut does
// something else.
func TestCommandsAreWhole(t *testing.T) {
	missed := 0
	around := []string{"%", "% please", "$ %", "please run %", "Run %.", "can you run %?", "run % and tell me what fails", "Please run %, then fix it", "run %; then read main.go", "ok now do %", "run `%`"}
	for _, line := range lines() {
		for _, sentence := range around {
			if sentence == "Run %." && strings.ContainsAny(line[len(line)-1:], "./+:") {
				continue // the dot may be the command's
			}
			ask := strings.Replace(sentence, "%", line, 1)
			d, _, err := route.Heuristic{}.Decide(t.Context(), route.Input{Ask: ask, Tools: mode(t, "code").Tools})
			require.NoError(t, err)
			out := d.Tool
			if out == nil || out.Name != "execute_command" || out.Params["command"] == nil {
				missed++ // not at all, then
				t.Logf("not proposed: %s", ask)
				continue
			}
			if line != out.Params["command"] {
				t.Errorf("%s: %v", ask, out.Params["command"])
			}
		}
	}
	require.LessOrEqual(t, missed, 10)
}
