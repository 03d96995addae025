package maestro

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// Command is what a step of a flow says. Its texts still hold their ${…}.
type Command struct {
	Name     string // as the flow has it
	Label    string // what reports call it; "": its name
	Optional bool   // a failure is a warning
	Do       Do
}

// Do is one of the structs of this package that say what is done. Texts are filled in by Expand, except those tagged
// js:"-".
type Do any

// Touch is a kind of touch.
type Touch int

// The touches.
const (
	Once Touch = iota
	Twice
	Long
)

// Tap is tapOn, doubleTapOn and longPressOn.
type Tap struct {
	On             *Selector // nil: Point is one of the screen
	Point          string    // of the screen
	In             string    `js:"-"` // a point in the element
	Touch          Touch
	Repeat         int // 0: once
	DelayMs        int // between two
	RetryUnchanged bool
	UntilVisible   bool
	SettleMs       *int
}

// Assert is assertVisible, assertNotVisible, assertTrue and extendedWaitUntil.
type Assert struct {
	Condition
	Timeout *string
}

// Condition is what must hold: all of it, in this order.
type Condition struct {
	Platform   string `js:"-"`
	True       *string
	Visible    *Selector
	NotVisible *Selector
}

// Pair is an entry of a map, in the order of the file.
type Pair struct {
	Key   string `js:"-"`
	Value string
	Pos   source.Pos `js:"-"`
}

// Argument is what an app is started with.
type Argument struct {
	Key   string
	Value any // string, bool, int, float64
}

// Launch is launchApp.
type Launch struct {
	App           string
	ClearState    bool
	ClearKeychain bool
	KeepRunning   bool // stopApp: false
	Permissions   []Pair
	GrantAll      bool // no map of permissions was given
	Arguments     []Argument
}

// SetPermissions is setPermissions.
type SetPermissions struct {
	App         string
	Permissions []Pair
}

// Stop is stopApp.
type Stop struct{ App string }

// Kill is killApp: the death of a process in the background.
type Kill struct{ App string }

// Clear is clearState.
type Clear struct{ App string }

// ClearKeychain is clearKeychain.
type ClearKeychain struct{}

// Input is inputText.
type Input struct{ Text string }

// Random is one of inputRandomText, …Number, …Email, …PersonName, …CityName, …CountryName, …ColorName.
type Random struct {
	Kind   string `js:"-"` // text, number, email, name, city, country, color
	Length int
}

// Erase is eraseText.
type Erase struct{ Count int }

// Copy is copyTextFrom.
type Copy struct{ From *Selector }

// SetClipboard is setClipboard: Maestro's own clipboard.
type SetClipboard struct{ Text string }

// Paste is pasteText: it types Maestro's own clipboard.
type Paste struct{}

// Press is pressKey and back.
type Press struct {
	Key  string `js:"-"` // in lower case, a name of Keys
	Back bool   // the command back, which pages have, and not the key
}

// HideKeyboard is hideKeyboard.
type HideKeyboard struct{}

// Swipe is swipe: in a direction, from an element in a direction, or between two places.
type Swipe struct {
	Direction dsl.Direction `js:"-"`
	From      *Selector
	In        string // a point in the element
	Start     string `js:"-"` // pixels, or per cent of the screen
	End       string `js:"-"`
	Ms        int
	SettleMs  *int
}

// Scroll is scroll.
type Scroll struct{}

// ScrollUntil is scrollUntilVisible.
type ScrollUntil struct {
	To        *Selector
	Direction dsl.Direction `js:"-"`
	Timeout   string
	Speed     string
	Percent   int
	Centre    bool
	SettleMs  *int
}

// MoveMs is how long one movement takes at a speed, in milliseconds.
func (ScrollUntil) MoveMs(speed int) int {
	if ms := (100-speed)*10 + 1; ms > 0 {
		return ms
	}
	return 40
}

// RunFlow is runFlow.
type RunFlow struct {
	When *Condition
	Flow *Flow  // of the file; nil: the steps are inline
	Env  []Pair `js:"-"`
	// Again is how often Env is set before the steps start: once for each inline command, so that values may see those
	// before them.
	Again int
	Steps dsl.Steps
}

// Repeat is repeat.
type Repeat struct {
	Times *string
	While *Condition `js:"-"` // its texts are filled in again for each round
	Steps dsl.Steps
}

// Retry is retry.
type Retry struct {
	Max string
	RunFlow
}

// Script is runScript and evalScript.
type Script struct {
	Text string     `js:"-"`
	File string     `js:"-"` // "": evalScript
	Dir  string     `js:"-"` // of the file
	Pos  source.Pos `js:"-"`
	Env  []Pair
	When *Condition
}

// OpenLink is openLink.
type OpenLink struct {
	Link                string
	Browser, AutoVerify bool
}

// Location is setLocation.
type Location struct{ Latitude, Longitude string }

// Travel is travel.
type Travel struct {
	Points []string `js:"-"`
	Speed  float64  // metres per second
}

// Orientation is setOrientation.
type Orientation struct{ To string }

// Switch is what is done with a setting.
type Switch int

// The ways to change a setting.
const (
	On Switch = iota
	Off
	Toggle
)

// Airplane is setAirplaneMode and toggleAirplaneMode.
type Airplane struct{ Set Switch }

// DarkMode is setDarkMode and toggleDarkMode.
type DarkMode struct{ Set Switch }

// AssertDark is assertDarkMode and assertLightMode.
type AssertDark struct{ Dark bool }

// AddMedia is addMedia.
type AddMedia struct{ Files []string }

// StartRecording is startRecording.
type StartRecording struct{ Path string }

// StopRecording is stopRecording.
type StopRecording struct{}

// Screenshot is takeScreenshot.
type Screenshot struct {
	Path string
	Crop *Selector
}

// AssertScreenshot is assertScreenshot.
type AssertScreenshot struct {
	Path      string
	Threshold string
	Crop      *Selector
	Dir       string `js:"-"` // of the flow
	Beside    string `js:"-"` // the file next to the flow; "": there is none, or its name is from a script
}

// AI is assertWithAI, assertNoDefectsWithAI and extractTextWithAI.
type AI struct {
	Kind   string `js:"-"` // assert, defects, extract
	Text   string
	Output string `js:"-"`
}

// Settle is waitForAnimationToEnd.
type Settle struct{ Timeout *string }

// Flow is one file.
type Flow struct {
	File       string
	Source     *source.Source
	App        string // appId or url, as it is written
	Web        bool   // by url
	Name       string
	Tags       []string
	Env        []Pair
	Properties []dsl.Property
	Start      dsl.Steps // onFlowStart
	Steps      dsl.Steps
	Complete   dsl.Steps // onFlowComplete
	WebViews   bool      // androidWebViewHierarchy: devtools
	Rhino      bool      // jsEngine: rhino
	Warnings   []*source.Error
}

// Entry is what the one step of a test says that was made of a flow.
type Entry struct{ *Flow }

// Mutates reports whether a command counts as a change of the screen, from which the time of the searches after it is
// counted.
func Mutates(do Do) bool {
	switch do.(type) {
	case Assert, Copy, SetClipboard, SetPermissions, ClearKeychain, Screenshot, AssertScreenshot, StartRecording,
		StopRecording, AI, AssertDark:
		return false
	}
	return true
}

// Expand returns a copy of what a command says with its texts filled in: all but those that a tag excludes,
// flows and steps, and the env of a called flow, which is filled in when the flow starts.
func Expand[T any](do T, fill func(string) (string, error)) (T, error) {
	v := reflect.New(reflect.TypeOf(do)).Elem()
	v.Set(reflect.ValueOf(do))
	if err := expand(v, fill); err != nil {
		return do, err
	}
	return v.Interface().(T), nil
}

func expand(v reflect.Value, fill func(string) (string, error)) error {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != reflect.TypeFor[string]() {
			return nil
		}
		text, err := fill(v.String())
		if err == nil {
			v.SetString(text)
		}
		return err
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*Flow]() {
			return nil
		}
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		v.Set(own)
		return expand(own.Elem(), fill)
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Pointer && v.Type().Elem() != reflect.TypeFor[*Selector]() {
			return nil // steps
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		for i := range own.Len() {
			if err := expand(own.Index(i), fill); err != nil {
				return err
			}
		}
	case reflect.Interface:
		if text, is := v.Interface().(string); is {
			filled, err := fill(text)
			if err == nil {
				v.Set(reflect.ValueOf(filled))
			}
			return err
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Tag.Get("js") == "-" {
				continue
			}
			if err := expand(v.Field(i), fill); err != nil {
				return err
			}
		}
	}
	return nil
}

// Truth reports whether a text from a script counts as true.
func Truth(text string) bool {
	if strings.TrimSpace(text) == "" || strings.EqualFold(text, "false") || text == "undefined" || text == "null" {
		return false
	}
	n, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(text), "fFdD"), 64)
	return err != nil || n != 0
}
