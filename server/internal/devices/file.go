package devices

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// files copies apps and files to and from devices.
type files struct{ *desk }

const uploadAppDoc = `Takes an app as multipart/form-data with the file in the part "app", an APK, split APKs (.apks,
.apkm, .xapk) or an IPA, and installs it over the installed version. The file is not kept. POST /devices/{id}/install
does the same with a file on the server.`

const (
	appPart = rest.AppPart // the name of the part that contains an app
	maxApp  = 512 << 20    // bytes of it, when uploads have no limit
)

// Apps are the apps of a device.
type Apps struct {
	Apps []string `json:"apps" nullable:"false" doc:"Installed on top of the system's, by name." example:"[\"com.example.app\"]"`
}

func (s *files) listApps(w http.ResponseWriter, r *http.Request) error {
	out := Apps{Apps: []string{}}
	err := s.use(r, func(ctx context.Context, session *action.Performer) error {
		m, ok := session.Device.(drivers.AppManager)
		if !ok {
			return fmt.Errorf("list the apps: %w", drivers.ErrUnsupported)
		}
		list, err := m.ListApps(ctx)
		out.Apps = append(out.Apps, list...)
		return err
	})
	if err != nil {
		return err
	}
	rest.WriteJSON(w, http.StatusOK, out)
	return nil
}

// uploadApp keeps the file while it is installed. It uses the device only when the whole file has arrived, however
// slowly it was sent.
func (s *files) uploadApp(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.device(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return s.uploads.Part(w, r, appPart, func(ctx context.Context, name string, app io.Reader) (err error) {
		kind := strings.ToLower(path.Ext(name))
		if !slices.Contains([]string{".apk", ".apks", ".apkm", ".xapk", ".ipa"}, kind) {
			return rest.Invalid(fmt.Sprintf("the name of the file in the part %q must end in .apk, .apks, .apkm, .xapk or .ipa",
				appPart))
		}
		f, err := os.CreateTemp("", "taproot-app-*"+kind)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
		if err := errors.Join(s.keepApp(f, app), f.Close()); err != nil {
			return err
		}
		return s.installApp(w, r.WithContext(ctx), f.Name())
	})
}

// largestFile returns how many bytes a file may have that is copied to or from a device.
func (s *files) largestFile() int64 {
	if s.o.Upload.Archive == 0 {
		return maxApp
	}
	return s.o.Upload.Archive
}

// keepApp copies the uploaded app, at most as many bytes as an upload may have.
func (s *files) keepApp(to io.Writer, app io.Reader) error {
	most := s.largestFile()
	n, err := io.Copy(to, io.LimitReader(app, most+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return rest.ErrTooLong
	case errors.Is(err, io.ErrUnexpectedEOF):
		return rest.Invalid("the body is cut off")
	case err == nil && n > most:
		return &upload.TooLarge{Why: fmt.Sprintf("the file has more than %d bytes", most)}
	}
	return err
}

func (s *files) installApp(w http.ResponseWriter, r *http.Request, file string) error {
	began := time.Now()
	var refused *event.Problem
	err := s.use(r, func(ctx context.Context, session *action.Performer) error {
		m, ok := session.Device.(drivers.AppManager)
		if !ok {
			return fmt.Errorf("install an app: %w", drivers.ErrUnsupported)
		}
		err := session.Uses.Install(ctx, m, func() error { return m.Install(ctx, file) })
		if err != nil && action.ResultOf(err) == event.Fail { // the app is invalid, the device works
			p := action.ProblemOf(err)
			refused = &p
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	if refused != nil {
		return rest.Fault(http.StatusUnprocessableEntity, rest.CodeFailed,
			markdown.Visible(strings.ReplaceAll(refused.Message, file, "the app"), rest.MaxMessage))
	}
	rest.WriteJSON(w, http.StatusOK, Outcome{Passed: true, DurationMS: time.Since(began).Milliseconds()})
	return nil
}

const uploadMediaDoc = `Takes an image or a video as multipart/form-data with the file in the part "media", and adds it
to the device's gallery under its own name. It is removed again when the device is released.`

// mediaPart is the name of the part that contains an image or video.
const mediaPart = "media"

// uploadMedia keeps the file while it is copied. It uses the device only when the whole file has arrived, however
// slowly it was sent.
func (s *files) uploadMedia(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.device(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return s.uploads.Part(w, r, mediaPart, func(ctx context.Context, name string, media io.Reader) (err error) {
		if name = filepath.Base(filepath.ToSlash(name)); !filepath.IsLocal(name) || strings.HasPrefix(name, ".") ||
			filepath.Ext(name) == "" {
			return rest.Invalid(fmt.Sprintf("the file in the part %q needs a name such as photo.png", mediaPart))
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
		err = s.use(r.WithContext(ctx), func(ctx context.Context, session *action.Performer) error {
			m, ok := session.Device.(drivers.MediaAdder)
			if !ok {
				return fmt.Errorf("add an image: %w", drivers.ErrUnsupported)
			}
			return m.AddMedia(ctx, f.Name())
		})
		if err != nil {
			return err
		}
		rest.WriteJSON(w, http.StatusOK, Outcome{Passed: true, DurationMS: time.Since(began).Milliseconds()})
		return nil
	})
}

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
func (s *files) pullFile(w http.ResponseWriter, r *http.Request) (err error) {
	if _, err := s.device(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	name := r.URL.Query().Get("path")
	if len(name) > maxPath || !path.IsAbs(name) || path.Clean(name) != name || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, rest.IsControl) {
		return rest.Invalid("query.path: the whole path of a file, such as /sdcard/Download/report.pdf")
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
func (s *files) pull(r *http.Request, name string, f *os.File) (size int64, err error) {
	to := &copied{w: f, left: s.largestFile()}
	var missing error
	err = s.use(r, func(ctx context.Context, session *action.Performer) error {
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
		return 0, rest.Fault(http.StatusNotFound, rest.CodeNotFound, markdown.Visible(missing.Error(), rest.MaxMessage))
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
		c.err = rest.Fault(http.StatusUnprocessableEntity, rest.CodeFailed, "the file is larger than this server sends")
		return 0, c.err
	}
	n, c.err = c.w.Write(p)
	c.size += int64(n)
	return n, c.err
}
