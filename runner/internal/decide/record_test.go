package decide_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// recordings returns the searches of a file of testdata: artifacts/frames.ndjson of a report pack, compressed.
func recordings(t testing.TB, file string) []decide.Recorded {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var from io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if from, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	list, err := decide.Read(from)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return list
}

// recorded lists the files of recorded searches. A wrong result that a user reports becomes a test by copying a file
// there; TAPROOT_FRAMES names other folders, with ":" between them.
func recorded(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range filepath.SplitList(os.Getenv("TAPROOT_FRAMES")) {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if filepath.Base(path) == "frames.ndjson" {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestRecordedSearches: the recorded frames lead to the recorded results again.
func TestRecordedSearches(t *testing.T) {
	t.Parallel()
	files, searches := recorded(t), 0
	for _, file := range files {
		for i, r := range recordings(t, file) {
			if r.Gone > 0 {
				continue
			}
			searches++
			if got := r.Again(); !got.Equal(r.Result) {
				t.Errorf("%s, search %d (step %d, %s %+v):\n got %+v\nwant %+v", file, i+1, r.Step, r.Want.Purpose,
					r.Want.Selector, got, r.Result)
			}
		}
	}
	if len(files) < 500 || searches < 650 {
		t.Errorf("only %d searches in %d files", searches, len(files))
	}
}

// TestReadRefuses: what is not a whole file of this format is an error that says where.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	head := `{"format":"taproot.frames/1"}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"another format", `{"format":"taproot.frames/9"}`,
			`the format is "taproot.frames/9", and this version reads "taproot.frames/1"`},
		{"no format", `{"tree":"a","data":{}}`, `the format is ""`},
		{"junk", head + "junk\n", "line 2: "},
		{"cut", head + `{"step":1,"search":{"want"`, "line 2: "},
		{"a missing tree", head + `{"step":1,"search":{"frames":[{"tree":"abc"}]}}`, `line 2: a tree is missing: "abc"`},
	} {
		_, err := decide.Read(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestWriterKeepsToItsLimit: what is beyond the limit is recorded as gone, and what is secret is masked.
func TestWriterKeepsToItsLimit(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := decide.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	w.Mask = func(text string) string { return strings.ReplaceAll(text, "Sign in", "•••") }
	c := screenOf(text("Sign in"))
	r := decide.Recording{Want: c.want, Frames: c.frames(0), Result: decide.Result{Kind: decide.Found}}
	if err := w.Add(3, r); err != nil {
		t.Fatal(err)
	}
	w.Limit = out.Len() + 10
	r.Frames = screenOf(text("Another")).frames(0)
	if err := w.Add(4, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "Sign in") {
		t.Errorf("a secret was written: %s", out.String())
	}
	list, err := decide.Read(&out)
	if err != nil || len(list) != 2 || list[0].Step != 3 || list[1].Step != 4 || list[1].Gone == 0 {
		t.Errorf("%+v %v", list, err)
	}
}

// FuzzRead: foreign bytes are an error or searches that can be decided on, never a panic.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format":"taproot.frames/1"}` + "\n" + `{"tree":"a","data":{"w":[{"type":"window"}]}}` + "\n" +
		`{"step":1,"search":{"want":{"purpose":"act","selector":{"label":"x"}},"frames":[{"tree":"a"}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := decide.Read(bytes.NewReader(data))
		if err != nil && errors.Is(err, io.ErrUnexpectedEOF) {
			return
		}
		for _, r := range list {
			if r.Gone == 0 {
				r.Again()
			}
		}
	})
}

// BenchmarkWriter writes the searches of a shop, as at the end of each step.
func BenchmarkWriter(b *testing.B) {
	list := recordings(b, "testdata/web-shop.ndjson.gz")
	for b.Loop() {
		w, err := decide.NewWriter(io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range list {
			if err := w.Add(r.Step, r.Recording); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(list)), "searches")
}
