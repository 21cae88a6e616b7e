package plain

import "inlay/internal/lazy"

// languages lists the languages whose declarations are found by their first line.
func languages() []language {
	list := []language{
		{name: "go", decl: lazy.Regexp(`^(?:func|type|var|const)\s+(?:\([^)]*\)\s*)?(\w*)`)},
		{name: "python", decl: lazy.Regexp(`^(?:async\s+)?(?:def|class)\s+(\w+)`)},
		{name: "javascript", decl: lazy.Regexp(`^(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|namespace|const|let|var)\s+(\w+)`)},
		{name: "java", decl: lazy.Regexp(`^(?:(?:public|private|protected|internal|static|final|abstract|sealed|data|open|partial|async)\s+)*(?:class|interface|enum|record|struct|object|fun|namespace|trait|@interface)\s+(\w+)`)},
		{name: "rust", decl: lazy.Regexp(`^(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+|async\s+|const\s+|extern\s+"C"\s+)*(?:fn|struct|enum|trait|impl(?:<[^>]*>)?|mod|macro_rules!|type|static|union)\s+(\w+)`)},
		{name: "c", decl: lazy.Regexp(`^(?:(?:typedef\s+)?(?:struct|enum|union|class|namespace|template)\b\s*(\w*)|(?:[A-Za-z_][\w:<>,*&\s]*?[\s*&])([A-Za-z_][\w:~]*)\s*\([^;]*$)`)},
		{name: "ruby", decl: lazy.Regexp(`^(?:def|class|module)\s+([\w.:?!]+)`)},
		{name: "php", decl: lazy.Regexp(`^(?:(?:abstract|final|public|private|protected|static)\s+)*(?:function|class|interface|trait|enum|namespace)\s+([\w\\]+)`)},
		{name: "shell", decl: lazy.Regexp(`^(?:function\s+)?([\w-]+)\s*\(\)\s*\{?`)},
		{name: "sql", decl: lazy.Regexp(`(?i)^(?:create|alter|insert\s+into|drop)\s+(?:or\s+replace\s+)?(?:\w+\s+)*?(?:if\s+not\s+exists\s+)?([\w."]+)`)},
		{name: "lua", decl: lazy.Regexp(`^(?:local\s+)?function\s+([\w.:]+)`)},
		{name: "swift", decl: lazy.Regexp(`^(?:(?:public|private|internal|open|final|fileprivate|static)\s+)*(?:func|class|struct|enum|protocol|extension|actor)\s+(\w+)`)},
	}
	for i := range list {
		list[i].media = "text/x-" + list[i].name
	}
	return append(list, language{name: "source", media: "text/x-source"})
}

// extensions maps file extensions to languages.
func extensions() map[string]string {
	families := map[string][]string{
		"go":         {".go"},
		"python":     {".py", ".pyi", ".pyw"},
		"javascript": {".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"},
		"java":       {".java", ".kt", ".kts", ".cs", ".scala", ".groovy", ".dart"},
		"rust":       {".rs"},
		"c":          {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm", ".cu"},
		"ruby":       {".rb"},
		"php":        {".php"},
		"shell":      {".sh", ".bash", ".zsh", ".ps1"},
		"sql":        {".sql"},
		"lua":        {".lua"},
		"swift":      {".swift"},
		"source": {
			".r", ".jl", ".hs", ".ml", ".ex", ".exs", ".erl", ".clj", ".lisp", ".el", ".vim", ".pl", ".pm", ".proto", ".graphql", ".css",
			".scss", ".less", ".tf", ".nix", ".zig", ".v", ".sv", ".vhd", ".asm", ".s", ".f90", ".f", ".pas", ".bat", ".cmake", ".mk", ".gradle",
			".dockerfile", ".diff", ".patch", ".jinja", ".tmpl",
		},
	}
	byExt := map[string]string{}
	for name, exts := range families {
		for _, e := range exts {
			byExt[e] = name
		}
	}
	return byExt
}
