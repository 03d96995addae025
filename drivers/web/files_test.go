package web

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

func TestUploads(t *testing.T) {
	t.Parallel()
	d := browse(t, "files.html")
	paths := uploads(t, d)
	dir := filepath.Dir(paths[0])
	Must(t, d.Upload(t.Context(), target("#choose"), paths)) // it opens a file dialog
	mustShow(t, d, "#log", "behind f0.txt=text 0,f1.txt=text 1")
	WantError(t, d.Upload(t.Context(), target("#plain"), paths), drivers.ErrNotActionable, "multiple")
	WantError(t, d.Upload(t.Context(), drivers.WebTarget{Selector: "#nothing", Timeout: 3 * time.Second}, paths),
		drivers.ErrNotActionable, "opened no file dialog")
	WantError(t, d.Upload(t.Context(), soon("#plain"), []string{filepath.Join(dir, "none")}), screen.ErrNotFound,
		"there is no file")
	WantError(t, d.Upload(t.Context(), soon("#none"), paths), screen.ErrNotFound)
}

// uploads puts files into the fields of the page files.html.
func uploads(t *testing.T, d *device) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range 2 {
		path := filepath.Join(dir, fmt.Sprintf("f%d.txt", i))
		Must(t, os.WriteFile(path, fmt.Appendf(nil, "text %d", i), 0o600))
		paths = append(paths, path)
	}
	Must(t, d.Upload(t.Context(), target("#plain"), paths[:1]))
	mustShow(t, d, "#log", "plain f0.txt=text 0")
	Must(t, d.Upload(t.Context(), target("#several"), paths))
	mustShow(t, d, "#log", "several f0.txt=text 0,f1.txt=text 1")
	Must(t, d.Upload(t.Context(), target("#several"), nil))
	mustShow(t, d, "#log", "several empty")
	return paths
}

// A user can choose no files for a disabled field.
func TestUploadIntoADisabledField(t *testing.T) {
	t.Parallel()
	d := display(t, `<label id=named>Photo <input type=file id=off disabled></label><input type=file id=later disabled>
		<script>setTimeout(() => { later.disabled = false }, 700)</script>`)
	file := filepath.Join(t.TempDir(), "a.txt")
	Must(t, os.WriteFile(file, []byte("a"), 0o600))
	Must(t, d.Upload(t.Context(), target("#later"), []string{file}))
	for _, selector := range []string{"#off", "#named"} {
		WantError(t, d.Upload(t.Context(), soon(selector), []string{file}), drivers.ErrNotActionable, "is disabled")
	}
}

func TestUploadOfAFolder(t *testing.T) {
	t.Parallel()
	d := display(t, `<input type=file id=one><input type=file id=all webkitdirectory><p id=log></p><script>
		all.onchange = () => log.textContent = [...all.files].map(f => f.webkitRelativePath).sort().join()</script>`)
	dir := filepath.Join(t.TempDir(), "photos")
	Must(t, os.MkdirAll(filepath.Join(dir, "old"), 0o700))
	for _, name := range []string{"a.txt", "old/b.txt"} {
		Must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	Must(t, d.Upload(t.Context(), target("#all"), []string{dir}))
	mustShow(t, d, "#log", "photos/a.txt,photos/old/b.txt")
	WantError(t, d.Upload(t.Context(), target("#one"), []string{dir}), drivers.ErrNotActionable, "directories")
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	download(t, visitPage(t, "files.html"), "did not end in time")
}

// TestWebKitDownloads: WebKit puts files into a folder of its own, never into the user's.
func TestWebKitDownloads(t *testing.T) {
	leftToWebKit(t)
	home := t.TempDir()
	Must(t, os.Mkdir(filepath.Join(home, "Downloads"), 0o700))
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), site.Page("files.html"), drivers.PageOptions{}))
	download(t, d, "no download started") // a file starts when the browser writes it
	left, err := filepath.Glob(filepath.Join(home, "*", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("in the user's folders: %v, %v", left, err)
	}
}

// download keeps files that a page offers; late is the error of one of which the first bytes come alone.
func download(t *testing.T, d *device, late string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "downloads")
	never := 10 * time.Second
	if testing.Short() {
		never = 3 * time.Second
	}
	type row struct{ id, name, file, content string }
	list := []row{
		{"get", "", "report.csv", "a,b\n1,2\n"}, {"get", "", "report-2.csv", "a,b\n1,2\n"},
		{"get", "mine.csv", "mine.csv", "a,b\n1,2\n"},
		{"get", "../../x.csv", "x.csv", "a,b\n1,2\n"}, {"evil", "", "evil.txt", "a,b\n1,2\n"},
		{"slow", "", "report-3.csv", "a,b\n1,2\n"},
		{"made", "", "made.txt", "made here"}, {"tab", "", "report-4.csv", "a,b\n1,2\n"},
	}
	if testing.Short() {
		list = slices.DeleteFunc(list, func(c row) bool {
			return c.name == "mine.csv" || c.id == "evil" || c.id == "tab" ||
				c.id == "made"
		})
	}
	for _, c := range list {
		path, err := d.Download(t.Context(), target("#"+c.id), dir, c.name)
		Must(t, err)
		if filepath.Dir(path) != dir || !strings.HasSuffix(filepath.Base(path), c.file) {
			t.Errorf("%s: saved as %s", c.id, path)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.content {
			t.Errorf("%s: %q, %v", c.id, text, err)
		}
	}
	_, err := d.Download(t.Context(), drivers.WebTarget{Selector: "#nothing", Timeout: 3 * time.Second}, dir, "")
	WantError(t, err, screen.ErrNotFound, "no download started")
	_, err = d.Download(t.Context(), drivers.WebTarget{Selector: "#never", Timeout: never}, dir, "")
	WantError(t, err, screen.ErrNotFound, late)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(never/10, cancel)
	_, err = d.Download(ctx, drivers.WebTarget{Selector: "#never", Timeout: time.Minute}, dir, "")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled download: %v", err)
	}
	Must(t, d.ClosePage(t.Context()))
	d.slot.Calls.Wait()
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
