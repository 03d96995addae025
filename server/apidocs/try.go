package apidocs

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the viewer
	"io"
	"net/http"
	"strings"
)

// Try is the page on which users write and send requests.
//
//go:embed try.html
var Try []byte

// viewer is openapi-explorer 2.4.820 of npm (Apache-2.0, see LICENSE in its folder):
// dist/browser/openapi-explorer.min.js, compressed with gzip -9n.
//
//go:embed viewer/openapi-explorer.min.js.gz
var viewer []byte

// ServeViewer serves the script of Try.
func ServeViewer(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		_, err := w.Write(viewer)
		return err
	}
	plain, err := gzip.NewReader(bytes.NewReader(viewer))
	if err != nil {
		return err
	}
	_, err = io.Copy(w, plain)
	return err
}
