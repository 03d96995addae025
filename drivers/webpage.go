package drivers

import (
	"context"
	"image"
	"time"
)

// WebTarget names one element of a page. Playwright waits until it can be acted on: that it is there, visible, enabled,
// is stationary and not covered. When that does not happen in time, or at once when the selector picks several
// elements, the error wraps ErrNotFound, ErrAmbiguous or ErrNotActionable and says what was seen; a selector that is
// not valid is an ErrNotFound.
type WebTarget struct {
	Selector string
	Frame    string        // CSS of the iframe that holds it; "" is the page itself; "#outer >> #inner" goes deeper
	Timeout  time.Duration // 10 s if it is 0
	// Meanwhile is called at most once, when the page took what was done and is watched for a moment, to see whether it
	// takes that back. May be nil.
	Meanwhile func(context.Context)
	// Warned is called with what the caller should know although the call succeeds. May be nil.
	Warned func(warning string)
	// Drawn is as in WebCondition.
	Drawn DrawnBelow
}

// Warn passes a warning to the caller, unless it is "".
func (t WebTarget) Warn(warning string) {
	if warning != "" && t.Warned != nil {
		t.Warned(warning)
	}
}

// WebElements is a Browser with elements that can be used one by one. An action that cannot be repeated without harm (a
// click, a key) is made once.
type WebElements interface {
	// ClickOn clicks.
	ClickOn(ctx context.Context, at WebTarget, how WebClick) error
	// FillIn replaces the text of a field; it is Fill, in frames too.
	FillIn(ctx context.Context, at WebTarget, text string) error
	// PressOn sets the focus on an element and presses a key in it: "Enter", "Control+A", in the words of Keys or
	// Playwright. With no selector the key goes where the focus is.
	PressOn(ctx context.Context, at WebTarget, key string) error
	// SelectIn chooses from a <select>.
	SelectIn(ctx context.Context, at WebTarget, choice WebChoice) error
	// Check makes a checkbox, radio button or switch checked or not; one that already is stays as it is.
	Check(ctx context.Context, at WebTarget, checked bool) error
	// Hover moves the pointer over an element.
	Hover(ctx context.Context, at WebTarget) error
	// Upload puts files into a file field, or to whatever opens a file dialog when it is clicked. None empties the field.
	Upload(ctx context.Context, at WebTarget, files []string) error
	// TextOf waits for one visible element and returns what it shows; of a field its text, of a password only dots.
	TextOf(ctx context.Context, at WebTarget) (string, error)
	// Download clicks and waits for the file that comes of it, which is put into dir, under name or else under the name
	// that the site sets, without any path in it. Nothing that is there is overwritten. It returns the file's path.
	Download(ctx context.Context, at WebTarget, dir, name string) (path string, err error)
	// WaitElement waits until an element is visible, hidden, attached or detached. Hidden and detached hold for all that
	// the selector picks, and not before the page has loaded. A frame that is not on the page holds nothing.
	WaitElement(ctx context.Context, at WebTarget, state string) error
}

// WebClick is how an element is clicked. The zero value is one click with the left button.
type WebClick struct {
	Button    string // left, right, middle
	Count     int
	Modifiers []string // that are held meanwhile: control, shift, alt, meta
}

// Clicker is a Device with a mouse and a keyboard.
type Clicker interface {
	// Click is Tap with a certain button, or with keys held.
	Click(ctx context.Context, p image.Point, how WebClick) error
}

// WebDropper is a Browser that can drop files on an element, as they are dragged from a folder.
type WebDropper interface {
	// DropFiles fails when the page does not take them.
	DropFiles(ctx context.Context, at WebTarget, files []string) error
}

// WebChoice is what to choose in a <select>: exactly one of its lists is used, the first that is not empty. Several
// entries need a <select multiple>.
type WebChoice struct {
	Values  []string // of the options' value attributes
	Labels  []string // as the options show them
	Indexes []int    // from 0
}

// WebPages is a Browser with a page that can be waited for as a whole, mocked, saved and queried.
type WebPages interface {
	// WaitPage waits for what event says; ErrNotFound when it does not come, with what came instead.
	WaitPage(ctx context.Context, event WebEvent, timeout time.Duration) error
	// Route fulfils, delays or blocks what pages request from the network, from now on: for the pages that are open, or,
	// before there are any, for those that OpenPage opens next. The newest route that fits is the one that counts. The
	// next OpenPage starts without any.
	Route(ctx context.Context, r WebRoute) error
	// SaveState writes the cookies and local storage to a file that only its owner can read.
	SaveState(ctx context.Context, path string) error
	// LoadState adds the cookies and local storage of such a file to the pages that are open (which see them when they
	// load again), or, before there are any, to those that OpenPage opens next. A file that is none is an ErrPage.
	LoadState(ctx context.Context, path string) error
	// ClearState removes the cookies, and what the page that is open keeps in its own storage.
	ClearState(ctx context.Context) error
	// Eval runs an expression or a function in the page and returns its value: nil, bool, int, float64, string, []any,
	// map[string]any. A script that throws, or does not end in time, or returns more than 1 MB of JSON, is a *ScriptError.
	Eval(ctx context.Context, script string, timeout time.Duration) (any, error)
	// ClosePage closes the pages and their context. The next OpenPage may follow. Without a page it does nothing.
	ClosePage(ctx context.Context) error
}

// WebEvent is what WebPages.WaitPage waits for; exactly one field is set. Addresses are patterns: a whole address, a
// path ("/cart"), a glob ("**/cart*", where ** crosses slashes, * does not, and {a,b} is a choice), or a regular
// expression between slashes ("/id=[0-9]+/").
type WebEvent struct {
	URL      string // the page's address fits
	Load     string // load, domcontentloaded, networkidle
	Request  string // a request was sent to a fitting address since the last action on the page, or is sent now
	Response string // the same for an answer
}

// WebRoute is what becomes of requests to the addresses that fit URL, a pattern as in WebEvent. Without Block, Status,
// Body, JSON and Headers the request goes its way, after Delay.
type WebRoute struct {
	URL     string
	Method  string // "": any
	Times   int    // requests it is for; 0: all
	Block   bool
	Status  int // 200 if it is 0 and something else of the answer is given
	Body    string
	JSON    any // instead of Body; nil is none
	Headers map[string]string
	Delay   time.Duration

	Request map[string]string // headers with which the request goes out; "" removes one
	Modify  *WebModify        // what becomes different in the network's own answer
}

// WebModify changes the network's answer before the page gets it. An answer that cannot be changed so (Merge where
// there is no JSON) becomes a failed request, which the log explains.
type WebModify struct {
	Status  int               // 0: as it is
	Headers map[string]string // in place of, or in addition to, its own; "" removes one
	Merge   any               // a JSON merge patch for the body; nil: none
	Replace map[string]string // texts in the body
}

// WebTabs is a Browser with pages (tabs, popups) that can be chosen, and with dialogs that can be answered ahead. A
// page that a page opens becomes the current one by itself; when it closes, the newest of the others does.
type WebTabs interface {
	// PickPage waits for a page that fits, the newest if there are several, and makes it the current one; ErrNotFound
	// names those that are open.
	PickPage(ctx context.Context, which WebTabSelector, timeout time.Duration) error
	// CloseTab closes the current page.
	CloseTab(ctx context.Context) error
	// AnswerDialogs says what becomes of dialogs from now on, until the next OpenPage.
	AnswerDialogs(ctx context.Context, how WebAnswer) error
}

// WebPageMonitor is a Browser that reports what happened on its pages in addition to what was requested, and that can
// keep a page in the foreground.
type WebPageMonitor interface {
	// PageEvents returns what happened since the last call: the oldest, and how many more there were.
	PageEvents() (list []WebPageEvent, more int)
	// Tabs lists the pages that are open, in the order in which they were opened. One that cannot be asked has no title.
	Tabs(ctx context.Context) ([]WebTab, error)
	// KeepFront says whether the foreground page stays there when another one opens, instead of that one becoming the
	// current one.
	KeepFront(keep bool)
}

// WebPageEvent is something that happened on a page.
type WebPageEvent struct {
	Kind   string // one of the constants below
	Text   string // of an error or a dialog, the name of a file
	URL    string // of the page
	Status int    // of the answer with which a page came
	Front  bool   // it was the foreground page
}

// The kinds of WebHappening.
const (
	TabOpened   = "opened"
	TabClosed   = "closed"
	TabWentTo   = "went to" // it was loaded again, or from elsewhere
	TabDownload = "download"
	TabDialog   = "dialog" // that was answered by itself
	TabError    = "error"  // that nothing in the page caught
)

// WebTab is a page that is open.
type WebTab struct {
	URL, Title string
	Front      bool
}

// WebTabSelector names a page; exactly one field is set.
type WebTabSelector struct {
	URL   string // a pattern as in WebEvent
	Title string // as in WebWant
	Index *int   // in the order in which they were opened; negative from the newest
}

// WebAnswer is how dialogs are answered. The zero value leaves one open until Alerter closes it; any other call than
// that and a screenshot dismisses it first.
type WebAnswer struct {
	AtOnce bool
	Accept bool
	Text   string // for a prompt
}

// WebListener is a Browser with pages that can be listened to.
type WebListener interface {
	// Listen runs a script in each page and frame of the context that is open, those that are there and those to come,
	// before their own scripts. What it passes to the window's function of this name, a text, is received with the place
	// of its page among Tabs; the promise that the function returns is fulfilled when onText returns. onText is called
	// from several goroutines, and may call the device. It ends with the context.
	Listen(ctx context.Context, name, script string, onText func(tab int, text string)) error
}

// WebHistoryEntry is an entry of a page's history.
type WebHistoryEntry struct {
	ID, Index int
	URL       string
	Typed     bool              // a person typed the address, or chose a bookmark: no page led there
	All       []WebHistoryEntry // the entries of that history, where this one was asked for
}

// WebHistory is a Browser that reports how its pages came where they are.
type WebHistory interface {
	// Visit returns the entry that the foreground page shows. A browser that does not report it returns an error that
	// wraps ErrUnsupported.
	Visit(ctx context.Context) (WebHistoryEntry, error)
}

// WebEvidence is a Browser that records what its pages asked the network for, and what Playwright traces.
type WebEvidence interface {
	// StartEvidence starts, before a page is open. mask takes secrets out of every text that is kept.
	StartEvidence(ctx context.Context, how WebEvidenceOptions) (WebRecording, error)
}

// WebEvidenceOptions say what is recorded.
type WebEvidenceOptions struct {
	Dir   string              // for files that grow
	Mask  func(string) string // nil: nothing is masked
	Trace bool                // Playwright's trace too
}

// WebRecording is evidence being gathered.
type WebRecording interface {
	// Troubles returns the errors of the console, uncaught errors and requests that failed since the last call, masked.
	Troubles() []string
	// Stop ends it and returns the files: the HAR, and the traces of the contexts that were opened. It may close the page:
	// it comes right before Recording.Stop or Device.Close.
	Stop(ctx context.Context) (har string, traces []string, err error)
}

// PageSnapshotter is a Browser that can keep its page as it is now for a report, to be looked into later.
type PageSnapshotter interface {
	// PageSnapshot returns the elements of the current page, those of frames of the same origin among them, with their
	// attributes, boxes and styles, and its texts with their boxes, as a JSON object of bounded size. Passwords are not in
	// it; other secrets may be. It is the same slice as the one before when nothing of the page has changed.
	PageSnapshot(ctx context.Context) ([]byte, error)
}

// PageAnswerer is a Browser that knows how its pages were answered.
type PageAnswerer interface {
	// PageAnswer returns the status of the response that the page which is open came with, and the URL that was requested;
	// 0: it came from no server, or that is not known.
	PageAnswer() (status int, address string)
}

// ScriptError is a script of a test that failed in the page. It is an ErrNotActionable.
type ScriptError struct{ Reason string }

func (e *ScriptError) Error() string { return "the script failed: " + e.Reason }

// Unwrap makes it an ErrNotActionable.
func (e *ScriptError) Unwrap() error { return ErrNotActionable }

// WebOpener is a Browser that reports how a page came.
type WebOpener interface {
	// Opening is of the page that OpenPage or Navigate went to last.
	Opening(ctx context.Context) (WebOpening, error)
}

// WebOpening is how a page came.
type WebOpening struct {
	URL        string
	Status     int // of the server's answer; 0: there was none, as for a file
	StatusText string
	Loading    []string // the addresses of what was still on its way when the page could be used, some of them
}
