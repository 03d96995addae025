package html

import (
	"context"
	"fmt"
	"io"
	"mime"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const maxBundle = 256 << 20 // bytes of files in a bundle

// inline embeds the files that the page shows: screenshots of this and of the last passed run, the recording, the log
// and all others.
func (b *builder) inline() {
	b.out.Inlined = map[string]string{}
	room := int64(maxBundle)
	take := func(root *os.Root, name, address string) {
		if b.out.Inlined[address] != "" || room == 0 {
			return
		}
		data, err := readFile(root, name, room)
		if err != nil {
			b.left = append(b.left, shown(fmt.Sprintf("%s: %v", name, err), maxLabel))
			return
		}
		room -= int64(len(data))
		b.out.Inlined[address] = dataAddress(inlineType(name), data)
	}
	for _, s := range b.out.Steps {
		if s.Green != nil {
			take(b.green, s.Green.path, s.Green.Src)
		}
	}
	for _, a := range b.res.Attachments {
		take(b.root, a.Path, b.link(a.Path))
	}
	for _, name := range []string{"run.md", summaryFile, eventsFile} {
		if slices.ContainsFunc(b.out.Files, func(f fileData) bool { return f.Src == b.link(name) }) {
			take(b.root, name, b.link(name))
		}
	}
	if len(b.left) > 0 {
		b.out.Remarks = append(b.out.Remarks, "This page does not contain: "+strings.Join(b.left, "; "))
	}
}

// inlineType is the media type of a file by its name. Types that a browser would run become text.
func inlineType(name string) string {
	t := mime.TypeByExtension(strings.ToLower(path.Ext(name)))
	if strings.HasPrefix(t, "image/") && !strings.Contains(t, "svg") || strings.HasPrefix(t, "video/") {
		return strings.ReplaceAll(t, " ", "")
	}
	return "text/plain;charset=utf-8"
}

// Bundle writes the page of a pack with all the files that it shows, and returns its size, and the files that it lacks
// because they cannot be read or are too large.
func Bundle(ctx context.Context, w io.Writer, packDir string) (size int64, left []string, err error) {
	page, err := runsPage(ctx, packDir)
	if err != nil {
		return 0, nil, fmt.Errorf("bundle %s: %w", packDir, err)
	}
	page = alone(page)
	for i := range page.Beside {
		page.Beside[i] = alone(page.Beside[i])
	}
	count := &counter{w: w}
	left, err = writePack(count, page, true)
	return count.n, left, err
}

// alone returns a page without links to pages outside of the bundle.
func alone(page PackPage) PackPage {
	page.Up = ""
	page.History = slices.Clone(page.History)
	for i := range page.History {
		page.History[i].Link = ""
	}
	page.Attempts = slices.Clone(page.Attempts)
	for i := range page.Attempts {
		page.Attempts[i].Link = ""
	}
	if page.Cause != nil {
		page.Cause = &CauseLink{N: page.Cause.N, Others: page.Cause.Others}
	}
	return page
}

// runsPage adds to the page of a pack what its run provides: its other attempts and its history. A pack that is not in
// a run has none.
func runsPage(ctx context.Context, packDir string) (PackPage, error) {
	dir, err := filepath.Abs(packDir)
	if err != nil {
		return PackPage{}, err
	}
	if pack.IsRunName(filepath.Base(filepath.Dir(dir))) {
		if run, err := history.LoadRun(filepath.Dir(dir)); err == nil {
			var found *PackPage
			_ = eachPage(ctx, run, func(c *history.RunCase) bool { return tryless(c.Pack) == tryless(filepath.Base(dir)) },
				func(p PackPage) {
					if p.Dir == dir {
						found = &p
					}
				}) // a history that cannot be read is not shown
			if found != nil {
				return *found, ctx.Err()
			}
		}
	}
	return loadPage(ctx, dir, Options{})
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
