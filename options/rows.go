package options

// asking are the doors of what shapes one question; serving of what the command
// and the service share.
const (
	asking  = Command | Service | Request | Files
	serving = Command | Service
)

// modelRows say which model answers.
func modelRows() []Option {
	return []Option{
		{
			Key: "model", Flag: "model", Short: "m", Placeholder: "PROVIDER:NAME", Doors: serving,
			Help: "Model that answers, for example ollama:llama3.2, openai:gpt-4o or openai-responses:gpt-5-pro. Without a provider a model of OpenAI, Anthropic or Google is measured and does not answer.",
		},
		{
			Key: "base_url", Flag: "base-url", Placeholder: "URL", Doors: serving | Eval | Routing,
			Help: "Address of the server of the model and of its embedder: Ollama's, or an OpenAI-compatible one up to /v1 (LM Studio, llama.cpp, vLLM).",
		},
		{
			Key: "context_length", Flag: "context-length", Kind: Tokens, Default: "0", Placeholder: "N", Doors: serving | Request,
			Help: "Context window in tokens, for example 8192 or 128k; 0: the model's own, 4096 where it is unknown. The service uses it where a model's own is unknown.",
		},
	}
}

// readingRows bound what reading a file may cost.
func readingRows() []Option {
	return []Option{
		{
			Key: "parse_limits", Flag: "parse-limits", Placeholder: "NAME=VALUE,...", Doors: serving,
			Help: "Limits of reading one file, for example file=100MiB,time=5s,memory=1GiB (see docs/limits.md).",
		},
		{
			Key: "html", Flag: "html", Kind: Choice, Choices: []string{"article", "all"}, Default: "article", Doors: serving,
			Help: "What to read of a web page: its article, or all of it.",
		},
		{Key: "ocr", Flag: "ocr", Kind: Bool, Doors: serving, Help: "Let tesseract, if installed, read PDF pages that look scanned."},
		{
			Key: "ocr_language", Flag: "ocr-language", Default: "eng", Placeholder: "NAME+NAME", Doors: serving,
			Help: "Languages of scanned pages, by tesseract's names, for example eng+deu.",
		},
		{
			Key: "include", Flag: "include", Kind: List, Placeholder: "GLOB", Doors: Command,
			Help: "Files to read in folders, as patterns of .gitignore: *.md or docs/**. Without it all that ignore files do not exclude.",
		},
		{
			Key: "exclude", Flag: "exclude", Kind: List, Placeholder: "GLOB", Doors: Command,
			Help: "Files and folders to leave out of folders, as patterns of .gitignore: drafts/ or *_test.go.",
		},
		{
			Key: "folder_files", Flag: "folder-files", Kind: Count, Bounds: Bounds{Min: 1}, Default: "1000", Placeholder: "N", Doors: Command,
			Help: "Most files to read from folders.",
		},
		{
			Key: "folder_bytes", Flag: "folder-bytes", Kind: Bytes, Bounds: Bounds{Min: 1}, Default: "268435456", Placeholder: "BYTES", Doors: Command,
			Help: "Most bytes to read from folders, for example 64MiB.",
		},
		{
			Key: "download_time", Flag: "download-time", Kind: Duration, Bounds: Bounds{Above: true}, Default: "30s", Placeholder: "DURATION", Doors: Command,
			Help: "Longest download of a document that is named by its web address.",
		},
		{
			Key: "allow_private", Flag: "allow-private", Kind: Bool, Doors: Command,
			Help: "Download also from private, loopback and link-local addresses, and through the proxies that the environment names.",
		},
	}
}

// searchRows shape retrieval.
func searchRows() []Option {
	return []Option{
		{
			Key: "embedder", Flag: "embedder", Placeholder: "NAME", Doors: serving | Request,
			Help: "Embedder: builtin, static:DIR, ollama:NAME or openai:NAME, the last two at --base-url where it is given. " +
				"Without it nomic-embed-text where the server of --model is Ollama or LM Studio and lists it, else builtin.",
		},
		{
			Key: "reranker", Flag: "reranker", Placeholder: "URL|chat", Doors: serving | Eval,
			Help: "Second reader, which reads the best 50 passages again and orders them: " +
				"the address of a /v1/rerank server (llama.cpp, vLLM, LocalAI, TEI, Jina, Cohere; its key is INLAY_RERANKER_KEY), " +
				"or chat for a chat model. Affinities and threshold stay as they are.",
		},
		{
			Key: "reranker_model", Flag: "reranker-model", Placeholder: "NAME", Doors: serving | Eval,
			Help: "Model of the reranker: as its server lists it, or with --reranker chat PROVIDER:NAME. Without it the server's only one, or that of --model.",
		},
		{
			Key: "rerank_time", Flag: "rerank-time", Kind: Duration, Bounds: Bounds{Above: true}, Default: "10s", Placeholder: "DURATION", Doors: serving | Eval,
			Help: "Longest that the reranker may take for a question; then the order of the search is kept, with a warning.",
		},
		{Key: "rerank", Flag: "rerank", Kind: Bool, Default: "true", Doors: asking, Help: "Use the reranker where one is configured."},
		{
			Key: "retrieval_limit", Flag: "limit", Short: "l", Kind: Count, Bounds: Bounds{Min: 1, Max: 100}, Word: "auto", WordValue: -1, Default: "3", Placeholder: "N|auto", Doors: asking,
			Help:   "Most passages to cite; auto: as many as citation_share holds.",
			Former: []string{"limit"},
		},
		{
			Key: "retrieval_affinity_threshold", Flag: "threshold", Short: "t", Kind: Number, Bounds: Bounds{Max: 1}, Placeholder: "0..1", Doors: asking,
			Help:   "Affinity that a passage must exceed. Without it the embedder's own threshold.",
			Former: []string{"threshold"},
		},
		{
			Key: "citation_share", Flag: "citation-share", Kind: Number, Bounds: Bounds{Max: 1}, Placeholder: "0..1", Doors: asking,
			Help: "Share of the tokens available that cited passages may grow to by the text around them. Without it none grows, and retrieval_limit auto takes 0.1.",
		},
		{
			Key: "relative", Flag: "relative", Kind: Number, Bounds: Bounds{Max: 1}, Default: "0", Placeholder: "0..1", Doors: serving,
			Help: "Leave out passages that score below this share of the best one; 0 leaves out none.",
		},
		{
			Key: "chunk", Flag: "chunk", Placeholder: "SIZE/OVERLAP", Doors: serving | Request,
			Help: "Size of passages in tokens, or a preset such as rag-v1. Without it the splitter's own.",
		},
		{Key: "store", Flag: "store", Placeholder: "DIR", Doors: Command | Eval, Help: "Folder that keeps parses, chunks, embeddings and rankings for the next run."},
	}
}

// fileRows shape what is done with files.
func fileRows() []Option {
	return []Option{
		{
			Key: "mode", Flag: "mode", Kind: Choice, Choices: []string{"auto", "full", "retrieval", "none"}, Default: "auto", Doors: asking,
			Help: "What to do with files: decide, inject them whole, retrieve passages, nothing.",
		},
		{
			Key: "policy", Flag: "policy", Kind: Choice, Choices: []string{"all", "mixed"}, Default: "all", Doors: asking,
			Help: "All new files whole or none; mixed: small ones whole, large ones retrieved.",
		},
		{
			Key: "coverage", Flag: "coverage", Kind: Choice, Choices: []string{"off", "auto", "always"}, Default: "auto", Doors: asking,
			Help: "Answer questions about whole documents (summaries, counts, comparisons, chapters) from a representative selection; always: any question.",
		},
		{
			Key: "on_overflow", Flag: "on-overflow", Kind: Choice, Choices: []string{"refuse", "retrieve"}, Default: "refuse", Doors: asking,
			Help: "What becomes of a mode that cannot fit.",
		},
		{
			Key: "on_failure", Flag: "on-failure", Kind: Choice, Choices: []string{"stop", "continue"}, Default: "stop", Doors: asking,
			Help: "Whether to go on when every new file fails.",
		},
		{Key: "strict", Flag: "strict", Kind: Bool, Doors: asking, Help: "Fail when a single file fails."},
		{
			Key: "target_context_use", Flag: "target-context-use", Kind: Number, Bounds: Bounds{Above: true, Max: 1}, Default: "0.7", Placeholder: "0..1", Doors: asking,
			Help: "Share of the free window that files and question may take.",
		},
		{
			Key: "reserve_output_tokens", Flag: "reserve-output", Kind: Tokens, Default: "0", Placeholder: "N", Doors: asking,
			Help: "Tokens of the window kept for the answer.",
		},
		{
			Key: "prompt_set", Flag: "prompt-set", Kind: Choice, Choices: []string{"classic", "cited"}, Also: "a folder of templates", Default: "cited", Placeholder: "classic|cited|DIR", Doors: asking,
			Help: "Wording of the prompt: classic (without a fence around documents), cited, or (not in requests and strategies) a folder of templates.",
		},
		{Key: "expand_query", Flag: "expand-query", Kind: Bool, Doors: asking, Help: "Search with the previous question before this one."},
		{
			Key: "intent", Flag: "intent", Kind: Choice, Choices: []string{"off", "builtin", "model"}, Default: "off", CommandDefault: map[string]string{"chat": "builtin"}, Doors: serving | Request,
			Help: "Move bulk out of a large question into documents: by its structure, or as the model splits it.",
		},
		{Key: "query", Doors: Files, Help: "What a strategy itself asks of the files; what the user wrote follows it."},
		{Key: "strategies", Flag: "strategies", Placeholder: "DIR", Doors: serving, Help: "Folder of your own strategies (*.strategy.md), beside the built-in ones."},
	}
}

// libraryRows name libraries and choose among their files.
func libraryRows() []Option {
	return []Option{
		{
			Key: "library", Flag: "library", Kind: List, Placeholder: "NAME", Doors: asking,
			Help: "Library to ask, beside the files (see inlay library). Requests to the service reach the libraries of their key.",
		},
		{
			Key: "library_path", Flag: "library-path", Kind: List, Placeholder: "GLOB", Doors: asking | Eval,
			Help: "Only files of libraries whose path matches one of these: *.md, guides/**.",
		},
		{
			Key: "library_type", Flag: "library-type", Kind: List, Placeholder: "TYPE", Doors: asking | Eval,
			Help: "Only files of libraries of one of these types: pdf, text/html, image/*.",
		},
		{Key: "library_tag", Flag: "library-tag", Kind: List, Placeholder: "TAG", Doors: asking | Eval, Help: "Only files of libraries that have all of these tags."},
		{Key: "library_title", Flag: "library-title", Placeholder: "TEXT", Doors: asking | Eval, Help: "Only files of libraries with this text in their title."},
		{
			Key: "library_after", Flag: "library-after", Placeholder: "DAY", Doors: asking | Eval,
			Help: "Only files of libraries modified on this day or later, for example 2026-03-31.",
		},
		{Key: "library_until", Flag: "library-until", Placeholder: "DAY", Doors: asking | Eval, Help: "Only files of libraries modified before this day."},
		{
			Key: "data", Flag: "data", Placeholder: "DIR", Doors: serving,
			Help: "Folder of libraries and of everything else that the service keeps. Without it commands keep libraries in your data folder.",
		},
	}
}

// routeRows shape routing; Former are the seed's names.
func routeRows() []Option {
	const doors = Service | Routing | Route
	return []Option{
		{
			Key: "enable_prompt_preprocessor", Flag: "enable-prompt-preprocessor", Kind: Bool, Doors: doors,
			Help:   "Route prompts in this workspace; off, they are byte for byte what they were.",
			Former: []string{"enablePromptPreprocessor"},
		},
		{
			Key: "preprocessor_provider", Flag: "preprocessor-provider", Default: "openai", Placeholder: "NAME", Doors: doors,
			Help:   "Provider of the model that decides: openai, openai-responses or ollama.",
			Former: []string{"preprocessorProvider"},
		},
		{
			Key: "preprocessor_model_id", Flag: "preprocessor-model-id", Default: "gpt-4o-mini", Placeholder: "NAME", Doors: doors,
			Help:   "Model that decides.",
			Former: []string{"preprocessorModelId"},
		},
		{
			Key: "preprocessor_temperature", Flag: "preprocessor-temperature", Kind: Number, Bounds: Bounds{Max: 2}, Default: "0.2", Placeholder: "0..2", Doors: doors,
			Help:   "Its temperature.",
			Former: []string{"preprocessorTemperature"},
		},
		{
			Key: "preprocessor_max_context_chars", Flag: "preprocessor-max-context-chars", Kind: Count, Default: "2000", Placeholder: "N", Doors: doors,
			Help:   "Most characters of context that the decider sees.",
			Former: []string{"preprocessorMaxContextChars"},
		},
		{
			Key: "condensed_prompt_enabled", Flag: "condensed-prompt-enabled", Kind: Bool, Default: "true", Doors: doors,
			Help:   "Give the large model the condensed prompt.",
			Former: []string{"condensedPromptEnabled"},
		},
		{
			Key: "retry_full_prompt", Flag: "retry-full-prompt", Kind: Bool, Doors: doors,
			Help:   "Try a failed call once more with the full prompt.",
			Former: []string{"retryFullPrompt"},
		},
		{
			Key: "allow_providers", Flag: "allow-provider", Kind: List, Placeholder: "NAME", Doors: Service | Routing,
			Help: "Providers that the organisation allows for the model that decides. Without it all.",
		},
		{
			Key: "allow_models", Flag: "allow-model", Kind: List, Placeholder: "PROVIDER:NAME", Doors: Service | Routing,
			Help: "Models that the organisation allows to decide. Without it all.",
		},
		{
			Key: "route_decider", Flag: "route-decider", Kind: Choice, Choices: []string{"heuristic", "model"}, Default: "heuristic", Doors: Service,
			Help: "Who routes turns where enable_prompt_preprocessor is set: heuristic asks no model.",
		},
		{
			Key: "route_as", Flag: "route-as", Kind: Choice, Choices: []string{"code", "architect", "ask", "debug"}, Default: "code", Doors: Service | Route,
			Help:   "Mode of the router, which says what tools it may propose.",
			Former: []string{"mode"},
		},
	}
}

// serviceRows shape the service.
func serviceRows() []Option {
	return []Option{
		{
			Key: "chat_processors", Flag: "processors", Kind: Bool, Doors: Service,
			Help: "Send chat completions through the processors of the configuration file (section processors; see docs/processors.md).",
		},
		{
			Key: "workspace", Flag: "workspace", Placeholder: "DIR", Doors: Service,
			Help: "Folder that processors may read for everyone who calls; without it none that reads files or runs commands can be configured.",
		},
		{
			Key: "addr", Flag: "addr", Default: "127.0.0.1:8765", CommandDefault: map[string]string{"open": "127.0.0.1:0"}, Placeholder: "HOST:PORT", Doors: Service,
			Help: "Where to listen. Beyond this computer only with keys (inlay keys make).",
		},
		{
			Key: "database", Flag: "database", Placeholder: "URL", Doors: Service,
			Help: "PostgreSQL database that servers share, for example postgres://inlay@db.example.org/inlay, instead of a file in the data folder. Give a password as PGPASSWORD or INLAY_DATABASE.",
		},
		{
			Key: "blobs", Flag: "blobs", Placeholder: "URL", Doors: Service,
			Help: "Where the bytes of uploads are kept, instead of the data folder: " +
				"s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION, its key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a folder that servers share.",
		},
		{
			Key: "index", Flag: "index", Placeholder: "URL", Doors: Service,
			Help: "Weaviate cluster that servers share for libraries and vector stores, beside --database and --blobs: weaviate://HOST:PORT,HOST:PORT,HOST:PORT, with ?tls=true for HTTPS, its key in WEAVIATE_API_KEY. Without it such servers have none.",
		},
		{
			Key: "upstreams", Flag: "upstream", Kind: List, Placeholder: "NAME=PROVIDER:URL", Doors: Service,
			Help: "Server of models: local=ollama:http://127.0.0.1:11434 or cloud=openai:https://api.openai.com/v1. Its key is read from INLAY_UPSTREAM_KEY_NAME. The server of --model is one too.",
		},
		{Key: "tls_cert", Flag: "tls-cert", Placeholder: "FILE", Doors: Service, Help: "Certificate chain, PEM: serve HTTPS."},
		{Key: "tls_key", Flag: "tls-key", Placeholder: "FILE", Doors: Service, Help: "Key of the certificate, PEM."},
		{
			Key: "cors", Flag: "cors", Kind: List, Placeholder: "ORIGIN", Doors: Service,
			Help: "Web origin that may call, for example https://app.example.org; without it none.",
		},
		{
			Key: "allow_hosts", Flag: "allow-host", Kind: List, Placeholder: "NAME", Doors: Service,
			Help: "Name by which a server without keys may be called, besides this computer's own, for example that of a proxy on this computer.",
		},
	}
}

// serviceLimitRows bound what requests to the service cost.
func serviceLimitRows() []Option {
	above := Bounds{Above: true}
	one := Bounds{Min: 1}
	return []Option{
		{
			Key: "max_body_bytes", Flag: "max-body", Kind: Bytes, Bounds: one, Default: "67108864", Placeholder: "BYTES", Doors: Service,
			Help: "Largest JSON body, for example 67108864 or 64MiB.",
		},
		{
			Key: "bodies_bytes", Flag: "bodies", Kind: Bytes, Default: "0", Placeholder: "BYTES", Doors: Service,
			Help: "JSON bodies in memory at once, in all, half of it for one owner: beyond it the answer is 429; 0: four times --max-body.",
		},
		{
			Key: "max_file_bytes", Flag: "max-file", Kind: Bytes, Bounds: one, Default: "536870912", Placeholder: "BYTES", Doors: Service,
			Help: "Largest uploaded file.",
		},
		{Key: "max_request_files", Flag: "max-files", Kind: Count, Bounds: one, Default: "32", Placeholder: "N", Doors: Service, Help: "Most files of one request."},
		{
			Key: "max_kept_files", Flag: "max-kept", Kind: Count, Default: "100000", Placeholder: "N", Doors: Service,
			Help: "Most files an owner of keys keeps; 0: any number.",
		},
		{
			Key: "max_kept_bytes", Flag: "max-total", Kind: Bytes, Default: "21474836480", Placeholder: "BYTES", Doors: Service,
			Help: "Most bytes of files an owner keeps; 0: any number.",
		},
		{
			Key: "document_memory_bytes", Flag: "document-memory", Kind: Bytes, Bounds: Bounds{Any: true}, Default: "67108864", Placeholder: "BYTES", Doors: Service,
			Help: "Documents kept ready in memory, in all; less than 0: none.",
		},
		{
			Key: "document_load_bytes", Flag: "document-load", Kind: Bytes, Bounds: one, Default: "67108864", Placeholder: "BYTES", Doors: Service,
			Help: "Documents that questions in progress are about, in all: further questions wait. A search takes some forty times as much in memory.",
		},
		{
			Key: "max_questions", Flag: "max-questions", Kind: Count, Default: "0", Placeholder: "N", Doors: Service,
			Help: "Most questions about documents in progress at once, two thirds of them for one owner of keys: beyond it the answer is 429; 0: 24 for each processor.",
		},
		{
			Key: "max_search_bytes", Flag: "max-search", Kind: Bytes, Bounds: one, Default: "134217728", Placeholder: "BYTES", Doors: Service,
			Help: "Most text that one question or evaluation may have searched; a search takes some forty times as much in memory.",
		},
		{
			Key: "cache_age", Flag: "cache-age", Kind: Duration, Default: "720h", Placeholder: "DURATION", Doors: Service,
			Help: "How long what was derived from documents (text, passages, embeddings) is kept after its last use; 0: as long as there is room.",
		},
		{
			Key: "mcp_write", Flag: "mcp-write", Kind: Bool, Default: "false", Doors: Service,
			Help: "Agents at /mcp whose key allows writing may add documents to libraries and delete them.",
		},
		{
			Key: "max_time", Flag: "max-time", Kind: Duration, Bounds: above, Default: "10m", Placeholder: "DURATION", Doors: Service,
			Help: "Longest request that does not stream.",
		},
		{
			Key: "rate", Flag: "rate", Kind: Number, Default: "100", Placeholder: "N", Doors: Service,
			Help: "Most requests a second of one owner of keys; 0: any number.",
		},
		{
			Key: "concurrency", Flag: "concurrency", Kind: Count, Bounds: one, Default: "64", Placeholder: "N", Doors: Service,
			Help: "Most requests of one owner at once.",
		},
		{
			Key: "max_requests", Flag: "max-requests", Kind: Count, Bounds: one, Default: "512", Placeholder: "N", Doors: Service,
			Help: "Most requests of all owners at once.",
		},
		{
			Key: "log_format", Flag: "log-format", Kind: Choice, Choices: []string{"json", "text"}, Default: "json", CommandDefault: map[string]string{"open": "text"}, Doors: Service,
			Help: "Form of the log on standard error.",
		},
		{
			Key: "drain", Flag: "drain", Kind: Duration, Default: "30s", Placeholder: "DURATION", Doors: Service,
			Help: "How long requests may go on when the server is told to stop.",
		},
	}
}
