package mcpserver

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"inlay/fault"
	"inlay/library"
)

// base begins the addresses of documents: inlay://library/NAME/PATH.
const base = "inlay://library/"

func documentURI(name, inside string) string {
	return base + url.PathEscape(name) + (&url.URL{Path: "/" + inside}).EscapedPath()
}

// parseURI takes an address apart.
func parseURI(uri string) (name, inside string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || !strings.HasPrefix(uri, base) || u.RawQuery != "" || u.Fragment != "" {
		return "", "", false
	}
	return strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
}

// addResources offers documents by their addresses.
func (s *server) addResources(m *mcp.Server) {
	m.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "document", Title: "Document of a library", URITemplate: base + "{name}/{+path}",
		Description: "The text of a document; list_documents and citations have the addresses.", MIMEType: "text/plain",
	}, s.resource)
	m.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if p, ok := req.GetParams().(*mcp.ListResourcesParams); ok && method == "resources/list" {
				return s.resources(ctx, p)
			}
			return next(ctx, method, req)
		}
	})
}

// pageOfResources is how many documents one page of resources has.
const pageOfResources = 500

// resources is a page of the documents as they are now. Its cursor is the address
// of the last one of the page before.
func (s *server) resources(ctx context.Context, p *mcp.ListResourcesParams) (*mcp.ListResourcesResult, error) {
	out := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: mcp.Cacheable{CacheScope: private}}
	names, err := s.names(ctx)
	if err != nil {
		return nil, err
	}
	names = slices.Sorted(slices.Values(names))
	var last, after string
	if p != nil && p.Cursor != "" {
		var ok bool
		if last, after, ok = parseURI(p.Cursor); !ok {
			return nil, fault.Invalid("cursor", "that of the page before")
		}
	}
	for _, name := range names {
		if name < last {
			continue
		}
		entries, err := s.Keeper.Index.Entries(ctx, s.Owner, name, library.Filter{})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if name == last && e.Path <= after {
				continue
			}
			if len(out.Resources) == pageOfResources {
				out.NextCursor = out.Resources[pageOfResources-1].URI
				return out, nil
			}
			out.Resources = append(out.Resources, &mcp.Resource{URI: documentURI(name, e.Path), Name: name + ":" + e.Path, Title: e.Title, MIMEType: "text/plain"})
		}
	}
	return out, nil
}

func (s *server) resource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	name, inside, ok := parseURI(req.Params.URI)
	if !ok {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	d, err := s.document(ctx, name, inside)
	switch {
	case fault.Is(err, fault.FileNotFound):
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	case err != nil:
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: d.Text}}}, nil
}
