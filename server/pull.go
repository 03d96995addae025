package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/reporters/markdown"
	"github.com/taproot-dev/taproot/runner/action"
)

const pullDoc = `Copies a file of the device: of an Android phone's shared storage (/sdcard, /storage, /data/local/tmp),
such as a download, or what an app exports. The file may be as large as an upload.`

// maxPath limits the path of a file on a device; longer ones do not exist there.
const maxPath = 1023

// pullQuery describes the parameter with the file's path.
func pullQuery() []*huma.Param {
	return []*huma.Param{
		{Name: "path", In: "query", Required: true, Description: "The whole path of the file on the device.",
			Example: "/sdcard/Download/report.pdf", Schema: &huma.Schema{Type: huma.TypeString}}}
}

// pullFile copies the whole file while it has the device, and sends it after the device is free again, because a client
// may read slowly.
func (s *Server) pullFile(w http.ResponseWriter, r *http.Request) (err error) {
	if _, err := s.device(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	name := r.URL.Query().Get("path")
	if len(name) > maxPath || !path.IsAbs(name) || path.Clean(name) != name || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, isControl) {
		return invalid("query.path: the whole path of a file, such as /sdcard/Download/report.pdf")
	}
	f, err := os.CreateTemp("", "taproot-file-*")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close(); err = errors.Join(err, os.Remove(f.Name())) }()
	size, err := s.pull(r, name, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}))
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	_, err = io.Copy(w, f)
	return err
}

// pull copies a file of a device. Errors of the file or the copy do not count as errors of the device.
func (s *Server) pull(r *http.Request, name string, f *os.File) (size int64, err error) {
	to := &copied{w: f, left: s.largestFile()}
	var missing error
	err = s.use(r, func(ctx context.Context, session *action.Session) error {
		p, ok := session.Device.(drivers.FilePuller)
		if !ok {
			return fmt.Errorf("copy a file: %w", drivers.ErrUnsupported)
		}
		err := p.PullFile(ctx, name, to)
		if errors.Is(err, drivers.ErrNoFile) {
			missing, err = err, nil
		}
		if to.err != nil {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case missing != nil:
		return 0, fault(http.StatusNotFound, codeNotFound, markdown.Visible(missing.Error(), maxMessage))
	}
	return to.size, to.err
}

// copied counts the bytes of a file, and fails when there are too many.
type copied struct {
	w          io.Writer
	size, left int64
	err        error
}

func (c *copied) Write(p []byte) (n int, err error) {
	if c.err != nil {
		return 0, c.err
	}
	if c.left -= int64(len(p)); c.left < 0 {
		c.err = fault(http.StatusUnprocessableEntity, codeFailed, "the file is larger than this server sends")
		return 0, c.err
	}
	n, c.err = c.w.Write(p)
	c.size += int64(n)
	return n, c.err
}
