package engine_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/pack"
	"github.com/taproot-dev/taproot/runner/engine"
)

// keeper is a page that becomes another one with each tap.
type keeper struct {
	*device
	says string
	err  error
}

func (d *keeper) Tap(ctx context.Context, p image.Point) error {
	d.says = fmt.Sprintf(`{"nodes":[{"p":-1,"x":"after tap %d, secret hunter2"}]}`, d.taps+1)
	return d.device.Tap(ctx, p)
}

func (d *keeper) PageSnapshot(context.Context) ([]byte, error) { return []byte(d.says), d.err }

// TestSnapshotsOfPages: each step names the page as it left it; a page that did not change is kept once; secrets are
// masked.
func TestSnapshotsOfPages(t *testing.T) {
	t.Parallel()
	d := &keeper{device: &device{}, says: `{"nodes":[]}`}
	dir, err := pack.NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	p, err := dir.NewPack(event.Case{ID: "t", Pack: "t"}, pack.PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.Mask().Hide("hunter2")
	if _, err := engine.Run(t.Context(),
		testCase(t, "  - assert: Ready\n  - tap: Go\n  - assert: Ready\n  - assert: Go\n"), d, p,
		engine.Options{}); err != nil {
		t.Fatal(err)
	}
	res, err := p.Finish(t.Context())
	if err != nil || res.Result != event.Pass {
		t.Fatalf("%v %+v", err, res.Problem)
	}
	var of []string
	for _, s := range res.Steps {
		for _, a := range s.Attachments {
			if a.Kind == event.KindDOM {
				of = append(of, fmt.Sprint(s.N, " ", a.Path))
			}
		}
	}
	if got := strings.Join(of,
		", "); got != "1 artifacts/dom-01.json.gz, 2 artifacts/dom-02.json.gz, 3 artifacts/dom-02.json.gz, 4 "+
		"artifacts/dom-02.json.gz" {
		t.Errorf("steps have %s", got)
	}
	if got := strings.Join(res.Artifacts(), " "); strings.Count(got, "dom-") != 2 {
		t.Errorf("the pack holds %s", got)
	}
	for i, w := range []string{"artifacts/dom-01.json.gz", "artifacts/dom-02.json.gz"} {
		f, err := os.Open(filepath.Join(p.Dir(), w))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil || strings.Contains(string(text), "hunter2") ||
			strings.Contains(string(text), "after tap 1, secret •••") != (i == 1) {
			t.Errorf("%s holds %s, %v", w, text, err)
		}
	}
}

// A page that cannot be read does not change the result, and is reported once.
func TestSnapshotsThatFail(t *testing.T) {
	t.Parallel()
	d := &keeper{device: &device{}, err: fmt.Errorf("too much")}
	run(t, "  - tap: Go\n  - assert: Ready\n", d, func(t *testing.T, s *sink, r *event.CaseResult) {
		var notes []string
		for _, step := range r.Steps {
			notes = append(notes, step.Notes...)
			if step.Detail != nil {
				notes = append(notes, step.Detail.Notes...)
			}
		}
		if r.Result != event.Pass || strings.Count(strings.Join(notes, " "),
			"no snapshot of the page's elements: too much") != 1 {
			t.Errorf("%s %q", r.Result, notes)
		}
	})
}

var _ drivers.PageSnapshotter = (*keeper)(nil)
