package httpapi

import (
	"slices"

	"inlay/eval"
	"inlay/internal/jobs"
	"inlay/internal/service"
	"inlay/strategy"
	"inlay/strategy/builtin"
)

// table is every route of the service.
func (a *API) table() []route {
	return slices.Concat(a.serverRoutes(), a.fileRoutes(), a.modelRoutes(), a.turnRoutes(), a.ownerRoutes(), a.libraryRoutes(), a.documentRoutes())
}

// serverRoutes are the routes about the server itself.
func (a *API) serverRoutes() []route {
	return []route{
		{method: "GET", path: "/healthz", open: true, handle: a.health, doc: operation{tag: "server", summary: "Whether the process lives", answer: statusAnswer{}}},
		{
			method: "GET", path: "/readyz", open: true, handle: a.ready,
			doc: operation{tag: "server", summary: "Whether requests can be answered", answer: readyAnswer{}},
		},
		{method: "GET", path: "/metrics", open: true, handle: a.metrics, doc: operation{tag: "server", summary: "Figures in Prometheus' form", kinds: []string{"text/plain"}}},
		{method: "GET", path: "/openapi.json", open: true, handle: a.openapi, doc: operation{tag: "server", summary: "This description", kinds: []string{"application/json"}}},
	}
}

// fileRoutes are the routes of uploads.
func (a *API) fileRoutes() []route {
	return []route{
		{
			method: "POST", path: "/v1/files", openai: true, stream: true, handle: a.uploadFile,
			doc: operation{tag: "files", summary: "Upload a file; reading it begins at once", form: uploadForm(), answer: fileObject{}},
		},
		{
			method: "GET", path: "/v1/files", openai: true, handle: a.listFiles,
			doc: operation{tag: "files", summary: "Your files", query: pageQuery("purpose"), answer: fileList{}},
		},
		{
			method: "GET", path: "/v1/files/{id}", openai: true, handle: a.getFile,
			doc: operation{tag: "files", summary: "A file: state, coverage", answer: fileObject{}},
		},
		{
			method: "DELETE", path: "/v1/files/{id}", openai: true, handle: a.deleteFile,
			doc: operation{tag: "files", summary: "Delete a file and its bytes", answer: deleted{}},
		},
		{
			method: "GET", path: "/v1/files/{id}/content", openai: true, stream: true, handle: a.fileContent,
			doc: operation{tag: "files", summary: "The bytes as they were uploaded, or a range of them", kinds: contentTypes(), ranges: true},
		},
		{
			method: "GET", path: "/v1/files/{id}/boxes", openai: true, handle: a.fileBoxes,
			doc: operation{tag: "files", summary: "Where the words of a range of a PDF's text are on its pages", query: boxesQuery(), answer: boxesAnswer{}},
		},
		{
			method: "GET", path: "/v1/files/{id}/text", openai: true, handle: a.fileText,
			doc: operation{tag: "files", summary: "The text that was read from a file, which citations are slices of", answer: textAnswer{}},
		},

		{
			method: "POST", path: "/v1/uploads", openai: true, handle: a.beginUpload,
			doc: operation{tag: "files", summary: "Begin a file that comes in parts; it has an hour", body: uploadRequest{}, answer: uploadObject{}},
		},
		{
			method: "POST", path: "/v1/uploads/{id}/parts", openai: true, stream: true, handle: a.addPart,
			doc: operation{tag: "files", summary: "Send a part, of 64 MiB at the most; parts may come side by side", form: partForm(), answer: partObject{}},
		},
		{
			method: "POST", path: "/v1/uploads/{id}/complete", openai: true, handle: a.completeUpload,
			doc: operation{tag: "files", summary: "Make a file of the parts", body: completeRequest{}, answer: uploadObject{}},
		},
		{
			method: "POST", path: "/v1/uploads/{id}/cancel", openai: true, handle: a.cancelUpload,
			doc: operation{tag: "files", summary: "Forget an upload and its parts", answer: uploadObject{}},
		},
	}
}

// modelRoutes are the routes of the OpenAI API that ask a model.
func (a *API) modelRoutes() []route {
	return []route{
		{
			method: "POST", path: "/v1/chat/completions", openai: true, stream: true, handle: a.complete,
			doc: operation{tag: "chat", summary: "The OpenAI API's chat completions, with files", body: completionRequest{}, answer: completionAnswer{}, events: true},
		},
		{
			method: "POST", path: "/v1/responses", openai: true, stream: true, handle: a.respond,
			doc: operation{tag: "responses", summary: "The OpenAI API's responses, with files", body: responseRequest{}, answer: responseAnswer{}, events: true},
		},
		{
			method: "GET", path: "/v1/responses/{id}", openai: true, handle: a.getResponse,
			doc: operation{tag: "responses", summary: "A stored response", answer: responseAnswer{}},
		},
		{
			method: "DELETE", path: "/v1/responses/{id}", openai: true, handle: a.deleteResponse,
			doc: operation{tag: "responses", summary: "Delete a response, its input and the files that came inside it", answer: deleted{}},
		},
		{
			method: "POST", path: "/v1/responses/{id}/cancel", openai: true, handle: a.cancelResponse,
			doc: operation{tag: "responses", summary: "End a response that runs in the background; there is none, so it is a conflict", answer: responseAnswer{}},
		},
		{
			method: "GET", path: "/v1/responses/{id}/input_items", openai: true, handle: a.inputItems,
			doc: operation{tag: "responses", summary: "The items of a response's request", query: pageQuery(), answer: itemList{}},
		},

		{
			method: "POST", path: "/v1/embeddings", openai: true, handle: a.embed,
			doc: operation{tag: "embeddings", summary: "Vectors of texts by the server's embedder", body: embeddingRequest{}, answer: embeddingList{}},
		},

		{
			method: "GET", path: "/v1/models", openai: true, handle: a.listModels,
			doc: operation{tag: "chat", summary: "The models of all upstreams", answer: modelList{}},
		},
		{method: "GET", path: "/v1/models/{id...}", openai: true, handle: a.getModel, doc: operation{tag: "chat", summary: "One model", answer: modelObject{}}},
	}
}

// turnRoutes are the routes of turns, of strategies and of chats that are kept.
func (a *API) turnRoutes() []route {
	return []route{
		{
			method: "POST", path: "/v1/preprocess", handle: a.preprocess,
			doc: operation{tag: "preprocess", summary: "Inject files into a question: decision, citations, prompt", body: preprocessRequest{}, form: preprocessForm(), answer: preprocessAnswer{}, events: true},
		},
		{
			method: "GET", path: "/v1/preprocessors", handle: a.listPreprocessors,
			doc: operation{tag: "preprocess", summary: "What strategies can run", answer: preprocessorList{}},
		},
		{
			method: "POST", path: "/v1/preprocessors/{id}", handle: a.runPreprocessor,
			doc: operation{tag: "preprocess", summary: "Run one preprocessor", body: executeRequest{}, answer: service.Preprocessed{}, events: true},
		},

		{
			method: "GET", path: "/v1/strategies", handle: a.listStrategies,
			doc: operation{tag: "strategies", summary: "The strategies of this server", answer: strategyList{}},
		},
		{
			method: "POST", path: "/v1/strategies/match", handle: a.matchStrategies,
			doc: operation{tag: "strategies", summary: "Which are worth offering, and why the others are not", body: matchRequest{}, answer: matchAnswer{}},
		},
		{
			method: "GET", path: "/v1/strategies/{id}", handle: a.showStrategy,
			doc: operation{tag: "strategies", summary: "A strategy, and what it may read or use", answer: builtin.StrategyView{}},
		},
		{
			method: "POST", path: "/v1/strategies/{id}/execute", handle: a.executeStrategy,
			doc: operation{tag: "strategies", summary: "Run a strategy's preprocessors and make its prompt", body: executeRequest{}, answer: executionAnswer{}, events: true},
		},

		{
			method: "POST", path: "/v1/chats", handle: a.newChat,
			doc: operation{tag: "chats", summary: "Begin a chat that the service keeps", body: chatRequest{}, answer: ChatObject{}},
		},
		{method: "GET", path: "/v1/chats", handle: a.listChats, doc: operation{tag: "chats", summary: "Your chats", query: pageQuery(), answer: chatList{}}},
		{method: "GET", path: "/v1/chats/{id}", handle: a.getChat, doc: operation{tag: "chats", summary: "A chat: history, files, results", answer: chatWhole{}}},
		{
			method: "POST", path: "/v1/chats/{id}", handle: a.changeChat,
			doc: operation{tag: "chats", summary: "Rename a chat", body: chatChange{}, answer: ChatObject{}},
		},
		{
			method: "POST", path: "/v1/chats/{id}/messages", handle: a.addMessage,
			doc: operation{tag: "chats", summary: "Add a message as it is, such as an answer", body: message{}, answer: chatWhole{}},
		},
		{
			method: "POST", path: "/v1/chats/{id}/turns/{turn}/replay", handle: a.replayTurn,
			doc: operation{tag: "chats", summary: "Render a turn again that a strategy made, from what is kept: the same bytes", answer: strategy.Execution{}},
		},
		{method: "DELETE", path: "/v1/chats/{id}", handle: a.deleteChat, doc: operation{tag: "chats", summary: "Delete a chat; its files stay", answer: deleted{}}},

		{
			method: "GET", path: "/v1/search", handle: func(c *call) error { return c.json(a.service.Searches()) },
			doc: operation{tag: "preprocess", summary: "How documents are searched unless a request says otherwise, and what it can choose", answer: service.Searches{}},
		},
		{
			method: "DELETE", path: "/v1/cache", handle: a.clearCache,
			doc: operation{tag: "files", summary: "Erase what was derived from your documents, those inside requests too; it is made again when needed", answer: deleted{}},
		},
	}
}

// ownerRoutes are the routes of keys and evaluations.
func (a *API) ownerRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/keys", handle: a.listKeys, doc: operation{tag: "keys", summary: "The keys of the caller's owner", answer: keyList{}}},
		{
			method: "POST", path: "/v1/keys", handle: a.makeKey,
			doc: operation{tag: "keys", summary: "Make a key of the same owner", body: keyRequest{}, answer: keyObject{}},
		},
		{
			method: "POST", path: "/v1/keys/{id}/rotate", handle: a.rotateKey,
			doc: operation{tag: "keys", summary: "Give a key a new secret; the old one ends after grace", body: rotateRequest{}, answer: keyObject{}},
		},
		{method: "DELETE", path: "/v1/keys/{id}", handle: a.revokeKey, doc: operation{tag: "keys", summary: "Revoke a key", answer: deleted{}}},

		{
			method: "POST", path: "/v1/evaluations", handle: a.startEvaluation,
			doc: operation{tag: "evaluations", summary: "Try thresholds, limits and chunk sizes on questions with known answers", body: jobs.EvaluationRequest{}, answer: evaluationObject{}},
		},
		{
			method: "GET", path: "/v1/evaluations", handle: a.listEvaluations,
			doc: operation{tag: "evaluations", summary: "Your evaluations", query: pageQuery(), answer: evaluationList{}},
		},
		{
			method: "GET", path: "/v1/evaluations/{id}", stream: true, handle: a.getEvaluation,
			doc: operation{tag: "evaluations", summary: "An evaluation; as events, its progress until it is over", answer: evaluationObject{}, events: true},
		},
		{
			method: "GET", path: "/v1/evaluations/{id}/result", handle: a.evaluationResult,
			doc: operation{tag: "evaluations", summary: "The whole report, inlay.evaluation/v1", answer: eval.Report{}},
		},
		{
			method: "POST", path: "/v1/evaluations/{id}/cancel", handle: a.cancelEvaluation,
			doc: operation{tag: "evaluations", summary: "End an evaluation", answer: evaluationObject{}},
		},
		{
			method: "DELETE", path: "/v1/evaluations/{id}", handle: a.deleteEvaluation,
			doc: operation{tag: "evaluations", summary: "End an evaluation and forget it", answer: deleted{}},
		},
	}
}
