package dsl

import (
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// Launch is the argument of launch.
type Launch = vocabulary.Launch

// Stop is the argument of stop.
type Stop = vocabulary.Stop

// ClearApp is the argument of clearApp.
type ClearApp = vocabulary.ClearApp

// KillApp is the argument of killApp.
type KillApp = vocabulary.KillApp

// Install is the argument of install.
type Install = vocabulary.Install

// Uninstall is the argument of uninstall.
type Uninstall = vocabulary.Uninstall

// SetPermissions is the argument of setPermissions.
type SetPermissions = vocabulary.SetPermissions

// OpenLink is the argument of openLink.
type OpenLink = vocabulary.OpenLink

// Assert is the argument of assert.
type Assert = vocabulary.Assert

// AssertNot is the argument of assertNot.
type AssertNot = vocabulary.AssertNot

// AssertElement is the argument of assertElement: an element, and what must be true of it.
type AssertElement = vocabulary.AssertElement

// State is what an element must be; fields that are left out do not matter.
type State = vocabulary.State

// AssertTrue is the argument of assertTrue.
type AssertTrue = vocabulary.AssertTrue

// AssertApp is the argument of assertApp.
type AssertApp = vocabulary.AssertApp

// AssertVisual is the argument of assertVisual.
type AssertVisual = vocabulary.AssertVisual

// AssertLog is the argument of assertLog: what the log of the device, or the console of the page, holds since the test
// started.
type AssertLog = vocabulary.AssertLog

// AssertScreenshot is the argument of assertScreenshot.
type AssertScreenshot = vocabulary.AssertScreenshot

// If is the argument of if.
type If = vocabulary.If

// Repeat is the argument of repeat: so many times, or as long as an expression is true, or both: then whichever ends
// first.
type Repeat = vocabulary.Repeat

// Retry is the argument of retry.
type Retry = vocabulary.Retry

// ForEach is the argument of forEach.
type ForEach = vocabulary.ForEach

// On is the argument of on.
type On = vocabulary.On

// Group is the argument of group.
type Group = vocabulary.Group

// Try is the argument of try.
type Try = vocabulary.Try

// Run is the argument of run: the steps of another file, or of a block that the file names. They see the variables of
// the test that runs them; what they save stays theirs, and as: takes it as a map.
type Run = vocabulary.Run

// Set is the argument of set.
type Set = vocabulary.Set

// HTTP is the argument of http. as: saves {status, body, json}.
type HTTP = vocabulary.HTTP

// Exec is the argument of exec. as: saves {exit, stdout, stderr}.
type Exec = vocabulary.Exec

// WaitForMail is the argument of waitForMail. as: saves what extract finds, without it a map of from, to, subject and
// text.
type WaitForMail = vocabulary.WaitForMail

// Expect is what the answer of an http step must be.
type Expect = vocabulary.Expect

// SetOrientation is the argument of setOrientation.
type SetOrientation = vocabulary.SetOrientation

// SetDarkMode is the argument of setDarkMode.
type SetDarkMode = vocabulary.SetDarkMode

// AssertDarkMode is the argument of assertDarkMode.
type AssertDarkMode = vocabulary.AssertDarkMode

// SetAirplaneMode is the argument of setAirplaneMode.
type SetAirplaneMode = vocabulary.SetAirplaneMode

// OpenNotifications is the argument of openNotifications.
type OpenNotifications = vocabulary.OpenNotifications

// SetLocale is the argument of setLocale.
type SetLocale = vocabulary.SetLocale

// SetLocation is the argument of setLocation: one place, or a way that the device travels.
type SetLocation = vocabulary.SetLocation

// Degrees reads one place; it has been checked.
func Degrees(text string) (latitude, longitude float64) {
	return vocabulary.Degrees(text)
}

// Shake is the argument of shake.
type Shake = vocabulary.Shake

// Biometrics is the argument of biometrics.
type Biometrics = vocabulary.Biometrics

// Push is the argument of push.
type Push = vocabulary.Push

// SetStatusBar is the argument of setStatusBar.
type SetStatusBar = vocabulary.SetStatusBar

// Background is the argument of background.
type Background = vocabulary.Background

// AddMedia is the argument of addMedia.
type AddMedia = vocabulary.AddMedia

// Alert is the argument of alert.
type Alert = vocabulary.Alert

// Shell is the argument of shell.
type Shell = vocabulary.Shell

// Screenshot is the argument of screenshot.
type Screenshot = vocabulary.Screenshot

// Log is the argument of log.
type Log = vocabulary.Log

// Extract is the argument of extract: out of an element's text, or out of all text on the screen. The step option as:
// names the variable that takes the result.
type Extract = vocabulary.Extract

// StartRecording is the argument of startRecording.
type StartRecording = vocabulary.StartRecording

// StopRecording is the argument of stopRecording.
type StopRecording = vocabulary.StopRecording

// Point is a place on the screen, in pixels of the screenshot or in per cent of its size. In YAML it is a text,
// "120,340" or "50%,80%", or a map {x: 120, y: 340}.
type Point = vocabulary.Point

// Offset is a way on the screen in pixels of the screenshot, to the right and down: a text, "120,-40", or a map {x:
// 120, y: -40}.
type Offset = vocabulary.Offset

// Press is the argument of press.
type Press = vocabulary.Press

// KeyName returns the name of a key that may be written with a capital, or as other tools call it: Enter, ArrowDown,
// ctrl. A text that names no key comes back as it is, as a single character does.
func KeyName(text string) string {
	return vocabulary.KeyName(text)
}

// Selector says which element is meant. All given criteria must hold together. In YAML a plain string is a label.
type Selector = vocabulary.Selector

// Size is how large an element is on the screen.
type Size = vocabulary.Size

// MatchMode is how a text is compared.
type MatchMode = vocabulary.MatchMode

// The match modes; the empty one compares whole texts as a reader would.
const (
	MatchWhole    = vocabulary.MatchWhole
	MatchExact    = vocabulary.MatchExact
	MatchWords    = vocabulary.MatchWords
	MatchPrefix   = vocabulary.MatchPrefix
	MatchContains = vocabulary.MatchContains
	MatchRegex    = vocabulary.MatchRegex
	MatchMaestro  = vocabulary.MatchMaestro
)

// Input is the argument of input: a text, or random data.
type Input = vocabulary.Input

// Erase is the argument of erase.
type Erase = vocabulary.Erase

// CopyText is the argument of copyText.
type CopyText = vocabulary.CopyText

// Paste is the argument of paste.
type Paste = vocabulary.Paste

// SetClipboard is the argument of setClipboard.
type SetClipboard = vocabulary.SetClipboard

// Direction is up, down, left or right.
type Direction = vocabulary.Direction

// The directions.
const (
	Up    = vocabulary.Up
	Down  = vocabulary.Down
	Left  = vocabulary.Left
	Right = vocabulary.Right
)

// Tap is the argument of tap.
type Tap = vocabulary.Tap

// DoubleTap is the argument of doubleTap.
type DoubleTap = vocabulary.DoubleTap

// LongPress is the argument of longPress.
type LongPress = vocabulary.LongPress

// Swipe is the argument of swipe: a direction, or two places.
type Swipe = vocabulary.Swipe

// Scroll is the argument of scroll.
type Scroll = vocabulary.Scroll

// ScrollTo is the argument of scrollTo.
type ScrollTo = vocabulary.ScrollTo

// Target is an element or a place: a Selector that may be a point.
type Target = vocabulary.Target

// Drag is the argument of drag.
type Drag = vocabulary.Drag

// Pinch is the argument of pinch: two fingers on an element, or on the screen.
type Pinch = vocabulary.Pinch

// HideKeyboard is the argument of hideKeyboard.
type HideKeyboard = vocabulary.HideKeyboard

// Names are variables and their values, of any type.
type Names = vocabulary.Names

// WaitStable is the argument of waitStable. Its time limit is the step option timeoutMs.
type WaitStable = vocabulary.WaitStable

// WaitFor is the argument of waitFor: exactly one of its fields. Its time limit is the step option timeoutMs.
type WaitFor = vocabulary.WaitFor

// Sleep is the argument of sleep.
type Sleep = vocabulary.Sleep

// OpenBrowser is the argument of openBrowser.
type OpenBrowser = vocabulary.OpenBrowser

// HTTPCredentials are what the browser sends when the site of openBrowser requests a user and a password (basic
// authentication).
type HTTPCredentials = vocabulary.HTTPCredentials

// WebNavigate is the argument of webNavigate: an address, or a step in the history.
type WebNavigate = vocabulary.WebNavigate

// WebStorage is the argument of webStorage.
type WebStorage = vocabulary.WebStorage

// WebEval is the argument of webEval.
type WebEval = vocabulary.WebEval

// WebRoute is the argument of webRoute: what the page gets instead of the network's own answer.
type WebRoute = vocabulary.WebRoute

// WebModify is how the network's own answer is changed before the page gets it.
type WebModify = vocabulary.WebModify

// CloseBrowser is the argument of closeBrowser.
type CloseBrowser = vocabulary.CloseBrowser

// WebType is the argument of webType.
type WebType = vocabulary.WebType

// WebClick is the argument of webClick.
type WebClick = vocabulary.WebClick

// WebPress is the argument of webPress.
type WebPress = vocabulary.WebPress

// WebSelect is the argument of webSelect.
type WebSelect = vocabulary.WebSelect

// WebCheck is the argument of webCheck.
type WebCheck = vocabulary.WebCheck

// WebHover is the argument of webHover.
type WebHover = vocabulary.WebHover

// WebUpload is the argument of webUpload.
type WebUpload = vocabulary.WebUpload

// WebDownload is the argument of webDownload. as: saves the path of the file.
type WebDownload = vocabulary.WebDownload

// WebWait is the argument of webWait: exactly one of selector, url, load, request and response.
type WebWait = vocabulary.WebWait

// WebAssert is the argument of webAssert: an element and what must be true of it, by default that it is visible; or the
// page's address, title or console.
type WebAssert = vocabulary.WebAssert

// WebTab is the argument of webTab: exactly one of url, title, index and close.
type WebTab = vocabulary.WebTab

// WebDialog is the argument of webDialog.
type WebDialog = vocabulary.WebDialog

// WebDrag is the argument of webDrag.
type WebDrag = vocabulary.WebDrag
