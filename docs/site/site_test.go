package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/taproot-dev/taproot/docs"
)

const source = "https://example.com/repo/blob/main/docs/"

func writeSite(t *testing.T, files fs.FS) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	if err := write(dir, options{files: files, source: source}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func small() fstest.MapFS {
	return fstest.MapFS{
		"README.md": {
			Data: []byte("# Things\n\n![A picture](images/a.png)\n\n## Begin\n\n- [One](one.md): the first\n- " +
				"[Two](ci/two.md#more-of-it)\n")},
		"one.md": {
			Data: []byte("# One & only\n\nSay `--a-b` or\n`a long\nword <b>`, see [two](ci/two.md#more-of-it), [a " +
				"suite](../suites/web), [elsewhere](https://example.org/x.md) and [here](#it-works-really).\n\n## It `works`, " +
				"really\n\n<!-- not run: a secret of tests -->\n```yaml\nid: a   # why <b>\n```\n\n<script>alert(1)</script>\n")},
		"ci/two.md": {
			Data: []byte("# Two\n\n[back](../one.md) to [the picture](../images/a.png)\n\n## More of it\n\ntext\n\n## More of " +
				"it\n")},
		"images/a.png": {
			Data: []byte("png"),
		},
		"images/unused.png": {Data: []byte("png")},
	}
}

// TestWrite checks pages in their order, links to pages, files and the repository, and that scripts in documents are
// removed.
func TestWrite(t *testing.T) {
	files := small()
	files["README.md"].Data = []byte(strings.ReplaceAll(string(files["README.md"].Data), "#more-of-it", ""))
	dir := writeSite(t, files)
	one := read(t, dir, "one.html")
	for _, want := range []string{
		"<title>One &amp; only · Taproot</title>",
		`Say <code class="word">--a-b</code> or`,
		`<code>a long word &lt;b&gt;</code>`,
		`<a href="ci/two.html#more-of-it">two</a>`,
		`<a href="https://example.com/repo/blob/main/suites/web">a suite</a>`,
		`<a href="https://example.org/x.md">elsewhere</a>`,
		`<h2 id="it-works-really">`,
		`<a href="#it-works-really">here</a>`,
		`<span class="key">id</span>: a   <span class="comment"># why &lt;b&gt;</span>`,
		`<a href="one.html" aria-current="page">One &amp; only</a>`,
		`<a rel="prev" href="index.html">`,
		`<a rel="next" href="ci/two.html">`,
		`<a href="https://example.com/repo/blob/main/docs/one.md">`,
	} {
		if !strings.Contains(one, want) {
			t.Errorf("one.html has no %s", want)
		}
	}
	for _, not := range []string{"alert(1)", "a secret of tests"} {
		if strings.Contains(one, not) {
			t.Errorf("one.html has %s", not)
		}
	}
	two := read(t, dir, "ci", "two.html")
	for _, want := range []string{`<a href="../one.html">back</a>`, `href="../assets/site.css"`, `<h2 id="more-of-it">`,
		`<h2 id="more-of-it-1">`, `href="../images/a.png"`} {
		if !strings.Contains(two, want) {
			t.Errorf("ci/two.html has no %s", want)
		}
	}
	if read(t, dir, "images", "a.png") != "png" {
		t.Error("the image has other content")
	}
	if _, err := os.Stat(filepath.Join(dir, "images", "unused.png")); err == nil {
		t.Error("an image that no page shows was copied")
	}
	if index := read(t, dir, "assets", "index.js"); !strings.Contains(index,
		`{"p":"One \u0026 only","t":"It works, really","h":"one.html#it-works-really","x":"id: a # why \u003cb\u003e"}`) {
		t.Errorf("the index has no such section: %s", index)
	}
}

// TestWriteRefuses checks that contents with broken links are an error, and nothing is written.
func TestWriteRefuses(t *testing.T) {
	for name, change := range map[string]func(fstest.MapFS){
		"no contents":  func(f fstest.MapFS) { delete(f, "README.md") },
		"a lost page":  func(f fstest.MapFS) { delete(f, "one.md") },
		"no title":     func(f fstest.MapFS) { f["one.md"].Data = []byte("text") },
		"a bare point": func(f fstest.MapFS) { f["README.md"].Data = []byte("# T\n\n## G\n\n- nothing\n") },
		"no heading":   func(f fstest.MapFS) { f["README.md"].Data = []byte("# T\n\n- [One](one.md)\n") },
		"listed twice": func(f fstest.MapFS) {
			f["README.md"].Data = []byte("# T\n\n## G\n\n- [One](one.md)\n- [One](one.md)\n")
		},
		"a wrong place": func(f fstest.MapFS) { f["README.md"].Data = []byte("# T\n\n## G\n\n- [One](../one.md)\n") },
	} {
		files := small()
		change(files)
		dir := filepath.Join(t.TempDir(), "site")
		if err := write(dir, options{files: files, source: source}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: something was written", name)
		}
	}
}

// TestDocuments checks that the site of our own documents contains every document, loads nothing from other servers,
// and has no broken links.
func TestDocuments(t *testing.T) {
	dir := writeSite(t, documents{})
	pages := map[string]string{}
	files, err := docs.Site.ReadDir("actions")
	if err != nil || len(files) < 75 {
		t.Fatalf("%d pages of actions, %v", len(files), err)
	}
	for _, file := range files {
		name := parts + strings.TrimSuffix(file.Name(), ".md") + ".html"
		pages[name] = read(t, dir, filepath.FromSlash(name))
	}
	err = fs.WalkDir(docs.Files, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".md") {
			return err
		}
		name := strings.TrimSuffix(file, ".md") + ".html"
		if file == "README.md" {
			name = "index.html"
		}
		pages[name] = read(t, dir, filepath.FromSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	loads := regexp.MustCompile(`<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?:|//)[^"]*"`)
	links := regexp.MustCompile(`<a href="([^":]+)"`)
	checked := 0
	for name, text := range pages {
		if m := loads.FindString(text); m != "" {
			t.Errorf("%s loads something from elsewhere: %s", name, m)
		}
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			to, id, _ := strings.Cut(m[1], "#")
			target := name
			if to != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), to))
			}
			checked++
			if page, ok := pages[target]; ok && id != "" && !strings.Contains(page, `id="`+id+`"`) {
				t.Errorf("%s links to %s: there is no such id", name, m[1])
			} else if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(target))); !ok && err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
	llms := read(t, dir, "llms.txt")
	for _, page := range []string{"[Waiting](" + source + "waiting.md): what each action", "## Guides\n"} {
		if !strings.Contains(llms, page) {
			t.Errorf("llms.txt has no %s", page)
		}
	}
	if len(pages) < 20 || checked < 500 {
		t.Errorf("%d pages with %d links were checked", len(pages), checked)
	}
}

// TestWriteAgain checks that a site replaces an earlier one, and never fills a folder with other files.
func TestWriteAgain(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := write(filepath.Join(dir, "site"), options{files: documents{}, source: source}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"index.html", "reference.html", "ci/github.html", "assets/index.js"} {
		if _, err := os.Stat(filepath.Join(dir, "site", filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	if err := write(dir, options{files: documents{}}); err == nil || !strings.Contains(err.Error(), "holds other files") {
		t.Errorf("a folder with other files: %v", err)
	}
}

// TestWriteVersion checks that versions are next to each other, and that the newest one is the first.
func TestWriteVersion(t *testing.T) {
	dir := t.TempDir()
	files := small()
	files["README.md"].Data = []byte(strings.ReplaceAll(string(files["README.md"].Data), "#more-of-it", ""))
	for _, version := range []string{"0.9", "0.10", "1.0-rc.1", "0.9"} {
		if err := writeVersion(dir, options{files: files, source: source, version: version}); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, dir, "versions.js"); got != "window.taprootVersions = [\"1.0-rc.1\",\"0.10\",\"0.9\"];\n" {
		t.Errorf("%s", got)
	}
	if got := read(t, dir, "index.html"); !strings.Contains(got, "1.0-rc.1/index.html") {
		t.Errorf("%s", got)
	}
	if got := read(t, dir, "0.9", "ci", "two.html"); !strings.Contains(got, "<option>0.9</option>") ||
		!strings.Contains(got, `src="../../versions.js"`) {
		t.Errorf("%s", got)
	}
	if err := writeVersion(dir, options{files: files, version: "../x"}); err == nil {
		t.Error("a version outside of the folder was written")
	}
}

// TestPages checks each page of our own documents: it has a title, a description of each image and the size of it.
func TestPages(t *testing.T) {
	dir := writeSite(t, documents{})
	title := regexp.MustCompile(`<title>[^<]{3,}</title>`)
	images, pages := regexp.MustCompile(`<img [^>]*>`), 0
	err := filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".html" {
			return err
		}
		pages++
		text := read(t, file)
		if !title.MatchString(text) || strings.Count(text, "<h1") != 1 {
			t.Errorf("%s has no title, or not one first heading", file)
		}
		for _, image := range images.FindAllString(text, -1) {
			if !regexp.MustCompile(`alt="[^"]{10,}"`).MatchString(image) || !strings.Contains(image, ` width="`) {
				t.Errorf("%s: %s", file, image)
			}
		}
		return nil
	})
	if err != nil || pages < 130 {
		t.Errorf("%d pages, %v", pages, err)
	}
}
