package action

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// Perform does what args (a struct of the vocabulary, by value) requires. A *Failure means that the app or the test is
// wrong; so does an error for which drivers.AppIsWrong holds; any other error means that the device is. Control actions
// are the engine's.
func Perform(ctx context.Context, s *Performer, args any) error {
	if s.Detail == nil {
		s.Detail = &event.Detail{}
	}
	s.touchedOn = s.lastTouch()
	s.Outcome, s.aimed = Outcome{Detail: s.Detail}, nil
	defer s.endCapture(ctx)
	do, ok := performers()[reflect.TypeOf(args)]
	if !ok {
		return fmt.Errorf("no performer for %T", args)
	}
	if err := s.remember(ctx, s.Device, args); err != nil {
		s.warn("whether the app has crashed before this step could not be found out: %v", err)
	}
	s.noteLaunch(args)
	began := time.Now()
	err := do(drivers.WithStepDeadline(ctx, began.Add(s.Timeout)), s, args)
	if s.Tree != nil {
		s.known = s.Tree
	}
	if _, looks := args.(dsl.ScrollTo); Acts(args) && !looks { // which has seen what it led to
		s.acted, s.before = time.Now(), s.known
		if s.took.After(began) {
			s.acted = s.took
		}
	}
	s.takeWarnings()
	if err != nil && strings.HasPrefix(s.Detail.Proof, event.ProofHit) {
		s.Detail.Proof, s.aimed = "", nil // whether it was touched is not known
	}
	return s.withCrash(ctx, err)
}

// Performs reports whether an action has a performer.
func Performs(def *dsl.Def) bool {
	_, ok := performers()[reflect.TypeOf(def.Args)]
	return ok
}

type performersTable = map[reflect.Type]performer

type performer func(ctx context.Context, s *Performer, args any) error

// performers is the table of all performers, by the type of their argument.
var performers = sync.OnceValue(func() map[reflect.Type]performer {
	table := map[reflect.Type]performer{}
	on(table, launch)
	on(table, stop)
	on(table, clearApp)
	on(table, killApp)
	on(table, install)
	on(table, uninstall)
	on(table, setPermissions)
	on(table, openLink)

	onEither(table, func(a dsl.Tap) *dsl.Selector { return &a.Selector }, tap, maestroTap)
	onEither(table, func(a dsl.DoubleTap) *dsl.Selector { return &a.Selector }, doubleTap, maestroDoubleTap)
	onEither(table, func(a dsl.LongPress) *dsl.Selector { return &a.Selector }, longPress, maestroLongPress)
	onEither(table, swipedInside, swipe, maestroSwipe)
	on(table, scroll)
	onEither(table, func(a dsl.ScrollTo) *dsl.Selector { return &a.Selector }, scrollTo, maestroScrollTo)
	on(table, drag)
	on(table, pinch)
	on(table, press)
	on(table, hideKeyboard)

	on(table, input)
	on(table, erase)
	onEither(table, func(a dsl.CopyText) *dsl.Selector { return &a.Selector }, copyText, maestroCopyText)
	on(table, paste)
	on(table, setClipboard)

	on(table, waitStable)
	onEither(table, waitedFor, waitFor, maestroWaitFor)
	on(table, sleep)

	onEither(table, func(a dsl.Assert) *dsl.Selector { return &a.Selector }, assert, maestroAssert)
	onEither(table, func(a dsl.AssertNot) *dsl.Selector { return &a.Selector }, assertNot, maestroAssertNot)
	on(table, assertElement)
	on(table, assertTrue)
	on(table, assertApp)
	on(table, assertDarkMode)
	on(table, assertScreenshot)
	on(table, assertVisual)
	on(table, assertLog)

	on(table, setOrientation)
	on(table, setDarkMode)
	on(table, setAirplaneMode)
	on(table, openNotifications)
	on(table, setLocale)
	on(table, setLocation)
	on(table, shake)
	on(table, biometrics)
	on(table, push)
	on(table, setStatusBar)
	on(table, background)
	on(table, addMedia)
	on(table, alert)
	on(table, shell)

	onEither(table, func(a dsl.Screenshot) *dsl.Selector { return a.Element }, screenshot, maestroScreenshot)
	on(table, startRecording)
	on(table, stopRecording)
	on(table, logMessage)
	on(table, extract)

	on(table, openBrowser)
	on(table, webNavigate)
	on(table, webClick)
	on(table, webType)
	on(table, webPress)
	on(table, webSelect)
	on(table, webCheck)
	on(table, webHover)
	on(table, webDrag)
	on(table, webTab)
	on(table, webDialog)
	on(table, webUpload)
	on(table, webDownload)
	on(table, webWait)
	on(table, webAssert)
	on(table, webRoute)
	on(table, webStorage)
	on(table, webEval)
	on(table, closeBrowser)

	on(table, call)
	on(table, runProgram)
	on(table, waitForMail)
	maestroPerformers(table)
	return table
})

// on puts the performer of one argument type into the table.
func on[T any](table map[reflect.Type]performer, do func(context.Context, *Performer, T) error) {
	table[reflect.TypeFor[T]()] = func(ctx context.Context, s *Performer, args any) error { return do(ctx, s, args.(T)) }
}

// LooksFirst reports whether an action reads the screen, and fills in Outcome.Before, before it changes anything, or
// does nothing on the device at all.
func LooksFirst(args any) bool {
	if wait, is := args.(dsl.WaitFor); is && (wait.Text != "" || wait.URL != "") {
		return false // it reads no tree
	}
	def := dsl.DefOf(args)
	return def != nil && def.ReadsFirst
}

// Acts reports whether an action does something on the device, which may harm the app.
func Acts(args any) bool {
	def := dsl.DefOf(args)
	return def == nil || def.Acts()
}
