package route

import (
	"slices"
	"strings"

	"inlay/internal/lazy"
)

// programs that people name when they mean a command.
const programs = `Rscript|forge|cast|anvil|julia|ghc|cabal|stack|lake|nim|zig|gcc|g\+\+|clang\+\+|clang|gfortran|mpirun|perl|lua|octave|snakemake|nextflow|dbt|spark-submit|airflow|alembic|flask|django-admin|uvicorn|gunicorn|celery|pre-commit|ctest|meson|bazel|buck2?|nix|nix-build|just|hugo|jekyll|pandoc|latexmk|pdflatex|ffmpeg|jq|yq|openssl|nginx|pg_dump|pg_restore|createdb|mongosh|west|idf\.py|platformio|pio|arduino-cli|esptool\.py|openocd|gdb|valgrind|strace|perf|xcodebuild|xcrun|pod|fastlane|adb|expo|ng|nx|turbo|lerna|webpack|rollup|esbuild|wrangler|netlify|fly|flyctl|doctl|pulumi|cdk|sam|serverless|packer|consul|vault|nomad|argocd|istioctl|skaffold|tilt|kustomize|trivy|hadolint|shellcheck|shfmt|rubocop|rspec|phpunit|phpstan|pint|pest|cd|diff|stat|xargs|conda|mamba|hatch|pdm|rye|nvidia-smi|torchrun|accelerate|jupyter|godot|golangci-lint|staticcheck|protoc|sqlc|goose|nohup|` +
	`npm|npx|yarn|pnpm|node|go|make|cmake|ninja|git|gh|python3?|pip3?|pipx|poetry|uv|tox|nox|pytest|cargo|rustc|rustup|docker|docker-compose|podman|kubectl|helm|minikube|terraform|ansible|ansible-playbook|vagrant|mvn|\./mvnw|gradle|\./gradlew|\./\S+|` +
	`ls|cat|grep|rg|find|curl|wget|bash|sh|zsh|php|composer|artisan|bundle|rake|rails|ruby|gem|dotnet|java|javac|sbt|mix|elixir|swift|flutter|dart|tsc|eslint|prettier|jest|vitest|vite|playwright|cypress|deno|bun|golangci-lint|gofmt|ruff|mypy|black|flake8|isort|psql|mysql|sqlite3|redis-cli|aws|gcloud|az|heroku|vercel|brew|apt|apt-get|systemctl|journalctl|ssh|scp|rsync|tar|zip|unzip|` +
	`df|du|ps|top|uname|echo|pwd|which|chmod|chown|mkdir|touch|rm|cp|mv|head|tail|wc|sed|awk|sort|tree|env|kill|lsof|netstat|ping|whoami|hostname|date`

var (
	runVerb   = lazy.Regexp(`^(?:re-?run|run|execute|re-?start|start|launch|invoke|install|build|compile|deploy|kick off|fire up|spin up|bring up|boot|trigger|führe?|starte?|baue?|installiere?)\b|^mach\w* (?:mal )?(?:einen?|den|das|die) (?:build|deployment|release|test\w*)\b|\b(?:laufen lassen|ausführen|starten|bauen|installieren|neu ?starten)\W*$`)
	running   = lazy.Regexp(`\b(?:run|execute|kick off|fire up|invoke|try|use|call|do|type|laufen|ausführen|ausführst|lass\w*|führ\w*|starte?\w*)\b|\b(?:with|via|using|mit) _`)
	aside2    = lazy.Regexp(`^(?:run|start|launch|build)\s+(?:me |us )?(?:through|over|down|by|with|from|off|on|a marathon|up)\b`)
	alone     = lazy.Regexp(`^_(?:,?\s+(?:please|pls|for me|now|again|then|instead|first|bitte|nochmal|(?:should|would|will) (?:do|work|help)(?: it)?))*\W*$`)
	strictly  = lazy.Regexp(`^(?:re-?run|run|execute|re-?start|launch|trigger|kick off|führe?|starte|laufen lassen|ausführen|starten|neu ?starten)\W*$`)
	runsQuote = lazy.Regexp(`^(?:re-?run|run|execute|führe?|starte?) (?:the command |mal |bitte )*_`)
	remarks   = lazy.Regexp(`^(?:explain|describe|document|compare|translate|write|draft|mention|erklär\w*|the|my|our|i|ran|used|tried|did)\b|\b(?:` + changeVerbs + `)\b`)
	bareRun   = lazy.Regexp(`^(?:start|launch|boot)(?: up)? (?:the|my|our|it|that|this|all)(?: [\w-]+){0,2}\W*$|^(?:install|deploy|installiere?)(?: [\w@/.-]+){0,2}\W*$`)
	whole     = lazy.Regexp(`\b(?:the|my|our|this|that|these|those|it|them|all|both|die|das|den|dem|es|alle|unser\w*)\b`)
	tasks     = lazy.Regexp(`\b(?:tests?|test suite|linter|lint|build|server|migrations?|script|project|app|application|benchmarks?|formatter|containers?|image|docs|binary|dependencies|deps|tasks?|jobs?|packages|unit-?tests?|type ?check\w*|it|staging|production|environment|stack|services|cluster|emulator|projekt|anwendung|testsuite|skripte?|migrationen|abhängigkeiten)\b`)
	program   = lazy.Regexp(`^(?:[A-Z_]+=\S+ |sudo |time )*(?:` + programs + `)(?:\s|$)`)
)

// run proposes a command that the ask names. An ask to run something that it
// does not name gets a command without one, so that the host asks for it.
func run(a ask) (Decision, bool) {
	if !a.can("execute_command") || a.says(howTo) {
		return Decision{}, false
	}
	starts := a.says(runVerb) && !a.says(aside2)
	if command := a.command(starts); command != "" {
		return use("execute_command", map[string]any{"command": command}, "the ask names a command to run")
	}
	verb := runVerb().FindString(a.words)
	strict := strictly().MatchString(verb)
	if i := slices.IndexFunc(a.around, program().MatchString); starts && strict && i >= 0 {
		return use("execute_command", map[string]any{"command": a.around[i]}, "the ask names a command to run")
	}
	if starts && (a.says(tasks) || a.says(bareRun) || strict && a.says(whole)) {
		return use("execute_command", map[string]any{}, "the ask is to run something and does not say how")
	}
	return Decision{}, false
}

// command is the command that an ask names: all of it, a quote, or what follows
// the verb.
func (a ask) command(starts bool) string {
	if a.says(alone) && len(a.quoted) > 0 && program().MatchString(a.quoted[0]) {
		return a.quoted[0]
	}
	if line := typedLine(a.text); line != "" {
		return line
	}
	if a.asks() || !starts && !a.says(running) && a.says(remarks) {
		return ""
	}
	if starts || a.says(running) {
		for _, at := range commands(a.text) {
			return a.text[at[0]:at[1]]
		}
	}
	for _, q := range a.quoted {
		if program().MatchString(q) && (starts || a.says(running) || strings.Contains(q, " ")) || a.says(runsQuote) {
			return q
		}
	}
	return ""
}

// typedIn proposes the command line that the whole ask is.
func typedIn(a ask) (Decision, bool) {
	command := typedLine(a.text)
	if command == "" || !a.can("execute_command") {
		return Decision{}, false
	}
	return use("execute_command", map[string]any{"command": command}, "the ask is a command line")
}
