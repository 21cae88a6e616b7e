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
		"find . -name \"*.go\" -exec gofmt -l {} +", "make -C firmware BOARD=nrf52840dk", "make -j4 all", "sh -c \"npm test\"",
		"pytest -k 'not slow' tests/", "kubectl get pods -n prod -o jsonpath='{.items[*].metadata.name}'",
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
	around := []string{
		"%", "% please", "$ %", "please run %", "Run %.", "can you run %?", "run % and tell me what fails",
		"Please run %, then fix it", "run %; then read main.go", "ok now do %", "run `%`",
	}
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

// TestRemarksAreNoCommands: a sentence that begins with a program's name is
// about it.
func TestRemarksAreNoCommands(t *testing.T) {
	remarks := `docker image size explodes lately
python version mismatch
git is confusing me
go modules are confusing
make it faster
make the login page responsive
make sure the tests pass
cargo build fails with linker error
npm install hangs forever
kubectl shows pods pending
terraform state got corrupted after the last apply
pytest collects no tests
docker compose up fails with port already allocated
git push rejected non-fast-forward
git merge conflicts again
node memory leak in production
find the bug
cat pictures please
curl returns 403 for the staging endpoint
test coverage dropped
go test fails in ci but works locally
helm upgrade broke staging
yarn workspaces vs pnpm
mvn clean install takes 20 minutes
gradle vs maven
buffer overflow --release only
java heap space error when exporting
echo chamber effect in recommender
top customers report is wrong
make me a sandwich
time zone bug in invoices
watch mode does not pick up changes
tree view component flickers
date picker shows wrong month
jest snapshot tests fail on windows
vite build output too large`
	for ask := range strings.Lines(remarks) {
		d, _, err := route.Heuristic{}.Decide(t.Context(), route.Input{Ask: strings.TrimSpace(ask), Tools: mode(t, "code").Tools})
		require.NoError(t, err)
		require.False(t, d.Tool != nil && d.Tool.Name == "execute_command", "%s: %+v", ask, d.Tool)
	}
}
