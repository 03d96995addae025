package server

import (
	"context"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/reporters/history"
	"github.com/taproot-dev/taproot/reporters/pack"
)

const reportDoc = `With the name of a pack: the list of its files, as JSON. With NAME.tar.gz: the pack as an archive, as
POST /reports/upload accepts it.
Otherwise a file of the run, such as index.html, junit.xml or run.json. Pages are shown in a sandbox.`

// ReportRun is a run with reports.
type ReportRun struct {
	Run   string   `json:"run" example:"2026-03-04T05-06-07"`
	Packs []string `json:"packs" nullable:"false"`
	Files []string `json:"files" nullable:"false" doc:"What belongs to the run as a whole."`
}

// ReportPack is the list of files of a pack.
type ReportPack struct {
	Run   string       `json:"run"`
	Pack  string       `json:"pack"`
	Files []ReportFile `json:"files" nullable:"false"`
}

// ReportFile is one file of a pack.
type ReportFile struct {
	Path string `json:"path" example:"screenshots/01-tap.png"`
	Size int64  `json:"size"`
	Type string `json:"type" example:"image/png"`
}

type reportList struct{ Body []ReportRun }

func (s *Server) listReports(_ context.Context, in *listInput) (*reportList, error) {
	out := &reportList{Body: []ReportRun{}}
	entries, err := os.ReadDir(s.o.Config.Reports)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range slices.Backward(entries) {
		if !e.IsDir() || !pack.IsRunName(e.Name()) || in.Before != "" && e.Name() >= in.Before {
			continue
		}
		if len(out.Body) == in.Limit {
			break
		}
		out.Body = append(out.Body, s.reportRun(e.Name()))
	}
	return out, nil
}

type reportID struct {
	Run string `path:"run" maxLength:"64" example:"2026-03-04T05-06-07"`
}

func (s *Server) deleteReport(ctx context.Context, in *reportID) (*struct{}, error) {
	switch err := history.Remove(s.o.Config.Reports, in.Run); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoReport
	case errors.Is(err, history.ErrInUse):
		return nil, fault(http.StatusConflict, codeConflict, history.ErrInUse.Error()+"; cancel it with DELETE /runs/"+in.Run)
	case err != nil:
		return nil, err
	}
	s.runs.Forget(in.Run)
	if s.shared != nil {
		return nil, s.shared.Remove(ctx, in.Run)
	}
	return nil, nil
}

func (s *Server) reportRun(run string) ReportRun {
	r := ReportRun{Run: run, Packs: []string{}, Files: []string{}}
	entries, err := os.ReadDir(filepath.Join(s.o.Config.Reports, run))
	if err != nil {
		return r // it was deleted meanwhile
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, "."):
		case e.IsDir() && pack.IsPackName(name):
			r.Packs = append(r.Packs, name)
		case e.Type().IsRegular():
			r.Files = append(r.Files, name)
		}
	}
	return r
}

var errNoReport = fault(http.StatusNotFound, codeNotFound, "there is no such report")

// runFolder opens the folder of a run; nothing outside of it can be reached through it.
func (s *Server) runFolder(r *http.Request) (*os.Root, error) {
	run := r.PathValue("run")
	if !pack.IsRunName(run) {
		return nil, errNoReport
	}
	dir := filepath.Join(s.o.Config.Reports, run)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, errNoReport
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoReport
	}
	return root, err
}

// report serves a file or a pack of a run.
func (s *Server) report(w http.ResponseWriter, r *http.Request) error {
	root, err := s.runFolder(r)
	if err != nil {
		return err
	}
	defer root.Close() // only read
	name := r.PathValue("name")
	if pack, ok := strings.CutSuffix(name, ".tar.gz"); ok && isPack(root, pack) {
		return archive(w, filepath.Join(root.Name(), pack))
	}
	if isPack(root, name) {
		return listPack(w, root, r.PathValue("run"), name)
	}
	return serveFile(w, r, root, name)
}

func isPack(root *os.Root, name string) bool {
	if !pack.IsPackName(name) {
		return false
	}
	info, err := root.Lstat(name)
	return err == nil && info.IsDir()
}

// archive writes a pack as tar.gz while it is read. Each part may take the client's time limit for one write.
func archive(w http.ResponseWriter, dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, "summary.json")); err != nil {
		return fault(http.StatusNotFound, codeNotFound, "the pack is not complete yet")
	}
	h := w.Header()
	h.Set("Content-Type", "application/gzip")
	h.Set("Content-Disposition", `attachment; filename="`+filepath.Base(dir)+`.tar.gz"`)
	err := pack.Archive(dir, w)
	if err != nil {
		h.Del("Content-Disposition") // if nothing was sent yet, an error must not be an attachment
	}
	return err
}

// maxListed limits how many files of a pack are listed.
const maxListed = 50_000

func listPack(w http.ResponseWriter, root *os.Root, run, name string) error {
	out := ReportPack{Run: run, Pack: name, Files: []ReportFile{}}
	pack, err := root.OpenRoot(name)
	if err != nil {
		return errNoReport
	}
	defer pack.Close() // only read
	err = fs.WalkDir(pack.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(out.Files) == maxListed:
			return fs.SkipAll
		case p != "." && strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "."):
			return nil
		}
		if info, err := d.Info(); err == nil {
			out.Files = append(out.Files, ReportFile{Path: p, Size: info.Size(), Type: fileType(p)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// reportFile serves a file of a pack.
func (s *Server) reportFile(w http.ResponseWriter, r *http.Request) error {
	root, err := s.runFolder(r)
	if err != nil {
		return err
	}
	defer root.Close() // only read
	name := r.PathValue("name")
	if !isPack(root, name) {
		return errNoReport
	}
	if r.PathValue("path") == "" {
		return listPack(w, root, r.PathValue("run"), name)
	}
	return serveFile(w, r, root, name+"/"+r.PathValue("path")) // keep a slash at the end: such a path is not a file
}

// serveFile serves a regular file below root. The content type depends on the extension. Pages of reports contain text
// of tested apps, so they run in a sandbox with an opaque origin, without access to this server.
func serveFile(w http.ResponseWriter, r *http.Request, root *os.Root, name string) error {
	if !fs.ValidPath(name) || hiddenPart(name) {
		return errNoReport
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return errNoReport
	}
	f, err := root.Open(name)
	if err != nil {
		return errNoReport
	}
	defer f.Close() // only read
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errNoReport
	}
	h := w.Header()
	h.Set("Content-Type", fileType(name))
	h.Set("Content-Security-Policy",
		"sandbox allow-scripts allow-downloads allow-popups; default-src 'self' 'unsafe-inline' data: blob:; connect-src "+
			"'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // a sandbox is another origin; the credential was checked before
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	http.ServeContent(&fileHeader{ResponseWriter: w}, r, "", info.ModTime(), f)
	return nil
}

// fileHeader replaces the plain-text 416 of net/http by the JSON form of this API.
type fileHeader struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (f *fileHeader) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		f.refused = true
		writeError(f.ResponseWriter, fault(status, codeInvalid, "the file has no such range"))
		return
	}
	f.ResponseWriter.WriteHeader(status)
}

func (f *fileHeader) Write(part []byte) (int, error) {
	if f.refused {
		return len(part), nil
	}
	return f.ResponseWriter.Write(part)
}

func hiddenPart(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
}

// fileType returns the content type for the extension, never for the content.
func fileType(name string) string {
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
