package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/action"
)

const uploadMediaDoc = `Takes an image or a video as multipart/form-data with the file in the part "media", and adds it
to the device's gallery under its own name. It is removed again when the device is released.`

// mediaPart is the name of the part that contains an image or video.
const mediaPart = "media"

// uploadMedia keeps the file while it is copied. It uses the device only when the whole file has arrived, however
// slowly it was sent.
func (s *Server) uploadMedia(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.device(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return s.archiveOf(w, r, mediaPart, func(ctx context.Context, name string, media io.Reader) (err error) {
		if name = filepath.Base(filepath.ToSlash(name)); !filepath.IsLocal(name) || strings.HasPrefix(name, ".") ||
			filepath.Ext(name) == "" {
			return invalid(fmt.Sprintf("the file in the part %q needs a name such as photo.png", mediaPart))
		}
		dir, err := os.MkdirTemp("", "taproot-media-*")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(s.keepApp(f, media), f.Close()); err != nil {
			return err
		}
		began := time.Now()
		err = s.use(r.WithContext(ctx), func(ctx context.Context, session *action.Session) error {
			m, ok := session.Device.(drivers.MediaAdder)
			if !ok {
				return fmt.Errorf("add an image: %w", drivers.ErrUnsupported)
			}
			return m.AddMedia(ctx, f.Name())
		})
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, Outcome{Passed: true, DurationMS: time.Since(began).Milliseconds()})
		return nil
	})
}
