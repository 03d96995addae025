package read

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/drivers/web/internal/network"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/dsl"
)

const maxProbes = 4 // of what a page hides, in one read

// Reader reads the current page: its elements, and what selectors pick of them.
type Reader struct {
	slot    *pages.Slot
	journal *journal.Journal
	gen     atomic.Int64 // of trees; every tree has its own

	mu       sync.Mutex
	Most     int               // elements of a tree; 0: dom.MaxNodes
	Snapshot snapshot          // that reports were given last
	sought   []string          // texts that a tree must not leave out
	parts    []screen.TextPart // of texts; the elements of a tree have their places
}

// NewReader reads the current page of a slot. The dialogs in the journal are in its trees.
func NewReader(slot *pages.Slot, journal *journal.Journal) *Reader {
	return &Reader{slot: slot, journal: journal}
}

// Tree reads the elements of the current page, those in frames and open shadow roots too.
func (rd *Reader) Tree(ctx context.Context) (*screen.Tree, error) {
	taken := time.Now().UTC()
	return pages.Read(ctx, rd.slot, func(page playwright.Page) (*screen.Tree, error) {
		got, err := rd.readPage(page, false)
		if err != nil {
			return nil, err
		}
		for range maxProbes { // a root that was opened may hold others
			if s, _, gone := rd.slot.Page(); got.Suspects == 0 || gone != nil || !probe(s, page) {
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
		s, _, err := rd.slot.Page()
		if err == nil && hidesRoots(ctx, s, page, got.Loading) {
			got.Notes = append(got.Notes, network.UnseenNote(dsl.BrowserTitle(s.Browser.Brand.Name)))
		}
		for _, note := range got.Notes {
			root.Children = append(root.Children, &screen.Node{Type: screen.CutNote, Desc: note, Hidden: true})
		}
		tree := screen.NewTree([]*screen.Node{root}, got.Zoom.Apply(root, got.W, got.H), taken)
		tree.Parts = got.Parts
		tree.HitTested, tree.Rest = true, rd.Rest(ctx, page, got.Rest)
		tree.Loading = got.Loading || rd.leaving(page) // after Rest, which waits for the report of requests
		return tree, nil
	})
}

// rootsHider is a page that reports by itself whether its HTML declares closed shadow roots.
type rootsHider interface {
	DeclaresClosedRoots(ctx context.Context, loading bool, declares func(html string) bool) bool
}

// hidesRoots reports whether the page has closed shadow roots of which nothing can be read.
func hidesRoots(ctx context.Context, s *pages.BrowserContext, page playwright.Page, loading bool) bool {
	if p, ok := page.(rootsHider); ok {
		return p.DeclaresClosedRoots(ctx, loading, network.DeclaresClosedRoots)
	}
	return !s.Browser.Brand.Devtools && s.Unseen.DeclaredIn(ctx, page, loading)
}

// leaving reports whether the page is on its way to another one.
func (rd *Reader) leaving(page playwright.Page) bool {
	s, _, err := rd.slot.Page()
	return err == nil && s.Traffic.Leaving(page)
}

// Rest adds to what a page says of itself what it has asked the network for.
func (rd *Reader) Rest(ctx context.Context, page playwright.Page, of screen.Activity) screen.Activity {
	s, _, err := rd.slot.Page()
	if err != nil || s.Browser.Brand.Blind || len(page.Workers()) > 0 {
		return of.With(screen.Unknown)
	}
	if p, ok := page.(settler); ok && p.Settle(ctx) != nil {
		return of.With(screen.Unknown)
	}
	return of.With(s.Traffic.Rest())
}

// Nonce names one read of the page.
func (rd *Reader) Nonce() string { return strconv.FormatInt(rd.gen.Add(1), 36) }

// readPage reads the page and the frames in it once. drawn: the page has been drawn since the tree before.
func (rd *Reader) readPage(page playwright.Page, drawn bool) (*dom.Page, error) {
	texts, parts := rd.soughtTexts()
	return dom.Read(pages.NewAsker(page, browser.CallLimit-time.Second),
		dom.How{Gen: rd.Nonce(), Texts: texts, Parts: parts, Most: rd.Most, Drawn: drawn,
			Plain: browser.Plain})
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
	return pages.Act(ctx, rd.slot, func(page playwright.Page) error {
		for i, chain := range dom.Chains(gen, path) {
			var nothing struct{}
			command := fmt.Sprintf("reveal.%s.%d", gen, path[i])
			if i == len(path)-1 {
				command += part
			}
			if err := pages.Ask(page, chain, command, &nothing); err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	maxSnapshot   = 4 << 20 // script/dom.js ends long before
	snapshotLimit = time.Second
)

// snapshot is the one that was given last.
type snapshot struct {
	id   string // of script/dom.js
	Data []byte
}

// PageSnapshot reads the page by script/dom.js. It changes nothing: a dialog stays open, and the page is not waited
// for.
func (rd *Reader) PageSnapshot(ctx context.Context) ([]byte, error) {
	s, page, err := rd.slot.Page()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.Dialogs.IsOpen() || s.Mute.Load() {
		return nil, fmt.Errorf("%w: the page does not answer", drivers.ErrNotReady)
	}
	rd.mu.Lock()
	last := rd.Snapshot
	rd.mu.Unlock()
	done := pages.Start(rd.slot, func() (snapshot, error) {
		var answer struct{ ID, Dom string }
		if err := pages.AskFor(page, nil, "dom."+last.id, &answer, snapshotLimit); err != nil {
			return snapshot{}, err
		}
		switch {
		case answer.Dom == "" && answer.ID == last.id:
			return last, nil
		case len(answer.Dom) > maxSnapshot:
			return snapshot{}, errors.New("the page has too much in it")
		}
		return snapshot{answer.ID, []byte(answer.Dom)}, nil
	})
	r, err := pages.OutcomeOf(ctx, s, done, nil)
	if err != nil {
		return nil, err
	}
	if r.Err != nil {
		return nil, s.Explain(r.Err)
	}
	rd.mu.Lock()
	rd.Snapshot = r.Value
	rd.mu.Unlock()
	return r.Value.Data, nil
}
