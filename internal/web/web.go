// Package web is the page of the service: files that a browser loads, built from src
// by npm (build.mjs) and kept compressed.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed dist
var dist embed.FS

// policy lets the page load and reach nothing but this server, and run nothing but
// its own files. The styles of elements are set by scripts, which needs no leave.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; " +
	"worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// workerPolicy is that of the PDF worker alone, whose picture codecs are WebAssembly.
const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

// Serve answers with the file of the page that has a name, and reports false where
// there is none. The page itself is index.html.
func Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	packed, err := dist.ReadFile(path.Join("dist", path.Clean("/"+name)) + ".gz")
	if err != nil {
		return false
	}
	head(w.Header(), name)
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		if packed, err = unpack(packed); err != nil {
			http.Error(w, "the page is damaged", http.StatusInternalServerError)
			return true
		}
	} else {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(packed)))
	_, _ = w.Write(packed)
	return true
}

// head sets what browsers need to know of a file.
func head(h http.Header, name string) {
	h.Set("Content-Type", mediaType(name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Security-Policy", policy)
	switch {
	case name == "index.html":
		h.Set("Cache-Control", "no-cache")
	case strings.HasPrefix(path.Base(name), "pdf-worker"):
		h.Set("Content-Security-Policy", workerPolicy)
		fallthrough
	default:
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if path.Dir(name) != "." { // names of pdf.js, which do not change with their content
		h.Set("Cache-Control", "no-cache")
	}
}

func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".wasm":
		return "application/wasm"
	case ".bcmap", ".pfb":
		return "application/octet-stream"
	}
	return mime.TypeByExtension(path.Ext(name))
}

func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack a file of the page: %w", err)
	}
	return io.ReadAll(z)
}
