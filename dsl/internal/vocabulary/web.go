package vocabulary

import (
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

// OpenBrowser is the argument of openBrowser.
type OpenBrowser struct {
	URL         string `json:"url" required:"true" scalar:"true" minLength:"1" format:"pageOrBase"`
	Headless    *bool  `json:"headless,omitempty"`
	Viewport    string `json:"viewport,omitempty" minLength:"1" format:"pageSize"`
	Device      string `json:"device,omitempty" minLength:"1" tool:"-"`
	Locale      string `json:"locale,omitempty" minLength:"1" format:"locale"`
	Timezone    string `json:"timezone,omitempty" minLength:"1" tool:"-"`
	ColorScheme string `json:"colorScheme,omitempty" enum:"light,dark,no-preference"`
	Storage     string `json:"storage,omitempty" minLength:"1" tool:"-"`

	Browser     string            `json:"browser,omitempty" enum:"chromium,firefox,webkit"`
	Connect     string            `json:"connect,omitempty" minLength:"1" format:"browser" tool:"-"`
	Geolocation string            `json:"geolocation,omitempty" minLength:"1" format:"place" tool:"-"`
	Permissions []string          `json:"permissions,omitempty" tool:"-"`
	Offline     bool              `json:"offline,omitempty" tool:"-"`
	UserAgent   string            `json:"userAgent,omitempty" minLength:"1" tool:"-"`
	Headers     map[string]string `json:"headers,omitempty" tool:"-"`
	AnyCert     bool              `json:"ignoreHttpsErrors,omitempty" tool:"-"`

	Credentials *HTTPCredentials `json:"httpCredentials,omitempty" tool:"-"`
}

// Local reports whether the URL is the path of an HTML file, relative to the test's own folder.
func (o OpenBrowser) Local() bool { return LocalPage(o.URL) }

// OnBase reports whether the URL is a path of the site that baseUrl names.
func (o OpenBrowser) OnBase() bool { return OnBase(o.URL) }

// OnBase reports whether an address is a path of the site that baseUrl names.
func OnBase(address string) bool {
	return strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//")
}

// Size returns the width and height of Viewport; zeros without one.
func (o OpenBrowser) Size() (width, height int) {
	width, height, _ = ParseSize(o.Viewport)
	return width, height
}

func (OpenBrowser) rules() []Rule {
	return []Rule{
		exclude("headless browser device locale timezone storage userAgent ignoreHttpsErrors httpCredentials", "connect").
			says("", "a browser that runs already is as it is: remove one of the two")}
}

var SizeForm = lazyregexp.New(`^([1-9][0-9]{1,4})x([1-9][0-9]{1,4})$`)

// ParseSize reads "1280x720".
func ParseSize(text string) (width, height int, ok bool) {
	m := SizeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	width, _ = source.Number(m[1])
	height, _ = source.Number(m[2])
	return width, height, true
}

func LocalPage(address string) bool {
	path, _, _ := strings.Cut(address, "#")
	path, _, _ = strings.Cut(path, "?")
	return !strings.Contains(path, ":") && (strings.HasSuffix(path, ".html") || strings.HasSuffix(path, ".htm"))
}

// HTTPCredentials are what the browser sends when the site of openBrowser requests a user and a password (basic
// authentication).
type HTTPCredentials struct {
	Username string `json:"username" required:"true" minLength:"1"`
	Password string `json:"password" required:"true"`
}

// WebNavigate is the argument of webNavigate: an address, or a step in the history.
type WebNavigate struct {
	URL string `json:"url,omitempty" scalar:"true" minLength:"1" format:"pageOrPath"`
	To  string `json:"to,omitempty" enum:"back,forward,reload"`
}

func (WebNavigate) rules() []Rule { return []Rule{exactlyOne("url to")} }

// WebStorage is the argument of webStorage.
type WebStorage struct {
	Save  string `json:"save,omitempty" minLength:"1"`
	Load  string `json:"load,omitempty" minLength:"1"`
	Clear bool   `json:"clear,omitempty" only:"true"`
}

func (WebStorage) rules() []Rule { return []Rule{exactlyOne("save load clear")} }

// WebEval is the argument of webEval.
type WebEval struct {
	Script string `json:"script" required:"true" scalar:"true" minLength:"1"`
}

// WebRoute is the argument of webRoute: what the page gets instead of the network's own answer.
type WebRoute struct {
	URL     string            `json:"url" required:"true" minLength:"1"`
	Status  int               `json:"status,omitempty" minimum:"100" maximum:"599"`
	Body    string            `json:"body,omitempty"`
	JSON    any               `json:"json,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Block   bool              `json:"block,omitempty"`
	DelayMs int               `json:"delay,omitempty" spelling:"delayMs" format:"duration" minimum:"0" maximum:"600000"`
	Modify  *WebModify        `json:"modify,omitempty"`
	Request map[string]string `json:"request,omitempty"`
	Method  string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS"`
	Times   int               `json:"times,omitempty" minimum:"1" maximum:"10000"`
}

// WebModify is how the network's own answer is changed before the page gets it.
type WebModify struct {
	Status  int               `json:"status,omitempty" minimum:"100" maximum:"599"`
	Headers map[string]string `json:"headers,omitempty"`
	Merge   any               `json:"merge,omitempty"`
	Replace map[string]string `json:"replace,omitempty"`
}

func (WebModify) rules() []Rule {
	return []Rule{atLeastOne("").says(`"modify" changes nothing`, "for example: modify: {merge: {stock: 0}}")}
}

func (WebRoute) rules() []Rule {
	return []Rule{
		atLeastOne("status body json headers block delay modify request").says(`"webRoute" changes nothing`,
			"give status, body, json, headers, block, delay, modify or request"),
		oneBody(),
		exclude("status body json headers modify request", "block=true").says("",
			"a request that is blocked gets no answer: remove one of the two"),
		exclude("status body json headers", "modify").
			says("", "the answer is either made here or the network's own: put it into modify, or remove modify"),
		exclude("status body json headers", "request").says("",
			"a request that is answered here does not go out: remove one of the two"),
	}
}

// oneBody refuses two bodies.
func oneBody() Rule {
	return exclude("json", "body").says("", "one of them is the body: remove the other")
}

// PartSpellings are uses of actions that are spellings of other actions, where the action itself is not one: the use,
// and how it is documented.
func PartSpellings() [][2]string {
	return [][2]string{
		{`webWait: "#count"`, `waitFor: {visible: {css: "#count"}}`},
		{`webWait: {url: "**/cart"}`, `waitFor: {url: "**/cart"}`},
		{"webPress: Enter", "press: enter"},
	}
}

// CloseBrowser is the argument of closeBrowser.
type CloseBrowser struct{}

// pageActions returns every action that concerns pages.
func pageActions() []Def {
	return []Def{
		{
			Name: "openBrowser", Tier: Core, Args: OpenBrowser{},
			Doc:       "Opens a page in a new browser context, and waits until it can be used.",
			Example:   "openBrowser: {url: \"https://example.com\", headless: true}",
			Platforms: browsers, Interfaces: AllInterfaces, Effect: OpenWorld | Apart,
		},
		{
			Name: "webNavigate", Args: WebNavigate{},
			Doc:       "Goes to a URL, or one step back or forward in the history.",
			Example:   "webNavigate: {to: back}",
			Platforms: browsers, Interfaces: AllInterfaces, Effect: Acts,
		},
		{
			Name: "webClick", Args: WebClick{},
			Doc:       "Clicks on an element of the page.",
			Example:   "webClick: \"#menu\"",
			Current:   "tap: {css: \"#menu\"}",
			Platforms: browsers, Interfaces: AllInterfaces, Effect: Acts, ReadsFirst: true,
		},
		{
			Name: "webType", Args: WebType{},
			Doc:       "Replaces the text of a field of the page, and verifies it.",
			Example:   "webType: {selector: \"#email\", text: ada@example.com}",
			Platforms: browsers, Interfaces: AllInterfaces, Effect: Acts,
		},
		{
			Name: "webPress", Args: WebPress{},
			Doc:       "Presses a key, in an element of the page or in the one with the focus.",
			Example:   "webPress: {selector: \"#search\", key: Enter}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "webSelect", Args: WebSelect{},
			Doc:       "Chooses an entry of a list.",
			Example:   "webSelect: {selector: \"#country\", label: Germany}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "webCheck", Args: WebCheck{},
			Doc:       "Checks a check box, or unchecks it.",
			Example:   "webCheck: {selector: \"#terms\", checked: true}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "webHover", Args: WebHover{},
			Doc:       "Moves the mouse over an element of the page.",
			Example:   "webHover: \"nav .products\"",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "webDrag", Args: WebDrag{},
			Doc:       "Drags an element of the page onto another.",
			Example:   "webDrag: {selector: \"#milk\", to: \"#cart\"}",
			Current:   "drag: {from: {css: \"#milk\"}, to: {css: \"#cart\"}}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Acts, ReadsFirst: true,
		},
		{
			Name: "webTab", Args: WebTab{}, Was: "webPage",
			Doc: "Switches to another page of the browser, a tab or a popup, once it is open; or closes the " +
				"current one.",
			Example:   "webTab: {url: \"**/terms\"}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "webDialog", Args: WebDialog{},
			Doc:       "Sets how dialogs of the page (alert, confirm, prompt) are answered from now on.",
			Example:   "webDialog: {answer: accept, text: Ada}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "webUpload", Args: WebUpload{},
			Doc:       "Puts files into a file field.",
			Example:   "webUpload: {selector: \"input[type=file]\", files: [photo.png]}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "webDownload", Args: WebDownload{},
			Doc:       "Clicks, and saves the file that the page then offers in the report.",
			Example:   "webDownload: {selector: \"#invoice\", as: invoice}",
			Platforms: browsers, Interfaces: YAML | REST,
			Saves:  "the path of the file",
			Effect: Acts,
		},
		{
			Name: "webWait", Args: WebWait{},
			Doc:       "Waits for an element, a URL, a request, a response, or until the page is loaded.",
			Example:   "webWait: {response: \"**/api/cart\"}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: ReadOnly | Idempotent,
		},
		{
			Name: "webAssert", Args: WebAssert{},
			Doc:       "Waits until an element of the page, or the page itself, is as given; fails on timeout.",
			Example:   "webAssert: {selector: h1, text: Welcome}",
			Platforms: browsers, Interfaces: AllInterfaces, Effect: Looks | OpenWorld, ReadsFirst: true,
		},
		{
			Name: "webRoute", Args: WebRoute{},
			Doc: "Mocks responses to requests of the page, blocks or delays requests, or changes the responses " +
				"of the network.",
			Example:   "webRoute: {url: \"**/api/cart\", status: 500}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "webStorage", Args: WebStorage{},
			Doc:       "Saves cookies and local storage to a file, or loads or removes them.",
			Example:   "webStorage: {save: signed-in.json}",
			Platforms: browsers, Interfaces: YAML | REST, Effect: Removes,
		},
		{
			Name: "webEval", Args: WebEval{},
			Doc:       "Runs JavaScript in the page.",
			Example:   "webEval: {script: document.title, as: title}",
			Platforms: browsers, Interfaces: YAML | REST,
			Saves:  "the result of the script",
			Effect: Acts,
		},
		{
			Name: "closeBrowser", Args: CloseBrowser{},
			Doc:       "Closes the page and its browser context.",
			Example:   "closeBrowser:",
			Platforms: browsers, Interfaces: AllInterfaces, Effect: Removes | Apart,
		},
	}
}
