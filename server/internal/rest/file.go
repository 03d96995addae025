package rest

import (
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ServeFile serves a regular file below root. The content type depends on the extension. Pages of reports contain text
// of tested apps, so they run in a sandbox with an opaque origin, without access to this server.
func ServeFile(w http.ResponseWriter, r *http.Request, root *os.Root, name string) error {
	if !fs.ValidPath(name) || hiddenPart(name) {
		return ErrNoFile
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ErrNoFile
	}
	f, err := root.Open(name)
	if err != nil {
		return ErrNoFile
	}
	defer f.Close() // only read
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ErrNoFile
	}
	h := w.Header()
	h.Set("Content-Type", FileType(name))
	h.Set("Content-Security-Policy",
		"sandbox allow-scripts allow-downloads allow-popups; default-src 'self' 'unsafe-inline' data: blob:; connect-src "+
			"'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // a sandbox is another origin; the credential was checked before
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	http.ServeContent(&FileHeader{ResponseWriter: w}, r, "", info.ModTime(), f)
	return nil
}

// FileHeader replaces the plain-text 416 of net/http by the JSON form of this API.
type FileHeader struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (f *FileHeader) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		f.refused = true
		WriteError(f.ResponseWriter, Fault(status, CodeInvalid, "the file has no such range"))
		return
	}
	f.ResponseWriter.WriteHeader(status)
}

func (f *FileHeader) Write(part []byte) (int, error) {
	if f.refused {
		return len(part), nil
	}
	return f.ResponseWriter.Write(part)
}

func hiddenPart(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
}

// FileType returns the content type for the extension, never for the content.
func FileType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".txt", ".log", ".ndjson", ".yaml", ".yml":
		return "text/plain; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".json", ".css", ".js", ".mp4", ".webm":
		return mime.TypeByExtension(strings.ToLower(path.Ext(name)))
	case ".har":
		return "application/json"
	case ".xml":
		return "application/xml"
	}
	return "application/octet-stream"
}

// ErrNoFile is the error for a file of a report that does not exist.
var ErrNoFile = Fault(http.StatusNotFound, CodeNotFound, "there is no such report")

// WriteBody writes a complete response body.
func WriteBody(w http.ResponseWriter, body []byte) error {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, err := w.Write(body)
	return err
}
