package web

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/dom"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const maxProbes = 4 // of what a page hides, in one read

// Reader reads the current page: its elements, and what selectors pick of them.
type Reader struct {
	slot    *Slot
	journal *Journal
	gen     atomic.Int64 // of trees; every tree has its own

	mu       sync.Mutex
	most     int               // elements of a tree; 0: dom.MaxNodes
	snapshot snapshot          // that reports were given last
	sought   []string          // texts that a tree must not leave out
	parts    []screen.TextPart // of texts; the elements of a tree have their places
}

// Tree reads the elements of the current page, those in frames and open shadow roots too.
func (rd *Reader) Tree(ctx context.Context) (*screen.Tree, error) {
	taken := time.Now().UTC()
	return read(ctx, rd.slot, func(page playwright.Page) (*screen.Tree, error) {
		got, err := rd.readPage(page, false)
		if err != nil {
			return nil, err
		}
		for range maxProbes { // a root that was opened may hold others
			if s, _, gone := rd.slot.page(); got.Suspects == 0 || gone != nil || !probe(s, page) {
				break
			}
			if got, err = rd.readPage(page, !got.Undrawn); err != nil {
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
		for _, dialog := range rd.journal.Dialogs() {
			root.Children = append(root.Children, &screen.Node{Type: "dialog-note", Desc: dialog, Hidden: true})
		}
		if s, _, err := rd.slot.page(); err == nil && !s.browser.brand.devtools && s.unseen.in(ctx, page, got.Loading) {
			got.Notes = append(got.Notes, unseenNote)
		}
		for _, note := range got.Notes {
			root.Children = append(root.Children, &screen.Node{Type: screen.CutNote, Desc: note, Hidden: true})
		}
		tree := screen.NewTree([]*screen.Node{root}, got.Zoom.Apply(root, got.W, got.H), taken)
		tree.Parts = got.Parts
		tree.HitTested, tree.Loading, tree.Rest = true, got.Loading || rd.leaving(page), rd.rest(page, got.Rest)
		return tree, nil
	})
}

// leaving reports whether the page is on its way to another one.
func (rd *Reader) leaving(page playwright.Page) bool {
	s, _, err := rd.slot.page()
	return err == nil && s.traffic.leaving(page)
}

// rest adds to what a page says of itself what it has asked the network for.
func (rd *Reader) rest(page playwright.Page, of screen.Activity) screen.Activity {
	s, _, err := rd.slot.page()
	if err != nil || len(page.Workers()) > 0 {
		return of.With(screen.Unknown)
	}
	return of.With(s.traffic.rest())
}

// nonce names one read of the page.
func (rd *Reader) nonce() string { return strconv.FormatInt(rd.gen.Add(1), 36) }

// readPage reads the page and the frames in it once. drawn: the page has been drawn since the tree before.
func (rd *Reader) readPage(page playwright.Page, drawn bool) (*dom.Page, error) {
	texts, parts := rd.soughtTexts()
	return dom.Read(asker{page, callLimit - time.Second},
		dom.How{Gen: rd.nonce(), Texts: texts, Parts: parts, Most: rd.most, Drawn: drawn,
			Plain: plain})
}

// HintTexts names texts that the trees to come must not leave out, on pages with more elements than a tree holds.
func (rd *Reader) HintTexts(texts ...string) {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	rd.sought = slices.Clone(texts)
}

// ReadParts names the parts of texts of which the elements of the next trees need the places.
func (rd *Reader) ReadParts(parts ...screen.TextPart) {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	rd.parts = slices.Clone(parts)
}

func (rd *Reader) soughtTexts() ([]string, []screen.TextPart) {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	return rd.sought, rd.parts
}

// Reveal scrolls the element into the middle of the view, and the frames that it is in.
func (rd *Reader) Reveal(ctx context.Context, n *screen.Node) error { return rd.reveal(ctx, n, "") }

// RevealPart scrolls a part of the element's text into view, and the frames that it is in.
func (rd *Reader) RevealPart(ctx context.Context, n *screen.Node, part screen.TextPart) error {
	asked, err := json.Marshal(part)
	if err != nil {
		return err
	}
	return rd.reveal(ctx, n, fmt.Sprintf(".%x", asked))
}

func (rd *Reader) reveal(ctx context.Context, n *screen.Node, part string) error {
	gen, path, err := dom.ParseRef(n.Ref)
	if err != nil {
		return err
	}
	return act(ctx, rd.slot, func(page playwright.Page) error {
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
