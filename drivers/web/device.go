// Package web drives pages of a real Chromium through Playwright: a page is a device with elements, pixels and fields
// that can be read and used.
package web

import (
	"context"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/capture"
	"github.com/taproot-dev/taproot/drivers/web/internal/elements"
	"github.com/taproot-dev/taproot/drivers/web/internal/field"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/drivers/web/internal/read"
	"github.com/taproot-dev/taproot/drivers/web/internal/touch"
	"github.com/taproot-dev/taproot/drivers/web/internal/visit"
	"github.com/taproot-dev/taproot/dsl"
)

// device is one slot of the driver, opened for one test. It has no page until OpenPage.
//
// A dialog (alert, confirm, prompt, or the question whether to leave) stops the page: one that an action opens stays
// open for Alert and AnswerAlert, and any other call but a screenshot dismisses it first; AnswerDialogs changes that.
// The next trees carry a hidden element of type "dialog-note" for each, and the log a line. Pages that a page opens
// become the current one until they close, or until PickPage chooses another.
type device struct {
	slot *pages.Slot

	*journal.Journal
	*pages.Recorder
	*visit.Opener
	*visit.Navigator
	*visit.TabPicker
	*visit.Alerter
	*visit.System
	*visit.Scripts
	*capture.Screen
	*read.Reader
	*field.Typist
	*touch.Hand
	*elements.Elements
	*elements.Files
}

var (
	_ drivers.Device = (*device)(nil)

	_ drivers.BrowserChooser = (*device)(nil)
	_ drivers.Browser        = (*device)(nil)
	_ drivers.WebElements    = (*device)(nil)
	_ drivers.WebPages       = (*device)(nil)
	_ drivers.WebTabs        = (*device)(nil)
	_ drivers.WebEvidence    = (*device)(nil)
	_ drivers.Alerter        = (*device)(nil)
	_ drivers.System         = (*device)(nil)
	_ drivers.LocationSetter = (*device)(nil)
	_ drivers.Navigator      = (*device)(nil)
	_ drivers.Querier        = (*device)(nil)
	_ drivers.Revealer       = (*device)(nil)
	_ drivers.PartRevealer   = (*device)(nil)
	_ drivers.PartReader     = (*device)(nil)
	_ drivers.Aimer          = (*device)(nil)
	_ drivers.Gestures       = (*device)(nil)
	_ drivers.Keys           = (*device)(nil)
	_ drivers.Editor         = (*device)(nil)
	_ screen.Typist          = (*device)(nil)
	_ screen.CellTypist      = (*device)(nil)
	_ screen.Inserter        = (*device)(nil)
	_ screen.Paster          = (*device)(nil)
	_ drivers.WebOpener      = (*device)(nil)
	_ drivers.Scroller       = (*device)(nil)
	_ drivers.Recorder       = (*device)(nil)
	_ drivers.Logger         = (*device)(nil)

	_ drivers.PageAnswerer    = (*device)(nil)
	_ drivers.PageSnapshotter = (*device)(nil)
	_ drivers.Clicker         = (*device)(nil)
	_ drivers.WebDropper      = (*device)(nil)
	_ drivers.Identifier      = (*device)(nil)
	_ drivers.WebListener     = (*device)(nil)
	_ drivers.WebPageMonitor  = (*device)(nil)
	_ drivers.WebHistory      = (*device)(nil)
	_ drivers.Screencaster    = (*device)(nil)
	_ drivers.Shaker          = (*device)(nil)
	_ drivers.Warner          = (*device)(nil)
)

func newDevice(l *browser.Launcher, info drivers.Info) *device {
	return assemble(pages.NewSlot(info.ID), journal.NewJournal(), l, info)
}

// assemble puts the parts of a device together.
func assemble(slot *pages.Slot, notes *journal.Journal, l *browser.Launcher, info drivers.Info) *device {
	recorder := pages.NewRecorder(slot, l)
	navigator := visit.NewNavigator(slot)
	scripts := visit.NewScripts(slot)
	reader := read.NewReader(slot, notes)
	typist := field.NewTypist(slot, reader, navigator, notes)
	hand := touch.NewHand(slot, typist.Caret)
	actor := elements.NewActor(slot, reader, hand)
	acts := elements.New(actor, typist)
	return &device{
		slot: slot, Journal: notes, Recorder: recorder, Opener: visit.NewOpener(info, l, recorder, notes),
		Navigator: navigator, TabPicker: visit.NewTabPicker(slot, navigator, notes), Alerter: visit.NewAlerter(slot),
		Scripts: scripts, System: visit.NewSystem(slot, scripts), Screen: capture.NewScreen(slot), Reader: reader,
		Typist: typist, Hand: hand, Elements: acts, Files: elements.NewFiles(actor, acts),
	}
}

// StartRecording records the pages that are opened from now on, unless their browser cannot be recorded.
func (d *device) StartRecording(ctx context.Context, dir string) (drivers.Recording, error) {
	if err := d.refuses("report: recording"); err != nil {
		return nil, err
	}
	return d.Recorder.StartRecording(ctx, dir)
}

// StartEvidence records what the pages request, unless their browser does not report it.
func (d *device) StartEvidence(ctx context.Context, how drivers.WebEvidenceOptions) (drivers.WebRecording, error) {
	if err := d.refuses("report: network"); err != nil {
		return nil, err
	}
	return d.Recorder.StartEvidence(ctx, how)
}

func (d *device) refuses(word string) error {
	name, _ := d.PageBrowser()
	if why := dsl.Refusal(name, word); why != "" {
		return fmt.Errorf("%w: %s", drivers.ErrUnsupported, why)
	}
	return nil
}

// TakeWarnings returns what came up since the last call: about saved states, and about touches.
func (d *device) TakeWarnings() []string {
	return append(d.System.TakeWarnings(), d.Hand.TakeWarnings()...)
}

// Close closes the pages.
func (d *device) Close() error { return d.slot.Close() }
