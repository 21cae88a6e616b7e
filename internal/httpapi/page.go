package httpapi

import (
	"net/http"

	"inlay/fault"
	"inlay/internal/web"
)

// pageRoutes are the page for browsers: files without anything of anybody, so they
// need no key. They are not of the API and not in its description.
func (a *API) pageRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/{$}", open: true, handle: a.page},
		{method: http.MethodGet, path: "/assets/{name...}", open: true, handle: a.page},
	}
}

func (a *API) page(c *call) error {
	name := c.PathValue("name")
	if c.URL.Path == "/" {
		name = "index.html"
	}
	if !web.Serve(c.w, c.Request, name) {
		return &fault.Error{Code: fault.NotFound, Subject: "page", Reason: "has no such file", Next: "load the page again"}
	}
	return nil
}
