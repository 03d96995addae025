// Command site writes the documentation as a static site: a folder of HTML with an offline search that needs no server.
// The program does not contain it, because its Markdown library would be a seventh of the time of each start.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/png"
	"io/fs"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// contents is the file that lists the pages; it is also the first page.
const contents = "README.md"

// index is the page that lists the actions; their pages are in the folder parts.
const (
	index = "reference.md"
	parts = "actions/"
)

// book contains a site's pages in their order.
type book struct {
	fs      fs.FS
	source  string
	version string
	groups  []group
	pages   []*page
	byFile  map[string]*page
	files   map[string]bool // images and other files that pages link to
	md      goldmark.Markdown
}

// group is a heading of the contents with the pages under it.
type group struct {
	Title string
	Pages []*page
}

// page is one document.
type page struct {
	Title    string
	Href     string // from the root of the site
	Headings []heading
	file     string
	src      []byte
	doc      ast.Node
	sections []entry
	Part     bool // of the page before it in its group, which lists it
}

// heading is a line of a page's own table of contents.
type heading struct {
	Title, ID string
	Level     int
}

func newBook(o options) (*book, error) {
	b := &book{fs: o.files, source: o.source, version: o.version, byFile: map[string]*page{}, files: map[string]bool{}}
	b.md = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 100))))
	first, err := b.read(contents)
	if err != nil {
		return nil, err
	}
	if err := b.list(first); err != nil {
		return nil, err
	}
	for _, p := range b.pages {
		if err := b.link(p); err != nil {
			return nil, err
		}
		p.outline()
	}
	return b, nil
}

// read parses a document and adds it to the book.
func (b *book) read(file string) (*page, error) {
	if b.byFile[file] != nil {
		return nil, fmt.Errorf("%s is listed twice", file)
	}
	src, err := fs.ReadFile(b.fs, file)
	if err != nil {
		return nil, err
	}
	p := &page{file: file, src: src, Href: pageName(file)}
	p.doc = b.md.Parser().Parse(text.NewReader(src), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	if h, ok := p.doc.FirstChild().(*ast.Heading); ok && h.Level == 1 {
		p.Title = plain(h, src)
	} else {
		return nil, fmt.Errorf("%s does not start with a title", file)
	}
	b.pages, b.byFile[file] = append(b.pages, p), p
	return p, nil
}

// list reads the contents: a heading starts a group, and the first link of each list item below it is a page.
func (b *book) list(first *page) error {
	for n := first.doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				b.groups = append(b.groups, group{Title: plain(n, first.src)})
			}
		case *ast.List:
			if len(b.groups) == 0 {
				return errors.New(contents + ": a list of pages is before the first heading")
			}
			g := &b.groups[len(b.groups)-1]
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				to, ok := firstLink(item)
				if !ok {
					return fmt.Errorf("%s: a list item under %q links to no page", contents, g.Title)
				}
				p, err := b.read(to)
				if err != nil {
					return fmt.Errorf("%s: %w", contents, err)
				}
				g.Pages = append(g.Pages, p)
				parts, err := b.parts(p)
				if err != nil {
					return fmt.Errorf("%s: %w", to, err)
				}
				g.Pages = append(g.Pages, parts...)
			}
		}
	}
	return nil
}

// parts reads the pages that the tables of a page list in a folder next to it: those of the actions.
func (b *book) parts(p *page) (list []*page, err error) {
	if p.file != index {
		return nil, nil
	}
	err = ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		l, is := n.(*ast.Link)
		if !is || !entering || !strings.HasPrefix(string(l.Destination), parts) || b.byFile[string(l.Destination)] != nil {
			return ast.WalkContinue, nil
		}
		part, err := b.read(string(l.Destination))
		if err == nil {
			part.Part = true
			list = append(list, part)
		}
		return ast.WalkContinue, err
	})
	return list, err
}

func firstLink(n ast.Node) (to string, ok bool) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, is := n.(*ast.Link); is && entering && !ok {
			to, ok = string(l.Destination), true
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return to, ok
}

// link replaces links: to documents by links to pages, to other files of the documents by links to copies of them, and
// to the rest of the repository by links to its URL.
func (b *book) link(p *page) error {
	return ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			n.Destination, err = b.target(p, n.Destination)
		case *ast.Image:
			b.size(p, n)
			n.Destination, err = b.target(p, n.Destination)
		}
		return ast.WalkContinue, err
	})
}

// size sets the width and height of an image of the documents, so that the page does not move when it is loaded.
func (b *book) size(p *page, n *ast.Image) {
	f, err := b.fs.Open(path.Join(path.Dir(p.file), string(n.Destination)))
	if err != nil {
		return
	}
	defer f.Close()
	if conf, _, err := image.DecodeConfig(f); err == nil {
		n.SetAttributeString("width", []byte(strconv.Itoa(conf.Width)))
		n.SetAttributeString("height", []byte(strconv.Itoa(conf.Height)))
	}
}

func (b *book) target(p *page, to []byte) ([]byte, error) {
	u, err := url.Parse(string(to))
	if err != nil || u.IsAbs() || u.Path == "" {
		return to, err
	}
	file := path.Join(path.Dir(p.file), u.Path)
	if other := b.byFile[file]; other != nil {
		u.Path = strings.Repeat("../", strings.Count(p.Href, "/")) + other.Href
		return []byte(u.String()), nil
	}
	if info, err := fs.Stat(b.fs, file); err == nil && !info.IsDir() && !strings.HasSuffix(file, ".md") {
		b.files[file] = true
		return to, nil
	}
	base, err := url.Parse(b.source)
	if err != nil {
		return nil, err
	}
	return []byte(base.ResolveReference(&url.URL{Path: path.Join(path.Dir(base.Path+p.file), u.Path),
		Fragment: u.Fragment}).String()), nil
}

// outline collects the headings, and the texts of the sections for the search.
func (p *page) outline() {
	now := entry{Page: p.Title, Href: p.Href}
	var words strings.Builder
	end := func() {
		now.Text = strings.Join(strings.Fields(words.String()), " ")
		p.sections = append(p.sections, now)
		words.Reset()
	}
	for n := p.doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level == 1 {
			if !ok {
				words.WriteString(" " + plain(n, p.src))
			}
			continue
		}
		end()
		id, _ := h.AttributeString("id")
		name, _ := id.([]byte)
		title := plain(h, p.src)
		p.Headings = append(p.Headings, heading{Title: title, ID: string(name), Level: h.Level})
		now = entry{Page: p.Title, Title: title, Href: p.Href + "#" + string(name)}
	}
	end()
}

// plain returns the text of a node without its markup.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteString(" ")
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(util.UnescapePunctuations(n.Segment.Value(src)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteString(" ")
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			b.Write(n.Lines().Value(src))
		case *ast.HTMLBlock, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

func (b *book) render(p *page) (string, error) {
	var out bytes.Buffer
	err := b.md.Renderer().Render(&out, p.src, p.doc)
	return out.String(), err
}

// anchors returns headings' ids as GitHub makes them, so that a link works there and here.
type anchors map[string]int

// Generate implements parser.IDs.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	id := phrase.Anchor(string(value))
	n := a[id]
	a[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

// Put implements parser.IDs.
func (a anchors) Put(value []byte) { a[string(value)]++ }
