package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/docs"
)

//go:embed assets
var assets embed.FS

// options are the input of a site.
type options struct {
	files fs.FS // the documents; README.md lists the pages under the headings of their groups
	// URL of the folder of the documents in the repository, with a slash at its end, for links to other files
	source string
	// version is the version of the documents, "" where there is only one
	version string
}

// documents are the pages of docs, and those of the actions, which the program writes itself.
type documents struct{}

// Open implements fs.FS.
func (documents) Open(name string) (fs.File, error) {
	if f, err := docs.Site.Open(name); err == nil {
		return f, nil
	}
	return docs.Files.Open(name)
}

// repository is the folder of the documentation in the repository.
const repository = "https://github.com/taproot-dev/taproot/blob/main/docs/"

func main() {
	o := options{files: documents{}, source: repository}
	flag.StringVar(&o.version, "version", "", "write to a folder of this `VERSION`, with a list of all versions")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./docs/site [-version VERSION] FOLDER")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	dir := flag.Arg(0)
	err := error(nil)
	if o.version == "" {
		err = write(dir, o)
	} else {
		err = writeVersion(dir, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("The documentation is in %s; open %s\n", dir, filepath.Join(dir, "index.html"))
}

var versionName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.-]*$`)

// writeVersion writes the site into the folder of its version, next to those of other versions, which stay as they are.
func writeVersion(dir string, o options) error {
	if !versionName.MatchString(o.version) {
		return fmt.Errorf("%q is not a version: write one such as 0.1", o.version)
	}
	if err := write(filepath.Join(dir, o.version), o); err != nil {
		return err
	}
	marks, err := filepath.Glob(filepath.Join(dir, "*", mark))
	if err != nil {
		return err
	}
	var versions []string
	for _, m := range marks {
		versions = append(versions, filepath.Base(filepath.Dir(m)))
	}
	slices.SortFunc(versions, func(a, b string) int { return newerFirst(a, b) })
	list, err := json.Marshal(versions)
	if err != nil {
		return err
	}
	first := fmt.Sprintf("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Taproot</title>\n"+
		"<meta http-equiv=\"refresh\" content=\"0; url=%[1]s/index.html\">\n<a href=\"%[1]s/index.html\">Taproot %[1]s</a>\n",
		versions[0])
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "versions.js"), fmt.Appendf(nil, "window.taprootVersions = %s;\n", list), 0o644),
		os.WriteFile(filepath.Join(dir, "index.html"), []byte(first), 0o644))
}

// newerFirst compares versions by their numbers, so that 0.10 is before 0.9.
func newerFirst(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		n, errN := strconv.Atoi(x[i])
		m, errM := strconv.Atoi(y[i])
		switch {
		case errN == nil && errM == nil && n != m:
			return m - n
		case (errN != nil || errM != nil) && x[i] != y[i]:
			return strings.Compare(y[i], x[i])
		}
	}
	return len(y) - len(x)
}

// write writes the site to dir, which it creates if needed. It rejects a folder with other files than an earlier site,
// so that a mistyped name does not fill a home folder.
func write(dir string, o options) error {
	b, err := newBook(o)
	if err != nil {
		return err
	}
	if err := claim(dir); err != nil {
		return err
	}
	out := map[string][]byte{}
	for _, p := range b.pages {
		if out[p.Href], err = b.html(p); err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
	}
	if out["assets/index.js"], err = b.index(); err != nil {
		return err
	}
	for _, name := range []string{"site.css", "site.js"} {
		if out["assets/"+name], err = assets.ReadFile("assets/" + name); err != nil {
			return err
		}
	}
	for name := range b.files {
		if out[name], err = fs.ReadFile(o.files, name); err != nil {
			return err
		}
	}
	out["llms.txt"] = []byte(docs.LLMs(o.source))
	out[mark] = []byte("Made by make site, which overwrites everything here.\n")
	for name, data := range out {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// mark is the file that marks a folder as one of ours.
const mark = ".taproot-site"

// claim creates the folder, or checks that it is empty or one of ours.
func claim(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, mark)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds other files: name an empty folder, or one that does not exist", dir)
	} else if err != nil {
		return err
	}
	return nil
}

var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(assets, "assets/page.html"))
})

// view is the data of the template of a page.
type view struct {
	*page
	Up         string // from the page to the root of the site: "", or "../"
	Body       template.HTML
	Groups     []group
	Prev, Next *page
	Edit       string
	Version    string
}

func (b *book) html(p *page) ([]byte, error) {
	body, err := b.render(p)
	if err != nil {
		return nil, err
	}
	v := view{page: p, Up: strings.Repeat("../", strings.Count(p.Href, "/")), Body: template.HTML(body), Groups: b.groups,
		Edit: b.source + p.file, Version: b.version}
	for i, other := range b.pages {
		if other != p {
			continue
		}
		if i > 0 {
			v.Prev = b.pages[i-1]
		}
		if i+1 < len(b.pages) {
			v.Next = b.pages[i+1]
		}
	}
	var out bytes.Buffer
	if err := layout().Execute(&out, v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// entry is one section in the index of the search.
type entry struct {
	Page  string `json:"p"`
	Title string `json:"t,omitempty"` // of the section; none: the start of the page
	Href  string `json:"h"`
	Text  string `json:"x"`
}

// index returns a script instead of JSON, because a page opened as a file can load only scripts.
func (b *book) index() ([]byte, error) {
	var all []entry
	for _, p := range b.pages {
		all = append(all, p.sections...)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "window.taprootIndex = %s;\n", data), nil
}

// pageName returns the HTML file of a document.
func pageName(file string) string {
	dir, base := path.Split(file)
	if base == contents {
		return dir + "index.html"
	}
	return dir + strings.TrimSuffix(base, ".md") + ".html"
}
