// Package web drives pages of a real Chromium through Playwright: a page is a device with elements, pixels and fields
// that can be read and used.
package web

import (
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/capture"
	"github.com/taproot-dev/taproot/drivers/web/internal/elements"
	"github.com/taproot-dev/taproot/drivers/web/internal/field"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/drivers/web/internal/read"
	"github.com/taproot-dev/taproot/drivers/web/internal/touch"
	"github.com/taproot-dev/taproot/drivers/web/internal/visit"
)

// Device is one slot of the driver, opened for one test. It has no page until OpenPage.
//
// A dialog (alert, confirm, prompt, or the question whether to leave) stops the page: one that an action opens stays
// open for Alert and AnswerAlert, and any other call but a screenshot dismisses it first; AnswerDialogs changes that.
// The next trees carry a hidden element of type "dialog-note" for each, and the log a line. Pages that a page opens
// become the current one until they close, or until PickPage chooses another.
type Device struct {
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
	_ drivers.Device = (*Device)(nil)

	_ drivers.BrowserChooser = (*Device)(nil)
	_ drivers.Browser        = (*Device)(nil)
	_ drivers.WebElements    = (*Device)(nil)
	_ drivers.WebPages       = (*Device)(nil)
	_ drivers.WebTabs        = (*Device)(nil)
	_ drivers.WebEvidence    = (*Device)(nil)
	_ drivers.Alerter        = (*Device)(nil)
	_ drivers.System         = (*Device)(nil)
	_ drivers.LocationSetter = (*Device)(nil)
	_ drivers.Navigator      = (*Device)(nil)
	_ drivers.Querier        = (*Device)(nil)
	_ drivers.Revealer       = (*Device)(nil)
	_ drivers.PartRevealer   = (*Device)(nil)
	_ drivers.PartReader     = (*Device)(nil)
	_ drivers.Aimer          = (*Device)(nil)
	_ drivers.Gestures       = (*Device)(nil)
	_ drivers.Keys           = (*Device)(nil)
	_ drivers.Editor         = (*Device)(nil)
	_ screen.Typist          = (*Device)(nil)
	_ screen.CellTypist      = (*Device)(nil)
	_ screen.Inserter        = (*Device)(nil)
	_ screen.Paster          = (*Device)(nil)
	_ drivers.WebOpener      = (*Device)(nil)
	_ drivers.Scroller       = (*Device)(nil)
	_ drivers.Recorder       = (*Device)(nil)
	_ drivers.Logger         = (*Device)(nil)

	_ drivers.PageAnswerer    = (*Device)(nil)
	_ drivers.PageSnapshotter = (*Device)(nil)
	_ drivers.Clicker         = (*Device)(nil)
	_ drivers.WebDropper      = (*Device)(nil)
	_ drivers.Identifier      = (*Device)(nil)
	_ drivers.WebListener     = (*Device)(nil)
	_ drivers.WebPageMonitor  = (*Device)(nil)
	_ drivers.WebHistory      = (*Device)(nil)
	_ drivers.Screencaster    = (*Device)(nil)
	_ drivers.Shaker          = (*Device)(nil)
)

func newDevice(d *Driver, info drivers.Info) *Device {
	return assemble(pages.NewSlot(info.ID), journal.NewJournal(), d, info)
}

// assemble puts the parts of a device together.
func assemble(slot *pages.Slot, notes *journal.Journal, d *Driver, info drivers.Info) *Device {
	recorder := pages.NewRecorder(slot, d.launcher)
	navigator := visit.NewNavigator(slot)
	scripts := visit.NewScripts(slot)
	reader := read.NewReader(slot, notes)
	typist := field.NewTypist(slot, reader, navigator, notes)
	hand := touch.NewHand(slot, typist.Caret)
	actor := elements.NewActor(slot, reader, hand)
	acts := elements.New(actor, typist)
	return &Device{
		slot: slot, Journal: notes, Recorder: recorder, Opener: visit.NewOpener(info, d.launcher, recorder, notes),
		Navigator: navigator, TabPicker: visit.NewTabPicker(slot, navigator, notes), Alerter: visit.NewAlerter(slot),
		Scripts: scripts, System: visit.NewSystem(slot, scripts), Screen: capture.NewScreen(slot), Reader: reader,
		Typist: typist, Hand: hand, Elements: acts, Files: elements.NewFiles(actor, acts),
	}
}

// Close closes the pages.
func (d *Device) Close() error { return d.slot.Close() }
