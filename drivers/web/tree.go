package web

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/dom"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const maxProbes = 4 // of what a page hides, in one read

// Tree reads the elements of the current page, those in frames and open shadow roots too.
func (d *Device) Tree(ctx context.Context) (*screen.Tree, error) {
	taken := time.Now().UTC()
	return read(ctx, d, func(page playwright.Page) (*screen.Tree, error) {
		got, err := d.readPage(page, false)
		if err != nil {
			return nil, err
		}
		for range maxProbes { // a root that was opened may hold others
			if s, _, gone := d.page(); got.Suspects == 0 || gone != nil || !s.probe(page) {
				break
			}
			if got, err = d.readPage(page, !got.Undrawn); err != nil {
				return nil, err
			}
		}
		if got.Failed() {
			return nil, errorPage()
		}
		root := got.Top
		if root == nil {
			return nil, fmt.Errorf("%w: the page has no elements yet", drivers.ErrNotReady)
		}
		for _, dialog := range d.Dialogs() {
			root.Children = append(root.Children, &screen.Node{Type: "dialog-note", Desc: dialog, Hidden: true})
		}
		if s, _, err := d.page(); err == nil && !s.browser.brand.devtools && s.unseen.in(ctx, page, got.Loading) {
			got.Notes = append(got.Notes, unseenNote)
		}
		for _, note := range got.Notes {
			root.Children = append(root.Children, &screen.Node{Type: screen.CutNote, Desc: note, Hidden: true})
		}
		tree := screen.NewTree([]*screen.Node{root}, got.Zoom.Apply(root, got.W, got.H), taken)
		tree.Parts = got.Parts
		tree.HitTested, tree.Loading, tree.Rest = true, got.Loading || d.leaving(page), d.rest(page, got.Rest)
		return tree, nil
	})
}

// leaving reports whether the page is on its way to another one.
func (d *Device) leaving(page playwright.Page) bool {
	s, _, err := d.page()
	return err == nil && s.traffic.leaving(page)
}

// rest adds to what a page says of itself what it has asked the network for.
func (d *Device) rest(page playwright.Page, of screen.Activity) screen.Activity {
	s, _, err := d.page()
	if err != nil || len(page.Workers()) > 0 {
		return of.With(screen.Unknown)
	}
	return of.With(s.traffic.rest())
}

// readPage reads the page and the frames in it once. drawn: the page has been drawn since the tree before.
func (d *Device) readPage(page playwright.Page, drawn bool) (*dom.Page, error) {
	texts, parts := d.soughtTexts()
	return dom.Read(asker{page, callLimit - time.Second},
		dom.How{Gen: strconv.FormatInt(d.gen.Add(1), 36), Texts: texts, Parts: parts, Most: d.most, Drawn: drawn,
			Plain: plain})
}

// HintTexts names texts that the trees to come must not leave out, on pages with more elements than a tree holds.
func (d *Device) HintTexts(texts ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sought = slices.Clone(texts)
}

// ReadParts names the parts of texts of which the elements of the next trees need the places.
func (d *Device) ReadParts(parts ...screen.TextPart) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.parts = slices.Clone(parts)
}

func (d *Device) soughtTexts() ([]string, []screen.TextPart) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sought, d.parts
}

// Reveal scrolls the element into the middle of the view, and the frames that it is in.
func (d *Device) Reveal(ctx context.Context, n *screen.Node) error { return d.reveal(ctx, n, "") }

// RevealPart scrolls a part of the element's text into view, and the frames that it is in.
func (d *Device) RevealPart(ctx context.Context, n *screen.Node, part screen.TextPart) error {
	asked, err := json.Marshal(part)
	if err != nil {
		return err
	}
	return d.reveal(ctx, n, fmt.Sprintf(".%x", asked))
}

func (d *Device) reveal(ctx context.Context, n *screen.Node, part string) error {
	gen, path, err := dom.ParseRef(n.Ref)
	if err != nil {
		return err
	}
	return act(ctx, d, func(page playwright.Page) error {
		for i, chain := range dom.Chains(gen, path) {
			var nothing struct{}
			command := fmt.Sprintf("reveal.%s.%d", gen, path[i])
			if i == len(path)-1 {
				command += part
			}
			if err := ask(page, chain, command, &nothing); err != nil {
				return err
			}
		}
		return nil
	})
}
