package httpapi

// libraryRoutes are the routes of vector stores and agents.
func (a *API) libraryRoutes() []route {
	return []route{
		{
			method: "POST", path: "/v1/vector_stores", openai: true, handle: a.ofStores(a.newStore),
			doc: operation{tag: "vector stores", summary: "Make a vector store: a library of uploads", body: storeRequest{}, answer: storeObject{}},
		},
		{
			method: "GET", path: "/v1/vector_stores", openai: true, handle: a.ofStores(listStores),
			doc: operation{tag: "vector stores", summary: "Your vector stores", query: pageQuery("before"), answer: storeList{}},
		},
		{
			method: "GET", path: "/v1/vector_stores/{id}", openai: true, handle: a.ofStores(getStore),
			doc: operation{tag: "vector stores", summary: "A vector store: state, sizes, counts of files", answer: storeObject{}},
		},
		{
			method: "POST", path: "/v1/vector_stores/{id}", openai: true, handle: a.ofStores(changeStore),
			doc: operation{tag: "vector stores", summary: "Change name, expiry or metadata", body: storeChange{}, answer: storeObject{}},
		},
		{
			method: "DELETE", path: "/v1/vector_stores/{id}", openai: true, handle: a.ofStores(deleteStore),
			doc: operation{tag: "vector stores", summary: "Delete a vector store with its passages; the uploads stay", answer: deleted{}},
		},
		{
			method: "POST", path: "/v1/vector_stores/{id}/search", openai: true, handle: a.ofStores(searchStore),
			doc: operation{tag: "vector stores", summary: "Search a vector store, or a library by its name", body: storeSearch{}, answer: searchPage{}},
		},
		{
			method: "POST", path: "/v1/vector_stores/{id}/files", openai: true, handle: a.ofStores(addStoreFile),
			doc: operation{tag: "vector stores", summary: "Put an upload into a vector store", body: storeFileRequest{}, answer: storeFileObject{}},
		},
		{
			method: "GET", path: "/v1/vector_stores/{id}/files", openai: true, handle: a.ofStores(listStoreFiles),
			doc: operation{tag: "vector stores", summary: "The files of a vector store", query: pageQuery("before", "filter"), answer: storeFileList{}},
		},
		{
			method: "GET", path: "/v1/vector_stores/{id}/files/{file}", openai: true, handle: a.ofStores(getStoreFile),
			doc: operation{tag: "vector stores", summary: "A file of a vector store", answer: storeFileObject{}},
		},
		{
			method: "POST", path: "/v1/vector_stores/{id}/files/{file}", openai: true, handle: a.ofStores(changeStoreFile),
			doc: operation{tag: "vector stores", summary: "Change the attributes of a file", body: storeFileChange{}, answer: storeFileObject{}},
		},
		{
			method: "DELETE", path: "/v1/vector_stores/{id}/files/{file}", openai: true, handle: a.ofStores(deleteStoreFile),
			doc: operation{tag: "vector stores", summary: "Take a file and its passages out of a vector store; the upload stays", answer: deleted{}},
		},
		{
			method: "GET", path: "/v1/vector_stores/{id}/files/{file}/content", openai: true, handle: a.ofStores(storeFileContent),
			doc: operation{tag: "vector stores", summary: "The text of a file", answer: contentPage{}},
		},
		{
			method: "POST", path: "/v1/vector_stores/{id}/file_batches", openai: true, handle: a.ofStores(newStoreBatch),
			doc: operation{tag: "vector stores", summary: "Put several uploads into a vector store", body: storeBatchRequest{}, answer: storeBatchObject{}},
		},
		{
			method: "GET", path: "/v1/vector_stores/{id}/file_batches/{batch}", openai: true, handle: a.ofStores(getStoreBatch),
			doc: operation{tag: "vector stores", summary: "How far a batch of files is", answer: storeBatchObject{}},
		},
		{
			method: "POST", path: "/v1/vector_stores/{id}/file_batches/{batch}/cancel", openai: true, handle: a.ofStores(cancelStoreBatch),
			doc: operation{tag: "vector stores", summary: "Cancel what of a batch was not read yet", answer: storeBatchObject{}},
		},
		{
			method: "GET", path: "/v1/vector_stores/{id}/file_batches/{batch}/files", openai: true, handle: a.ofStores(listStoreFiles),
			doc: operation{tag: "vector stores", summary: "The files of a batch", query: pageQuery("before", "filter"), answer: storeFileList{}},
		},
		{
			method: "POST", path: "/mcp", stream: true, handle: a.mcp,
			doc: operation{
				tag: "agents", summary: "The Model Context Protocol by streamable HTTP, without sessions, over your libraries",
				body: mcpMessage{}, answer: mcpMessage{}, events: true,
			},
		},
	}
}

// documentRoutes are the routes of libraries that folders are in, and of the documents of all libraries.
func (a *API) documentRoutes() []route {
	return []route{
		{
			method: "GET", path: "/v1/libraries", handle: a.listLibraries,
			doc: operation{tag: "libraries", summary: "Your libraries that folders are in, as inlay library makes them", answer: libraryList{}},
		},
		{
			method: "GET", path: "/v1/libraries/{id}/text", handle: a.libraryText,
			doc: operation{tag: "libraries", summary: "The text of a document of a library or vector store, which citations are slices of", query: pathQuery(), answer: textAnswer{}},
		},
		{
			method: "GET", path: "/v1/libraries/{id}/content", stream: true, handle: a.libraryContent,
			doc: operation{tag: "libraries", summary: "The bytes that a document of a library or vector store was read from, or a range of them", query: pathQuery(), kinds: contentTypes(), ranges: true},
		},
		{
			method: "GET", path: "/v1/libraries/{id}/boxes", handle: a.libraryBoxes,
			doc: operation{tag: "libraries", summary: "Where the words of a range of a document's text are on the pages of its PDF", query: pathQuery(boxesQuery()...), answer: boxesAnswer{}},
		},
	}
}
