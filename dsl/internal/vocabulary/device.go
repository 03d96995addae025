package vocabulary

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// SetOrientation is the argument of setOrientation.
type SetOrientation struct {
	Orientation string `json:"orientation" required:"true" scalar:"true" enum:"portrait,landscape,upsideDown,landscapeRight"`
}

// SetDarkMode is the argument of setDarkMode.
type SetDarkMode struct {
	On     bool `json:"on,omitempty" scalar:"true"`
	Toggle bool `json:"toggle,omitempty" only:"true"`
}

func (SetDarkMode) rules() []Rule { return []Rule{exactlyOne("on toggle")} }

// AssertDarkMode is the argument of assertDarkMode.
type AssertDarkMode struct {
	On bool `json:"on,omitempty" scalar:"true" default:"true"`
}

// SetAirplaneMode is the argument of setAirplaneMode.
type SetAirplaneMode struct {
	On     bool `json:"on,omitempty" scalar:"true"`
	Toggle bool `json:"toggle,omitempty" only:"true"`
}

func (SetAirplaneMode) rules() []Rule { return []Rule{exactlyOne("on toggle")} }

// OpenNotifications is the argument of openNotifications.
type OpenNotifications struct{}

// SetLocale is the argument of setLocale.
type SetLocale struct {
	Locale string `json:"locale" required:"true" scalar:"true" minLength:"1" format:"locale"`
}

// SetLocation is the argument of setLocation: one place, or a way that the device travels.
type SetLocation struct {
	At       string   `json:"at,omitempty" scalar:"true" minLength:"1" format:"place"`
	Route    []string `json:"route,omitempty" minLength:"1" minItems:"2" format:"place"`
	SpeedKmh float64  `json:"speedKmh,omitempty" minimum:"1" maximum:"40000" default:"50"`
	Accuracy float64  `json:"accuracy,omitempty" minimum:"0" maximum:"100000"`
}

func (SetLocation) rules() []Rule {
	return []Rule{exactlyOne("at route"), belongs("speedKmh", "route").says("",
		"remove it, or give the places to travel through")}
}

// Degrees reads one place; it has been checked.
func Degrees(text string) (latitude, longitude float64) {
	latitude, longitude, _ = ParseDegrees(text)
	return latitude, longitude
}

func ParseDegrees(text string) (latitude, longitude float64, ok bool) {
	north, east, two := strings.Cut(text, ",")
	latitude, err := strconv.ParseFloat(strings.TrimSpace(north), 64)
	longitude, err2 := strconv.ParseFloat(strings.TrimSpace(east), 64)
	return latitude, longitude, two && err == nil && err2 == nil && math.Abs(latitude) <= 90 && math.Abs(longitude) <= 180
}

// Shake is the argument of shake.
type Shake struct{}

// Biometrics is the argument of biometrics.
type Biometrics struct {
	Answer   string `json:"answer,omitempty" scalar:"true" enum:"match,fail"`
	Enrolled *bool  `json:"enrolled,omitempty"`
}

func (Biometrics) rules() []Rule { return []Rule{atLeastOne("answer enrolled")} }

// Push is the argument of push.
type Push struct {
	Package string         `json:"package" required:"true" minLength:"1"`
	Title   string         `json:"title,omitempty"`
	Body    string         `json:"body,omitempty"`
	Badge   *int           `json:"badge,omitempty" minimum:"0"`
	Data    map[string]any `json:"data,omitempty"`
}

func (Push) rules() []Rule { return []Rule{atLeastOne("title body badge data")} }

// SetStatusBar is the argument of setStatusBar.
type SetStatusBar struct {
	Time     string `json:"time,omitempty"`
	Battery  *int   `json:"battery,omitempty" minimum:"0" maximum:"100"`
	Wifi     *int   `json:"wifi,omitempty" minimum:"0" maximum:"3"`
	Cellular *int   `json:"cellular,omitempty" minimum:"0" maximum:"4"`
	Reset    bool   `json:"reset,omitempty" fixed:"true"`
}

func (SetStatusBar) rules() []Rule {
	return []Rule{atLeastOne("time battery wifi cellular reset")}
}

// Background is the argument of background.
type Background struct {
	Ms Millis `json:"for" spelling:"ms" format:"duration" required:"true" scalar:"true" minimum:"0" maximum:"3600000"`
}

func (b Background) cost(_ func(Steps) Cost, limit time.Duration) Cost {
	return Cost{Time: b.Ms.Duration() + limit}
}

// AddMedia is the argument of addMedia.
type AddMedia struct {
	Files []string `json:"files" required:"true" scalar:"true" minLength:"1" format:"file"`
}

// Alert is the argument of alert.
type Alert struct {
	Answer string `json:"answer,omitempty" scalar:"true" enum:"accept,dismiss"`
	Button string `json:"button,omitempty" minLength:"1"`
	Text   string `json:"text,omitempty"`
	Shows  string `json:"shows,omitempty" minLength:"1"`
}

func (Alert) rules() []Rule { return []Rule{exactlyOne("answer button")} }

// Shell is the argument of shell.
type Shell struct {
	Command string `json:"command" required:"true" scalar:"true" minLength:"1"`
}

// cost: the length of the way is not known yet.
func (l SetLocation) cost(_ func(Steps) Cost, limit time.Duration) Cost {
	return Cost{Time: limit, AtMin: len(l.Route) > 0}
}

// deviceActions returns every action that concerns the device as a whole.
func deviceActions() []Def {
	return []Def{
		{
			Name: "setOrientation", Args: SetOrientation{}, Was: "rotate",
			Doc:       "Rotates the screen.",
			Example:   "setOrientation: landscape",
			Platforms: phones, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "setDarkMode", Appium: "setUiMode", XCUITest: "setAppearance", Args: SetDarkMode{}, Was: "darkMode",
			Doc:       "Switches between the light and the dark appearance.",
			Example:   "setDarkMode: true",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "setAirplaneMode", Appium: "setConnectivity", Args: SetAirplaneMode{}, Was: "airplane",
			Doc:       "Disconnects the device from all networks, or connects it again.",
			Example:   "setAirplaneMode: true",
			Platforms: []Platform{Android, Web}, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "openNotifications", Appium: "openNotifications", Args: OpenNotifications{}, Was: "notifications",
			Doc:       "Opens the list of notifications.",
			Example:   "openNotifications:",
			Platforms: android, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "setLocale", Appium: "shell", XCUITest: "launchApp", Args: SetLocale{}, Was: "locale",
			Doc:       "Changes the language of the app in the foreground. On iOS the app is restarted for that.",
			Example:   "setLocale: de-DE",
			Platforms: phones, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "setLocation", Appium: "setGeolocation", XCUITest: "setSimulatedLocation",
			Args: SetLocation{}, Was: "location",
			Doc:       "Sets the location of the device, or lets it travel along a route.",
			Example:   "setLocation: \"52.52,13.405\"",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "shake", XCUITest: "shake", Args: Shake{},
			Doc:       "Shakes the device.",
			Example:   "shake:",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "biometrics", Appium: "fingerprint", XCUITest: "sendBiometricMatch", Args: Biometrics{},
			Doc:       "Answers a prompt for a fingerprint or a face, on iOS simulators and Android emulators.",
			Example:   "biometrics: match",
			Platforms: phones, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "push", XCUITest: "pushNotification", Args: Push{},
			Doc:       "Sends a push notification to an app on a simulator, as its server would.",
			Example:   "push: {package: com.example.app, title: Shipped, body: Your order is on its way}",
			Platforms: []Platform{IOS}, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "setStatusBar", Args: SetStatusBar{}, Was: "statusBar",
			Doc: "Sets what a simulator's status bar shows until the end of the test, so that screenshots of " +
				"different runs are equal.",
			Example:   "setStatusBar: {time: \"9:41\", battery: 100, wifi: 3}",
			Platforms: []Platform{IOS}, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "background", Appium: "pressKey", XCUITest: "backgroundApp", Args: Background{},
			Doc:       "Sends the app in the foreground to the background for a while, and brings it back.",
			Example:   "background: 5s",
			Platforms: phones, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "addMedia", Appium: "pushFile", XCUITest: "pushFile", Args: AddMedia{},
			Doc:       "Copies images and videos to the device's gallery.",
			Example:   "addMedia: [photo.png]",
			Platforms: phones, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "alert", XCUITest: "alert", Args: Alert{},
			Doc:       "Waits for an alert of the system, or a dialog of the page, and answers it.",
			Example:   "alert: accept",
			Platforms: everywhere, Interfaces: YAML | REST,
			Saves:  "the text of the alert",
			Effect: Acts,
		},
		{
			Name: "shell", Appium: "shell", Args: Shell{},
			Doc:       "Runs a command in the device's shell. Only where the run allows it: --allow-shell.",
			Example:   "shell: {command: getprop ro.product.model, as: model}",
			Platforms: android, Interfaces: YAML | REST,
			Saves:  "the output of the command",
			Effect: Acts,
		},
	}
}
