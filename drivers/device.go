package drivers

import (
	"context"
	"fmt"
	"image"
	"io"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// State says whether a device can be used.
type State string

// Ready is the one state in which a device can be opened. The others carry the driver's own word ("unauthorized",
// "offline", "recovery", …), and Info.Problem says how to fix it.
const Ready State = "device"

// Info is a device's record. Unknown fields are zero.
type Info struct {
	ID           string       `json:"id"`               // adb serial, UDID, or web-1
	Remote       string       `json:"remote,omitempty"` // the remote that it is a session of; "": this machine's own
	Platform     dsl.Platform `json:"platform"`
	State        State        `json:"state"`
	Problem      string       `json:"problem,omitempty"` // why it cannot be used, and what to do about it
	Model        string       `json:"model,omitempty"`
	Manufacturer string       `json:"manufacturer,omitempty"`
	OSVersion    string       `json:"os_version,omitempty"`
	APILevel     int          `json:"api_level,omitempty"`
	ABI          string       `json:"abi,omitempty"`
	Width        int          `json:"width,omitempty"`  // of a screenshot of the upright device, pixels
	Height       int          `json:"height,omitempty"` // of a screenshot of the upright device, pixels
	Density      int          `json:"density,omitempty"`
	Orientation  string       `json:"orientation,omitempty"` // portrait or landscape: the orientation of the screen now
	Battery      int          `json:"battery,omitempty"`     // per cent
	Charging     bool         `json:"charging,omitempty"`
	Temperature  int          `json:"temperature,omitempty"` // of the battery, °C
	Emulator     bool         `json:"emulator,omitempty"`
}

// Driver finds the devices of one platform and opens them. All methods are safe for concurrent use.
type Driver interface {
	Platform() dsl.Platform
	// Devices lists what is attached, usable or not, sorted by ID. When the platform's own tool is missing, the error is
	// an *Unavailable.
	Devices(ctx context.Context) ([]Info, error)
	// Open prepares one device for one test. The caller holds the device's lease and closes what it gets.
	Open(ctx context.Context, id string) (Device, error)
	// Close ends what the driver keeps for all its devices (a browser, a connection). No Device may be used afterwards.
	Close() error
}

// SlotDriver is a Driver of devices that belong to this process alone (browser pages): they need no lease across
// processes.
type SlotDriver interface {
	// Slots is how many devices the driver can have open at once.
	Slots() int
}

// Watcher is a Driver that reports devices that come and go.
type Watcher interface {
	// Watch calls seen with what Devices would return, at once and whenever that changes, until ctx ends, which is not an
	// error. It does not call it twice at a time.
	Watch(ctx context.Context, seen func([]Info)) error
}

// Device is one phone or browser page, opened for one test. Methods are called one at a time, except that Close and the
// cancelling of a context may come at any time. Each call ends by itself within the driver's own time limit, and within
// a second after its context is cancelled. Coordinates are pixels of the screenshot, for trees and taps alike.
type Device interface {
	Info() Info
	// Tree reads the elements of the screen, all windows. It is never a cached one. An error that wraps ErrNotReady means
	// that the screen could not be read just now and may be read later.
	Tree(ctx context.Context) (*screen.Tree, error)
	// Screenshot returns what is on the screen now; its bounds start at (0,0).
	Screenshot(ctx context.Context) (image.Image, error)
	// Tap touches one point, once, and never repeats it by itself: a tap that may have happened is not repeated.
	Tap(ctx context.Context, p image.Point) error
	// Type enters text where the focus is, after what is there.
	Type(ctx context.Context, text string) error
	// Close frees everything that Open and later calls took, on the device too. Closing twice is fine.
	Close() error
}

// Apps is a Device that has apps.
type Apps interface {
	// Launch starts an app and returns once the system says that it started; the app may still be drawing. An app that is
	// not installed or has nothing to start returns an error that wraps ErrNoApp.
	Launch(ctx context.Context, app string, force bool) error
	// Foreground names the foreground app, "" during a change.
	Foreground(ctx context.Context) (string, error)
}

// Browser is a Device that is a page in a browser. Its waits are the browser's own; Page.Timeout bounds them. When a
// wait ends without success, the error wraps ErrNotFound, ErrAmbiguous or ErrNotActionable and says what was seen.
type Browser interface {
	// OpenPage goes to url in a context that keeps nothing of earlier tests.
	OpenPage(ctx context.Context, url string, opts PageOptions) error
	// Fill replaces the text of the one field that selector picks.
	Fill(ctx context.Context, selector, text string, timeout time.Duration) error
	// Look waits until the elements that selector picks satisfy want, and returns what it saw last in either case. A want
	// that was not met is not an error: Seen.Met says so.
	Look(ctx context.Context, selector string, want WebCondition, timeout time.Duration) (WebObservation, error)
}

// PageOptions are how a page is opened. What they cannot mean (an unknown device or time zone, a file that is not a
// saved state) is an ErrPage.
type PageOptions struct {
	Headed      bool
	Timeout     time.Duration
	Viewport    image.Point // CSS pixels; the driver's own if it is zero
	DeviceName  string      // of Playwright's list ("iPhone 15"): viewport, touch, user agent; Viewport overrides it
	Locale      string      // "de-DE"
	Timezone    string      // "Europe/Berlin"
	ColorScheme string      // light, dark, no-preference
	Storage     string      // path of a state that WebPages.SaveState saved

	Browser string // chromium, firefox, webkit; "" is chromium. One that is not installed is an *Unavailable
	// address of a browser that runs already, of which the page becomes a tab; "" is a browser of the driver's own
	Connect     string
	Geolocation *Coordinates // which pages may ask for
	Permissions []string     // that pages have, by the browser's names
	Offline     bool         // once the page is open
	UserAgent   string
	Headers     map[string]string // of every request
	AnyCert     bool              // certificates need not be valid

	Username, Password string // for the site of the address alone, when it requires them by HTTP
}

// WebCondition is the state that Browser.Look waits for. All that is set must hold at one moment.
type WebCondition struct {
	Frame  string  // CSS of the iframe in which the selector is looked up; "" is the page itself
	Hidden bool    // no match is visible; otherwise at least one is, unless Count alone is wanted
	Text   *string // a visible match shows this text, by TextShows
	Value  *string // a visible match is a field with exactly this value
	Count  *int    // so many matches, visible or not

	// These speak of the page; with one of them the selector may be "".
	URL             *string // the address fits this pattern, as in WebEvent
	Title           *string // the title shows this text, or fits a regular expression between slashes
	NoConsoleErrors bool    // since the page was opened

	Drawn DrawnBelow // nil: what canvases draw does not count
}

// DrawnBelow decides from the pixels whether a canvas draws what an element of the newest tree, which has
// screen.Node.Traced, says.
type DrawnBelow func(ctx context.Context, t *screen.Tree, n *screen.Node) (bool, error)

// WebObservation is what Browser.Look saw last.
type WebObservation struct {
	Met     bool
	Count   int      // matches, visible or not
	Visible int      // visible matches
	Texts   []string // of the visible matches, at most ten
	Values  []string // of the visible matches that are fields, at most ten; dots for passwords

	URL           string // of the page
	Title         string // when the title was wanted
	ConsoleErrors []string
	Warning       string // what the caller should know although Met is true

	Rest screen.Activity // what the page was known to have on its way at that moment
}

// BrowserChooser is a Device with pages that can be opened in several browsers.
type BrowserChooser interface {
	// UseBrowser has pages opened in a browser ("firefox") that name none themselves, starts it, and has Info report it.
	// One that is not installed is an *Unavailable. "" is the default browser again, and starts nothing.
	UseBrowser(ctx context.Context, name string) error
	// PageBrowser names the browser of the page that is open, or of the next one, with its version: "firefox", "153.7.0".
	PageBrowser() (name, version string)
}

// Revealer is a Device that can bring an element which is in the tree but off the screen into view.
type Revealer interface {
	// Reveal scrolls the element into view. The tree must be read again afterwards.
	Reveal(ctx context.Context, n *screen.Node) error
}

// QuickTreeReader is a Device that returns a cheaper tree which may count invisible elements as seen.
type QuickTreeReader interface {
	// QuickTree returns such a tree: what is not in it is not in Tree either. Nil: one cannot be had, or for no less.
	QuickTree(ctx context.Context) (*screen.Tree, error)
}

// Aimer is a Device that can hold a touch back at the last moment.
type Aimer interface {
	// Aim says which element of the newest tree the next touch is meant for; nil: whatever is there. When that touch, a
	// tap or a gesture that starts as one, would meet something else, nothing is touched, and its error wraps ErrMissed.
	Aim(n *screen.Node)
}

// ExactAimer is an Aimer that queries the place of some elements right before it touches them.
type ExactAimer interface {
	Aimer
	// AimsExactly reports whether a touch that is aimed at this element of the newest tree is blocked as well when the
	// element has moved since: it need not be seen standing still before.
	AimsExactly(n *screen.Node) bool
}

// TouchReporter is an Aimer that sees what a touch meets.
type TouchReporter interface {
	// TouchMet names what the last touch that was aimed has met, "" when that is not known.
	TouchMet() string
}

// TreeSource is a Device that can read its screen in several ways.
type TreeSource interface {
	// TreeReadBy says in one sentence for the report what reads the screen, and why nothing better does. "": there is
	// nothing to say.
	TreeReadBy() string
}

// FullTreeReader is a Device with trees that leave out windows that a touch does not reach.
type FullTreeReader interface {
	// FullTree is Tree with all windows: those under a dialog, the bars of the system and the keyboard, too.
	FullTree(ctx context.Context) (*screen.Tree, error)
}

// TextHinter is a Device with screens that may hold more elements than a tree.
type TextHinter interface {
	// HintTexts names texts that the trees to come must not leave out: elements which show or hold one of them, whatever
	// else is left out. None: nothing in particular.
	HintTexts(texts ...string)
}

// PartReader is a Device with trees that have where in the texts of pages parts of them are drawn.
type PartReader interface {
	// ReadParts names the parts of which the elements of pages must have the places in the trees to come. None: no more.
	ReadParts(parts ...screen.TextPart)
}

// PartRevealer is a Revealer that can bring a part of an element's text into view.
type PartRevealer interface {
	Revealer
	// RevealPart scrolls the first place of the part that can be seen into view. The tree must be read again afterwards.
	RevealPart(ctx context.Context, n *screen.Node, part screen.TextPart) error
}

// Pixels is a Device with screenshots that are much cheaper than its trees: pixels then show that nothing moves.
type Pixels interface {
	// PixelsAreCheap is true when two screenshots cost less than one tree.
	PixelsAreCheap() bool
}

// AheadOfScreen is a Device with trees that may have the place where an element will be when an animation has ended,
// before it is there.
type AheadOfScreen interface {
	// TreeAheadOfScreen is true when only pixels show that an element is stationary, whatever they cost.
	TreeAheadOfScreen() bool
}

// Keyboard is a Device that reports whether its on-screen keyboard takes text now.
type Keyboard interface {
	KeyboardShown(ctx context.Context) (bool, error)
}

// KeyboardArea is a Device that reports which part of the screen its on-screen keyboard takes.
type KeyboardArea interface {
	// KeyboardArea is empty while no keyboard is shown.
	KeyboardArea(ctx context.Context) (image.Rectangle, error)
}

// Recorder is a Device that can record its screen.
type Recorder interface {
	// StartRecording starts to record into new files in dir. The error says why it cannot.
	StartRecording(ctx context.Context, dir string) (Recording, error)
}

// Recording is a video being made.
type Recording interface {
	// Stop ends the recording and returns its parts in order, as files in the directory that StartRecording got. It may
	// close the recorded page: it is the last call before Device.Close.
	Stop(ctx context.Context) ([]Clip, error)
}

// Clip is one part of a recording, in any format that ffmpeg reads.
type Clip struct {
	Path  string
	Start time.Time // of its first frame
}

// Logger is a Device that has a system log.
type Logger interface {
	// StartLog copies the log, from now on, to w until the returned function is called, which waits for the last line.
	StartLog(ctx context.Context, w io.Writer) (stop func() error, err error)
}

// LogKeeper is a Logger that knows whether it has copied all.
type LogKeeper interface {
	// LogCut returns why lines of the log that was started last are missing up to now, nil when all are there. It wraps
	// ErrNotReady, for they may come yet.
	LogCut() error
}

// Querier is a Device with trees that can be queried with CSS or XPath.
type Querier interface {
	// Query returns those elements of the tree, which was just read, that css (or else xpath) picks. A selector that is
	// not valid returns an error that wraps ErrNotFound.
	Query(ctx context.Context, t *screen.Tree, css, xpath string) (map[*screen.Node]bool, error)
}

// WebViewReader is a Device with apps that may show web pages of their own.
type WebViewReader interface {
	// ReadWebViews chooses the source of their elements, until it is called again: "devtools" (Chrome DevTools or Safari's
	// Web Inspector, where the app lets its WebViews be debugged), "accessibility", or "auto": DevTools where
	// accessibility has nothing.
	ReadWebViews(how string) error
}

// WebViews reads what ReadWebViews is called with: whether pages are read also where accessibility has them, or
// never. The error wraps ErrUnsupported.
func WebViews(how string) (always, never bool, err error) {
	switch how {
	case "auto", "devtools", "accessibility":
		return how == "devtools", how == "accessibility", nil
	}
	return false, false, fmt.Errorf("%w: WebViews cannot be read by %s", ErrUnsupported, screen.Quote(how))
}
