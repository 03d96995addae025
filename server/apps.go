package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/markdown"
	"github.com/taproot-dev/taproot/runner/action"
)

const uploadAppDoc = `Takes an app as multipart/form-data with the file in the part "app", an APK, split APKs (.apks,
.apkm, .xapk) or an IPA, and installs it over the installed version. The file is not kept. POST /devices/{id}/install
does the same with a file on the server.`

const (
	appPart = "app"     // the name of the part that contains an app
	maxApp  = 512 << 20 // bytes of it, when uploads have no limit
)

// Apps are the apps of a device.
type Apps struct {
	Apps []string `json:"apps" nullable:"false" doc:"Installed on top of the system's, by name." example:"[\"com.example.app\"]"`
}

func (s *Server) listApps(w http.ResponseWriter, r *http.Request) error {
	out := Apps{Apps: []string{}}
	err := s.use(r, func(ctx context.Context, session *action.Session) error {
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
	writeJSON(w, http.StatusOK, out)
	return nil
}

// uploadApp keeps the file while it is installed. It uses the device only when the whole file has arrived, however
// slowly it was sent.
func (s *Server) uploadApp(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.device(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return s.archiveOf(w, r, appPart, func(ctx context.Context, name string, app io.Reader) (err error) {
		kind := strings.ToLower(path.Ext(name))
		if !slices.Contains([]string{".apk", ".apks", ".apkm", ".xapk", ".ipa"}, kind) {
			return invalid(fmt.Sprintf("the name of the file in the part %q must end in .apk, .apks, .apkm, .xapk or .ipa",
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
func (s *Server) largestFile() int64 {
	if s.o.Upload.Archive == 0 {
		return maxApp
	}
	return s.o.Upload.Archive
}

// keepApp copies the uploaded app, at most as many bytes as an upload may have.
func (s *Server) keepApp(to io.Writer, app io.Reader) error {
	most := s.largestFile()
	n, err := io.Copy(to, io.LimitReader(app, most+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTooLong
	case errors.Is(err, io.ErrUnexpectedEOF):
		return invalid("the body is cut off")
	case err == nil && n > most:
		return &upload.TooLarge{Why: fmt.Sprintf("the file has more than %d bytes", most)}
	}
	return err
}

func (s *Server) installApp(w http.ResponseWriter, r *http.Request, file string) error {
	began := time.Now()
	var refused *event.Problem
	err := s.use(r, func(ctx context.Context, session *action.Session) error {
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
		return fault(http.StatusUnprocessableEntity, codeFailed,
			markdown.Visible(strings.ReplaceAll(refused.Message, file, "the app"), maxMessage))
	}
	writeJSON(w, http.StatusOK, Outcome{Passed: true, DurationMS: time.Since(began).Milliseconds()})
	return nil
}
