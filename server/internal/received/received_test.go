package received_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/server/internal/received"
)

const summary = `{"id":"login","result":"pass","duration_ms":1,"steps":1,"steps_passed":1,"steps_failed":0,` +
	`"screenshots":0,"artifacts":[]}`

// entry is an entry of a tar; a body is for regular files.
type entry struct {
	h    tar.Header
	body string
}

func reg(name, body string) entry {
	return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(body)), Mode: 0o644}, body}
}
func dir(name string) entry {
	return entry{h: tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o755}}
}

func special(kind byte, name, to string) entry {
	return entry{h: tar.Header{Typeflag: kind, Name: name, Linkname: to, Mode: 0o777}}
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		if err := w.WriteHeader(&e.h); err != nil {
			t.Fatalf("%s: %v", e.h.Name, err)
		}
		if _, err := io.WriteString(w, e.body); err != nil {
			t.Fatalf("%s: %v", e.h.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func archive(t testing.TB, entries ...entry) []byte { return zip(t, tarOf(t, entries...)) }

// patch changes the first header of a tar to a value that archive/tar refuses to write.
func patch(data []byte, change func(header []byte)) []byte {
	change(data[:512])
	copy(data[148:156], "        ")
	sum := 0
	for _, c := range data[:512] {
		sum += int(c)
	}
	copy(data[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return data
}

// raw returns an archive with any name for its first file.
func raw(t testing.TB, name string, more ...entry) []byte {
	t.Helper()
	data := tarOf(t, append([]entry{reg(strings.Repeat("x", len(name)), "x")}, more...)...)
	return zip(t, patch(data, func(h []byte) { copy(h, name) }))
}

func good() []entry {
	return []entry{dir("login/"), reg("login/summary.json", summary), reg("login/run.md", "# login\n"),
		dir("login/screenshots/"),
		reg("login/screenshots/01-tap.png", "png")}
}

func with(more ...entry) []entry { return append(good(), more...) }

// tree lists the files in a folder, except the lock of uploads.
func tree(t testing.TB, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && p != root && d.Name() != ".uploads.lock" {
			rel, _ := filepath.Rel(root, p)
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// small are limits that a test can exceed.
var small = upload.Limits{Archive: 4 << 20, Bytes: 64 << 20, File: 32 << 20, Files: 100}

func TestHostileArchives(t *testing.T) {
	whole := archive(t, good()...)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 0xff
	middle := bytes.Clone(whole)
	middle[len(middle)/2] ^= 0xff
	many := good()
	for i := range 200 {
		many = append(many, reg(fmt.Sprintf("login/artifacts/%d", i), ""))
	}
	zeros := strings.Repeat("\x00", 30<<20)
	noise := make([]byte, 5<<20)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(noise)
	deep := "login/" + strings.Repeat("d/", 30) + "f"
	pax := patch(tarOf(t, append([]entry{reg("x", strings.Repeat("y", 6<<20))}, good()...)...),
		func(h []byte) { h[156] = tar.TypeXHeader })
	claims := tarOf(t, good()...)
	hugeSize := tarOf(t, reg("login/summary.json", summary))
	patch(hugeSize, func(h []byte) { copy(h[124:136], "77777777777\x00") })

	const refused, large = "refused", "too large"
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, refused},
		{"one byte", []byte{0x1f}, refused},
		{"no gzip", []byte("hello, I am a pack"), refused},
		{"a zip file", []byte("PK\x03\x04" + strings.Repeat("x", 100)), refused},
		{"a tar without gzip", claims, refused},
		{"gzip of nothing", zip(t, nil), refused},
		{"gzip of text", zip(t, []byte(strings.Repeat("hello ", 200))), refused},
		{"gzip of zeros alone", zip(t, make([]byte, 4096)), refused},
		{"gzip within gzip", zip(t, whole), refused},
		{"cut in the header", whole[:8], refused},
		{"cut in the middle", whole[:len(whole)/2], refused},
		{"cut before the checksum", whole[:len(whole)-8], refused},
		{"a wrong checksum", flipped, refused},
		{"a flipped bit", middle, refused},
		{"something after the end", append(bytes.Clone(whole), "junk junk junk junk"...), refused},
		{"a second gzip member", append(bytes.Clone(whole), whole...), refused},
		{"a second gzip member of nothing", append(bytes.Clone(whole), zip(t, nil)...), refused},
		{"one tar in two gzip members", append(zip(t, claims[:700]), zip(t, claims[700:])...), refused},
		{"a byte after the end", append(bytes.Clone(whole), 0), refused},
		{"a second archive after the end of the first",
			zip(t, append(tarOf(t, good()...), bytes.Repeat([]byte("more"), 1<<20)...)), refused},
		{"no files", archive(t), refused},
		{"folders only", archive(t, dir("login/"), dir("login/screenshots/")), refused},
		{"no summary", archive(t, reg("login/run.md", "# login")), refused},
		{"an empty summary", archive(t, reg("login/summary.json", "")), refused},
		{"a summary that is not JSON", archive(t, reg("login/summary.json", "{")), refused},
		{"a summary that is a list", archive(t, reg("login/summary.json", "[]")), refused},
		{"a summary without an id", archive(t, reg("login/summary.json", `{"result":"pass"}`)), refused},
		{"an id that leads out", archive(t, reg("summary.json", `{"id":"../../x","result":"pass"}`)), refused},
		{"an id that is a hidden folder", archive(t, reg("summary.json", `{"id":".keep","result":"pass"}`)), refused},
		{"an unknown result", archive(t, reg("login/summary.json", `{"id":"login","result":"great"}`)), refused},
		{"a huge summary", archive(t, reg("login/summary.json", `{"id":"`+strings.Repeat("x", 5<<20)+`"}`)), large},
		{"a folder with an invalid pack name", archive(t, reg("--login/summary.json", summary)), refused},
		{"two packs", archive(t, with(reg("other/summary.json", summary))...), refused},
		{"a file next to the pack", archive(t, with(reg("evil.sh", "x"))...), refused},
		{"a run that had not ended", archive(t, with(reg("login/.work/aside", "x"))...), refused},
		{"events that do not agree",
			archive(t, with(reg("login/events.ndjson", `{"event":"case_started","case":{"id":"other"}}`+"\n"))...), refused},
		{"events that are junk", archive(t, with(reg("login/events.ndjson", "junk\njunk\n"))...), refused},
		{"a manifest that does not agree",
			archive(t, with(reg("login/manifest.json", `{"files":[{"path":"run.md","size":1,"sha256":"00"}]}`))...), refused},
		{"a manifest that leads out",
			archive(t, with(reg("login/manifest.json", `{"files":[{"path":"../../../etc/passwd","size":1,"sha256":"00"}]}`))...),
			refused},
		{"a parent folder", archive(t, with(reg("../evil", "x"))...), refused},
		{"a parent folder within", archive(t, with(reg("login/../../evil", "x"))...), refused},
		{"a parent folder that stays within", archive(t, with(reg("login/a/../b", "x"))...), refused},
		{"an absolute path", archive(t, with(reg("/tmp/evil", "x"))...), refused},
		{"an absolute folder", archive(t, with(dir("/etc/"))...), refused},
		{"backslashes", archive(t, with(reg(`login\..\..\evil`, "x"))...), refused},
		{"a drive", archive(t, with(reg("C:/evil", "x"))...), refused},
		{"a stream of a file", archive(t, with(reg("login/run.md:evil", "x"))...), refused},
		{"a control character", archive(t, with(reg("login/a\nb", "x"))...), refused},
		{"no UTF-8", raw(t, "login/\xff\xfe", good()...), refused},
		{"an empty name", raw(t, "\x00", good()...), refused},
		{"a name of dots and blanks", archive(t, with(reg("login/ . ", "x"))...), refused},
		{"a name that is too long", archive(t, with(reg("login/"+strings.Repeat("x", 300), "x"))...), refused},
		{"a path that is too long", archive(t, with(reg("login/"+strings.Repeat("xxxxxxx/", 200)+"x", "x"))...), refused},
		{"folders too deep", archive(t, with(reg(deep, "x"))...), refused},
		{"a symbolic link", archive(t, with(special(tar.TypeSymlink, "login/link", "/etc/passwd"))...), refused},
		{"a file through a symbolic link",
			archive(t, with(special(tar.TypeSymlink, "login/out", "/tmp"), reg("login/out/evil", "x"))...), refused},
		{"a symbolic link in place of the summary", archive(t, special(tar.TypeSymlink, "login/summary.json", "/etc/passwd")),
			refused},
		{"a hard link", archive(t, with(special(tar.TypeLink, "login/link", "login/run.md"))...), refused},
		{"a hard link that leads out", archive(t, with(special(tar.TypeLink, "login/link", "/etc/shadow"))...), refused},
		{"a character device", archive(t, with(special(tar.TypeChar, "login/null", ""))...), refused},
		{"a block device", archive(t, with(special(tar.TypeBlock, "login/sda", ""))...), refused},
		{"a pipe", archive(t, with(special(tar.TypeFifo, "login/pipe", ""))...), refused},
		{"a file twice", archive(t, with(reg("login/run.md", "again"))...), refused},
		{"a file twice but for case", archive(t, with(reg("login/RUN.md", "again"))...), refused},
		{"a file and a folder of one name", archive(t, with(reg("login/run.md/x", "x"))...), refused},
		{"a folder and a file of one name", archive(t, with(reg("login/screenshots", "x"))...), refused},
		{"a huge header", zip(t, pax), refused},
		{"a size that is not there", zip(t, hugeSize), large},
		{"too many files", archive(t, many...), large},
		{"zeros, a thousandfold", archive(t, with(reg("login/zeros", zeros))...), refused},
		{"a file that is too large", archive(t, with(reg("login/zeros", zeros+zeros))...), large},
		{"files that are too large together",
			archive(t, with(reg("login/a", string(noise)), reg("login/b", zeros), reg("login/c", zeros))...), large},
		{"an archive that is too large", archive(t, with(reg("login/noise", string(noise)))...), large},
		{"zeros after the end", zip(t, append(tarOf(t, good()...), make([]byte, 8<<20)...)), refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			around := t.TempDir()
			reports := filepath.Join(around, "a", "reports")
			store := &received.Store{Reports: reports, Limits: small}
			stored, err := store.Put(t.Context(), bytes.NewReader(c.data))
			var r *upload.Refused
			var l *upload.TooLarge
			if c.want == refused && !errors.As(err, &r) || c.want == large && !errors.As(err, &l) {
				t.Errorf("%+v, %v", stored, err)
			}
			if left := tree(t, around); len(left) > 2 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestGoodArchives(t *testing.T) {
	for name, entries := range map[string][]entry{
		"in its folder":      good(),
		"without folders":    {reg("login/summary.json", summary), reg("login/run.md", "# login\n")},
		"without any folder": {reg("summary.json", summary), reg("run.md", "# login\n")},
		"from a dot":         {dir("./"), reg("./summary.json", summary), reg("./run.md", "# login\n")},
		"in folders": {reg("tests/reports/2026-03-04T05-06-07/login/summary.json", summary),
			reg("tests/reports/2026-03-04T05-06-07/login/run.md", "x")},
		"summaries in it": with(reg("login/artifacts/summary.json", "another program's summary")),
		"several parts":   with(reg("login/recording.mp4", strings.Repeat("film", 1<<18))),
		"a comment at the top": append(
			[]entry{{h: tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{
				"comment": "x"}}}}, good()...),
	} {
		t.Run(name, func(t *testing.T) {
			reports := t.TempDir()
			stored, err := (&received.Store{Reports: reports}).Put(t.Context(), bytes.NewReader(archive(t, entries...)))
			if err != nil || stored.Pack != "login" || stored.Known || !pack.IsRunName(stored.Run) {
				t.Fatalf("%+v, %v", stored, err)
			}
			data, err := os.ReadFile(filepath.Join(reports, stored.Run, "login", "summary.json"))
			if err != nil || string(data) != summary {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
}

// endless returns an archive of a pack with a recording of n random bytes, which is generated while it is read.
func endless(n int64) io.Reader {
	in, out := io.Pipe()
	go func() {
		zip, _ := gzip.NewWriterLevel(out, gzip.HuffmanOnly)
		w := tar.NewWriter(zip)
		for _, e := range good() {
			_ = w.WriteHeader(&e.h)
			_, _ = io.WriteString(w, e.body)
		}
		_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "login/recording.mp4", Size: n, Mode: 0o644})
		_, err := io.CopyN(w, rand.NewChaCha8([32]byte{}), n)
		_ = out.CloseWithError(errors.Join(err, w.Close(), zip.Close()))
	}()
	return in
}

// TestMemoryIsFlat checks that the memory for an upload does not grow with its size.
func TestMemoryIsFlat(t *testing.T) {
	store := &received.Store{Reports: t.TempDir()}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	size := int64(150 << 20)
	if testing.Short() {
		size = 40 << 20
	}
	if _, err := store.Put(t.Context(), endless(size)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 9<<20 {
		t.Errorf("%d bytes took %d bytes of allocations", size, grown)
	}
}

func FuzzPut(f *testing.F) {
	f.Add(archive(f, good()...), true)
	f.Add(tarOf(f, good()...), false)
	f.Add(tarOf(f, with(special(tar.TypeSymlink, "login/x", "/etc"), reg("login/x/evil", "x"))...), false)
	f.Add(tarOf(f, with(reg("../evil", "x"))...), false)
	f.Fuzz(func(t *testing.T, data []byte, compressed bool) {
		if !compressed {
			data = zip(t, data)
		}
		around := t.TempDir()
		reports := filepath.Join(around, "reports")
		stored, err := (&received.Store{Reports: reports, Limits: upload.Limits{Bytes: 1 << 20, Files: 50}}).Put(t.Context(),
			bytes.NewReader(data))
		left := tree(t, around)
		if err != nil && len(left) > 1 {
			t.Fatalf("%v, and left behind: %q", err, left)
		}
		if err == nil {
			if _, err := os.Stat(filepath.Join(reports, stored.Run, stored.Pack, "summary.json")); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range left {
			if info, err := os.Lstat(filepath.Join(around, name)); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
				t.Fatalf("%s: %v, %v", name, info, err)
			}
		}
	})
}
