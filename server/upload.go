package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

const uploadDoc = `Takes the archive of one report pack, as taproot report pack writes it: multipart/form-data with the
file in the part "pack". The archive is unpacked to a temporary folder, checked and stored as a run of its own. A pack
that exists already is not stored again: then the response is 200.`

// uploaded is a stored pack.
type uploaded struct {
	Run    string `json:"run" example:"2026-03-04T05-06-07"`
	Pack   string `json:"pack" example:"login"`
	Digest string `json:"digest" doc:"Of the names and contents of its files."`
	URL    string `json:"url" doc:"Path of the pack." example:"/reports/2026-03-04T05-06-07/login"`
}

// The names of the parts that contain an archive.
const (
	packPart  = "pack"
	testsPart = "tests"
)

func uploadBody(part string) *huma.RequestBody {
	file := &huma.Schema{Description: "The archive, tar.gz.", Extensions: map[string]any{
		"contentMediaType": "application/gzip"}}
	if part == appPart {
		file = &huma.Schema{Description: "The app, .apk or .ipa.", Extensions: map[string]any{
			"contentMediaType": "application/octet-stream"}}
	}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{part},
			Properties: map[string]*huma.Schema{part: file}}}}}
}

// upload reads the archive as it arrives; it is never in memory as a whole.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) error {
	return s.archiveOf(w, r, packPart, func(ctx context.Context, _ string, archive io.Reader) error {
		stored, err := s.uploads.Put(ctx, archive)
		if err == nil && !(stored.Known && s.shared != nil && s.shared.Published(stored.Run)) {
			err = s.publish(ctx, stored.Run)
		}
		if err != nil {
			return err
		}
		status := http.StatusCreated
		if stored.Known {
			status = http.StatusOK
		}
		out := uploaded{stored.Run, stored.Pack, stored.Digest, "/reports/" + stored.Run + "/" + stored.Pack}
		w.Header().Set("Location", out.URL)
		writeJSON(w, status, out)
		return nil
	})
}

// archiveOf passes the file in a part of the request to use, with the file name that the client sent.
func (s *Server) archiveOf(w http.ResponseWriter, r *http.Request, name string,
	use func(ctx context.Context, file string, in io.Reader) error) error {
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.o.MaxSend, errTooLong)
	defer cancel()
	body := &timeoutBody{ReadCloser: r.Body}
	r.Body = body
	parts, err := r.MultipartReader()
	if err != nil {
		return invalid("the body is not multipart/form-data: it has no boundary")
	}
	part, err := s.partOf(ctx, w, parts, name)
	if body.timedOut { // the multipart reader hides this reason, and net/http cancels the request's context then
		return errTooLong
	}
	if err != nil {
		return err
	}
	return use(ctx, part.FileName(), &timedReader{part, func() { s.limitRead(w) }})
}

const (
	maxParts = 16
	maxField = 64 << 10 // bytes of other parts
)

// partOf finds the part with the archive; it skips small other fields.
func (s *Server) partOf(ctx context.Context, w http.ResponseWriter, parts *multipart.Reader, name string) (
	*multipart.Part, error) {
	for range maxParts {
		s.limitRead(w)
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, invalid(fmt.Sprintf("there is no part %q in the body", name))
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, invalid("the body is cut off, or not multipart/form-data")
		case part.FormName() == name && part.FileName() == "":
			return nil, invalid(fmt.Sprintf("the part %q is not a file: give it a filename", name))
		case part.FormName() == name:
			return part, nil
		}
		if n, err := io.Copy(io.Discard, io.LimitReader(part, maxField+1)); err != nil || n > maxField {
			return nil, invalid(fmt.Sprintf("the part %.50q before the part %q is too large, or cut off", part.FormName(), name))
		}
	}
	return nil, invalid(fmt.Sprintf("there is no part %q among the first %d", name, maxParts))
}

// limitRead limits the time for the next part of a request.
func (s *Server) limitRead(w http.ResponseWriter) {
	// Fails in tests without a connection.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.o.Patience))
}

// timedReader reads an upload of which each part must arrive in time.
type timedReader struct {
	r     io.Reader
	await func()
}

func (m *timedReader) Read(p []byte) (int, error) {
	m.await()
	return m.r.Read(p)
}

// timeoutBody detects that a body did not arrive in time.
type timeoutBody struct {
	io.ReadCloser
	timedOut bool
}

func (b *timeoutBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.timedOut = b.timedOut || errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}
