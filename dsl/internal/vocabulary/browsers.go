package vocabulary

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The browsers that a test can name.
const (
	Chromium = "chromium"
	Firefox  = "firefox"
	WebKit   = "webkit"

	// RemoteBrowser is any browser of a remote, in the table alone; ClassicRemote is one of which the session reports no
	// events.
	RemoteBrowser = "remote"
	ClassicRemote = RemoteBrowser + " without WebDriver BiDi"
)

// BrowserSupport is what a browser makes of a word: it works, works in another way, or is refused before a page opens.
type BrowserSupport struct {
	Otherwise string // how it works, when not as Chromium does it
	Refused   string // why it is refused
}

// String is how tables show it.
func (s BrowserSupport) String() string {
	switch {
	case s.Refused != "":
		return "refused: " + s.Refused
	case s.Otherwise != "":
		return "otherwise: " + s.Otherwise
	}
	return "works"
}

// BrowserRow is one word of tests and what the browsers make of it. A word is an action, an option of one
// ("openBrowser.offline"), one value of an option ("openBrowser.colorScheme=no-preference"), or a part of the report
// ("report: recording").
type BrowserRow struct {
	Word                              string
	Chromium, Firefox, WebKit, Remote BrowserSupport
	// Classic is what sessions of remotes without WebDriver BiDi make of it, where that differs.
	Classic BrowserSupport
}

// browserRows is the one table of what browsers can do. The driver, validate, the reference and the contract test go by
// it.
func browserRows() []BrowserRow {
	works := BrowserSupport{}
	otherwise := func(how string) BrowserSupport { return BrowserSupport{Otherwise: how} }
	refused := func(why string) BrowserSupport { return BrowserSupport{Refused: why} }
	sites := "it is granted to each site as a page of it is asked for, not to all of them at once"
	rows := []BrowserRow{
		{
			Word:     "openBrowser.colorScheme",
			Chromium: works,
			Firefox:  otherwise("it is a preference of the whole browser: one process for each scheme"),
		},
		{
			Word:     "openBrowser.colorScheme=no-preference",
			Chromium: works,
			Firefox:  refused("Firefox knows light and dark alone"),
		},
		{Word: "openBrowser.device", Chromium: works,
			Firefox: otherwise(
				"devices without a touch screen alone: others are refused before the page opens, as Firefox imitates " +
					"neither touches nor a page's zoom",
			)},
		{Word: "openBrowser.connect", Chromium: works,
			Firefox: refused("only a Chromium that runs already can be used: start it with --remote-debugging-port")},
		{Word: "openBrowser.geolocation", Chromium: works, Firefox: otherwise(sites)},
		{Word: "openBrowser.permissions", Chromium: works, Firefox: otherwise(sites + "; of permissions there are " +
			strings.Join(strings.Fields(firefoxPermissions), ", ") + " alone: others are refused before the page opens")},
		{Word: "press", Chromium: works, Firefox: otherwise("there is no key menu")},
		{Word: "webUpload", Chromium: works, Firefox: otherwise("files alone, no folders")},
		{Word: "webPress", Chromium: works, Firefox: otherwise("as press")},
		{Word: "swipe", Chromium: works,
			Firefox: refused(
				"Firefox does not report what a page listens to: write drag to move an element, scroll to move the " +
					"content",
			)},
		{Word: "drag", Chromium: works,
			Firefox: otherwise(
				"what is made draggable by HTML (draggable, dragstart) gets the events of a drag from Taproot; all else " +
					"gets the mouse",
			)},
		{Word: "webDrag", Chromium: works, Firefox: otherwise("as drag")},
		{
			Word:     "setDarkMode",
			Chromium: works,
			Firefox:  refused("Firefox takes its colours when it starts: write colorScheme in openBrowser"),
		},
		{
			Word:     "setLocation",
			Chromium: works,
			Firefox:  otherwise("it is granted to the site that is open, so that openBrowser comes before it"),
		},
		{Word: "startRecording", Chromium: works, Firefox: otherwise("as report: recording")},
		{Word: "report: recording", Chromium: works,
			Firefox: otherwise("it is made of screenshots, at most ten a second: quick animations are not in it")},
		{Word: "report: closed shadow roots", Chromium: works,
			Firefox: otherwise("those that scripts make; the content of one that the page's HTML declares is not read")},
	}
	for _, word := range strings.Fields(browserWords) {
		rows = append(rows, BrowserRow{Word: word})
	}
	rows = inRemotes(inWebKit(rows))
	slices.SortStableFunc(rows, func(a, b BrowserRow) int { return strings.Compare(a.Word, b.Word) })
	return rows
}

// inWebKit adds what WebKit makes of the words.
func inWebKit(rows []BrowserRow) []BrowserRow {
	for _, said := range webkitSupport() {
		i := slices.IndexFunc(rows, func(r BrowserRow) bool { return r.Word == said.Word })
		if i < 0 {
			rows = append(rows, said)
			continue
		}
		rows[i].WebKit = said.WebKit
	}
	return rows
}

// webkitSupport is what WebKitGTK makes of words by its WebDriver: that reports neither what pages request nor what
// they write to the console, and has a mouse with one button.
func webkitSupport() (rows []BrowserRow) {
	refuse := func(why string, words ...string) {
		for _, word := range words {
			rows = append(rows, BrowserRow{Word: word, WebKit: BrowserSupport{Refused: why}})
		}
	}
	otherwise := func(word, how string) {
		rows = append(rows, BrowserRow{Word: word, WebKit: BrowserSupport{Otherwise: how}})
	}
	refuse("only a Chromium that runs already can be used: start it with --remote-debugging-port", "openBrowser.connect")
	refuse("WebKit imitates no devices: write viewport and userAgent", "openBrowser.device")
	refuse("WebKit returns no location to a page that is allowed to ask", "openBrowser.geolocation", "setLocation")
	refuse("WebKit grants no permissions by itself", "openBrowser.permissions")
	refuse("WebKit opens a window on a display of its own only", "openBrowser.headless=false")
	refuse("WebKit knows light and dark alone", "openBrowser.colorScheme=no-preference")
	refuse("WebKit does not report what a page listens to: write drag to move an element, scroll to move the content",
		"swipe")
	const button = "after another button than the left one WebKit reports no pointer events any more"
	refuse(button, "tap.button=right", "tap.button=middle", "webClick.button=right", "webClick.button=middle")
	otherwise("report: recording", "it shows the window in the foreground, ten images a second")
	otherwise("startRecording", "as report: recording")
	const offline = "requests fail; sockets that are open stay"
	otherwise("openBrowser.offline", offline)
	otherwise("setAirplaneMode", offline)
	otherwise("webStorage", "save is an error where something is known to be missing, as local storage of frames of "+
		"other sites, and warns of sites of which not all responses are reported (redirects, service workers)")
	otherwise("webRoute", "a response cannot be a redirect; a request that WebKit does not let wait is an error")
	otherwise("openBrowser.httpCredentials", "they are sent to the site of the address alone, when the page opens")
	otherwise("openBrowser.colorScheme", "it is an option of the whole browser, which starts with the page")
	otherwise("press", "there is no key menu")
	otherwise("webPress", "as press")
	otherwise("webUpload",
		"files alone, no folders, into file fields: the dialog that a button opens is not reported")
	otherwise("paste", "what pages copy by themselves is not known: it pastes what copyText and setClipboard took")
	const html = "what is made draggable by HTML (draggable, dragstart) gets the events of a drag from Taproot; all " +
		"else gets the mouse"
	otherwise("drag", html)
	otherwise("webDrag", "as drag")
	otherwise("alert", "which kind a dialog is, is not reported: each has the buttons OK and Cancel, and a field for all "+
		"that is known")
	otherwise("report: closed shadow roots",
		"those that scripts make; the content of one that the page's HTML declares is not read")
	return rows
}

// browserWords are those that work in each browser as they do in Chromium.
const browserWords = `openBrowser openBrowser.url openBrowser.headless openBrowser.viewport openBrowser.locale ` +
	`openBrowser.timezone
	openBrowser.storage openBrowser.httpCredentials openBrowser.browser openBrowser.offline openBrowser.userAgent ` +
	`openBrowser.headers openBrowser.ignoreHttpsErrors
	tap doubleTap longPress scroll scrollTo input erase copyText setClipboard paste waitStable waitFor sleep assert ` +
	`assertNot
	assertElement assertDarkMode assertTrue assertScreenshot assertVisual assertLog setAirplaneMode shake alert ` +
	`screenshot stopRecording log extract
	webNavigate webClick webType webSelect webCheck webHover webTab webDialog webDownload webWait webAssert webRoute
	webStorage webEval closeBrowser if repeat retry forEach group try run on set http exec
	waitForMail`

var browserTable = sync.OnceValue(browserRows)

// Browsers are the browsers of the table.
func Browsers() []string { return []string{Chromium, Firefox, WebKit} }

// BrowserTable returns what each browser makes of each word, in the order of the words.
func BrowserTable() []BrowserRow { return slices.Clone(browserTable()) }

// BrowserDoes returns what a browser makes of a word; of one that the table does not have, it is not known to differ
// from Chromium.
func BrowserDoes(browser, word string) BrowserSupport {
	i, found := slices.BinarySearchFunc(browserTable(), word, func(r BrowserRow, word string) int {
		return strings.Compare(r.Word, word)
	})
	switch {
	case browser == Firefox && strings.HasPrefix(word, permissionWord):
		return firefoxPermission(strings.TrimPrefix(word, permissionWord))
	case !found:
	case browser == Firefox:
		return browserTable()[i].Firefox
	case browser == WebKit:
		return browserTable()[i].WebKit
	case browser == RemoteBrowser:
		return browserTable()[i].Remote
	case browser == ClassicRemote:
		if row := browserTable()[i]; row.Classic.Refused != "" {
			return row.Classic
		}
		return browserTable()[i].Remote
	case browser == Chromium || browser == "":
		return browserTable()[i].Chromium
	}
	return BrowserSupport{}
}

// permissionWord starts the word of one permission of a page.
const permissionWord = "openBrowser.permissions="

// firefoxPermissions are those that Firefox can grant.
const firefoxPermissions = "geolocation midi notifications persistent-storage push screen-wake-lock"

func firefoxPermission(name string) BrowserSupport {
	if name == "" || slices.Contains(strings.Fields(firefoxPermissions), name) {
		return BrowserSupport{}
	}
	return BrowserSupport{Refused: "Firefox can grant " + strings.Join(strings.Fields(firefoxPermissions),
		", ") + " alone"}
}

// BrowserTitle is a browser's name as people write it.
func BrowserTitle(name string) string {
	return map[string]string{"": "Chromium", Chromium: "Chromium", Firefox: "Firefox", WebKit: "WebKit",
		RemoteBrowser: "a remote browser", ClassicRemote: "a remote browser without WebDriver BiDi"}[name]
}

// Refusal is why a browser does not do what a word says; "" when it does.
func Refusal(browser, word string) string {
	why := BrowserDoes(browser, word).Refused
	if why == "" {
		return ""
	}
	what, value, _ := strings.Cut(strings.TrimPrefix(word, "openBrowser."), "=")
	if value != "" {
		what += ": " + value
	}
	return fmt.Sprintf("%s does not work in %s: %s", what, BrowserTitle(browser), why)
}

// inRemotes adds what the browsers of remotes make of the words.
func inRemotes(rows []BrowserRow) []BrowserRow {
	for _, said := range remoteSupport() {
		i := slices.IndexFunc(rows, func(r BrowserRow) bool { return r.Word == said.Word })
		if i < 0 {
			rows = append(rows, said)
			continue
		}
		rows[i].Remote, rows[i].Classic = said.Remote, said.Classic
	}
	return rows
}

// remoteSupport is what a session of WebDriver makes of words, whichever browser it has.
func remoteSupport() (rows []BrowserRow) {
	refuse := func(why string, words ...string) {
		for _, word := range words {
			rows = append(rows, BrowserRow{Word: word, Remote: BrowserSupport{Refused: why}})
		}
	}
	otherwise := func(word, how string) {
		rows = append(rows, BrowserRow{Word: word, Remote: BrowserSupport{Otherwise: how}})
	}
	reported := func(how, why string, words ...string) {
		for _, word := range words {
			rows = append(rows, BrowserRow{Word: word, Remote: BrowserSupport{Otherwise: withBiDi + how},
				Classic: BrowserSupport{Refused: why}})
		}
	}
	refuse("a remote is reached by the URL under remotes", "openBrowser.connect")
	refuse("it is up to the session: write it into the capabilities of the remote", "openBrowser.device",
		"openBrowser.colorScheme", "openBrowser.colorScheme=no-preference", "openBrowser.headless=false",
		"openBrowser.ignoreHttpsErrors", "setDarkMode")
	reported("", "it is up to the session: write it into the capabilities of the remote", "openBrowser.locale",
		"openBrowser.timezone", "openBrowser.userAgent")
	sites := "; it is granted to each site as a page of it is requested"
	reported(sites, "WebDriver grants no permissions", "openBrowser.permissions")
	reported(sites, "WebDriver sets no location", "openBrowser.geolocation", "setLocation")
	reported("", "WebDriver cannot cut a browser off from the network", "openBrowser.offline", "setAirplaneMode")
	reported("", "WebDriver adds no headers to requests", "openBrowser.headers")
	reported("", "WebDriver does not show what other sites keep: write the steps that log in", "openBrowser.storage",
		"webStorage")
	refuse("WebDriver does not report what a page listens to: write drag to move an element, scroll to move the "+
		"content", "swipe")
	reported("", "WebDriver does not report what pages request", "webRoute", "webWait.request", "webWait.response",
		"webWait.load=networkidle")
	reported("; Taproot requests the response itself, with the cookies of the browser, so its machine has to reach the "+
		"server", "WebDriver does not report what pages request", "webRoute.modify")
	reported("; browsers other than Chromium do not report there what they write to it by themselves",
		"WebDriver does not report what pages write to the console", "assertLog", "webAssert.noConsoleErrors")
	reported("; from a browser on another machine, a Selenium Grid passes files on (se:downloadsEnabled)",
		"WebDriver does not report downloads", "webDownload")
	refuse("a remote browser is not recorded", "startRecording", "stopRecording", "report: recording")
	reported("", "what pages request is not in the report", "report: network")
	otherwise("openBrowser.httpCredentials", "they are sent to the site of the address alone, when the page opens")
	otherwise("press", "there is no key menu")
	otherwise("webPress", "as press")
	otherwise("webUpload", "files alone, no folders, into file fields, where the server takes files (Grid, chromedriver)")
	otherwise("paste", "without WebDriver BiDi, what pages copy by themselves is not known: it pastes what copyText and "+
		"setClipboard took")
	otherwise("drag", "what is made draggable by HTML (draggable, dragstart) gets the events of a drag from Taproot; all "+
		"else gets the mouse")
	otherwise("webDrag", "as drag")
	otherwise("alert", "without WebDriver BiDi, which kind a dialog is, is not reported: each has the buttons OK and "+
		"Cancel, and a field for all that is known")
	otherwise("report: closed shadow roots", "with WebDriver BiDi those that scripts make; the content of one that the "+
		"page's HTML declares is not read. Without it only in Chromium")
	return rows
}

// withBiDi is how a remote does what needs events.
const withBiDi = "where the session has WebDriver BiDi (chromedriver, geckodriver, Grid)"
