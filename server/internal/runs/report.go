package runs

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/shared"
)

// reports has what runs leave.
type reports struct {
	o      Options
	jobs   *jobs.Manager
	shared *shared.Project // that several servers share; nil: only this one has the reports
}

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

func (s *reports) listReports(_ context.Context, in *listInput) (*reportList, error) {
	out := &reportList{Body: []ReportRun{}}
	entries, err := os.ReadDir(s.o.Sandbox.Config.Reports)
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

func (s *reports) deleteReport(ctx context.Context, in *reportID) (*struct{}, error) {
	switch err := history.Remove(s.o.Sandbox.Config.Reports, in.Run); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, rest.ErrNoFile
	case errors.Is(err, history.ErrInUse):
		return nil, rest.Fault(http.StatusConflict, rest.CodeConflict, history.ErrInUse.Error()+
			"; cancel it with DELETE /runs/"+in.Run)
	case err != nil:
		return nil, err
	}
	s.jobs.Forget(in.Run)
	if s.shared != nil {
		return nil, s.shared.Remove(ctx, in.Run)
	}
	return nil, nil
}

func (s *reports) reportRun(run string) ReportRun {
	r := ReportRun{Run: run, Packs: []string{}, Files: []string{}}
	entries, err := os.ReadDir(filepath.Join(s.o.Sandbox.Config.Reports, run))
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

// runFolder opens the folder of a run; nothing outside of it can be reached through it.
func (s *reports) runFolder(r *http.Request) (*os.Root, error) {
	run := r.PathValue("run")
	if !pack.IsRunName(run) {
		return nil, rest.ErrNoFile
	}
	dir := filepath.Join(s.o.Sandbox.Config.Reports, run)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, rest.ErrNoFile
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, rest.ErrNoFile
	}
	return root, err
}

// report serves a file or a pack of a run.
func (s *reports) report(w http.ResponseWriter, r *http.Request) error {
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
	return rest.ServeFile(w, r, root, name)
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
		return rest.Fault(http.StatusNotFound, rest.CodeNotFound, "the pack is not complete yet")
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
		return rest.ErrNoFile
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
			out.Files = append(out.Files, ReportFile{Path: p, Size: info.Size(), Type: rest.FileType(p)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	rest.WriteJSON(w, http.StatusOK, out)
	return nil
}

// reportFile serves a file of a pack.
func (s *reports) reportFile(w http.ResponseWriter, r *http.Request) error {
	root, err := s.runFolder(r)
	if err != nil {
		return err
	}
	defer root.Close() // only read
	name := r.PathValue("name")
	if !isPack(root, name) {
		return rest.ErrNoFile
	}
	if r.PathValue("path") == "" {
		return listPack(w, root, r.PathValue("run"), name)
	}
	return rest.ServeFile(w, r, root, name+"/"+r.PathValue("path")) // keep a slash at the end: such a path is not a file
}

// received creates the pages of a run after an upload, and removes runs beyond the limits.
func (s *reports) received(ctx context.Context, runDir string) error {
	err := s.o.Sandbox.Config.Received(ctx, runDir)
	if err != nil {
		s.o.Log.WarnContext(ctx, "cannot write the pages of an upload", "run", runDir, "error", err)
	}
	return err
}
