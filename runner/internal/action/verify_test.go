package action_test

import (
	"context"
	"image"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// eraser is a fake with a field that can be emptied, and that may lose what is typed.
type eraser struct {
	*fake
	take  func(try int, text string) string // what arrives of the nth text
	try   int
	stuck bool // nothing can be erased
}

func (e *eraser) Type(_ context.Context, text string) error {
	e.try++
	e.typed += e.take(e.try, text)
	return nil
}

func (e *eraser) Erase(_ context.Context, n int) error {
	if e.stuck {
		return nil
	}
	r := []rune(e.typed)
	if n < 0 || n > len(r) {
		n = len(r)
	}
	e.typed = string(r[:len(r)-n])
	return nil
}

// TestPitfallTextThatDropsCharacters: what is typed is read back; what did not arrive is typed once more, and what is
// lost then is a failure. A field may write the text in its own way.
func TestPitfallTextThatDropsCharacters(t *testing.T) {
	all := func(_ int, text string) string { return text }
	for _, test := range []struct {
		name    string
		before  string
		text    string
		take    func(try int, text string) string
		shows   func(typed string) string // nil: as it is
		secret  bool
		off     bool   // verify: false
		fail    string // of the message; empty: it passes
		note    string
		warning string
		holds   string // in the end
	}{
		{name: "all", text: "ada", take: all, holds: "ada"},
		{name: "after what is there", before: "x", text: "ada", take: all, holds: "xada"},
		{name: "nothing", text: "ada", take: func(int, string) string { return "" },
			fail: `typed "ada", and EditText [0,100][900,200] shows ""`},
		{name: "one lost, once", text: "ada", take: func(try int, text string) string {
			return map[bool]string{true: "aa", false: text}[try == 1]
		}, note: `the field showed "aa", so the text was typed once more`, holds: "ada"},
		{name: "one lost behind what is there, once", before: "ab", text: "ada", take: func(try int, text string) string {
			return map[bool]string{true: "da", false: text}[try == 1]
		}, note: "typed once more", holds: "abada"},
		{name: "one lost, always", text: "ad1", take: func(_ int, text string) string {
			return strings.ReplaceAll(text, "1", "")
		}, fail: `typed "ad1"`},
		{name: "a space lost, always", text: "a b", take: func(_ int, text string) string {
			return strings.ReplaceAll(text, " ", "")
		}, fail: `shows "ab"`},
		{name: "one doubled, once", text: "hello", take: func(try int, text string) string {
			return map[bool]string{true: "heello", false: text}[try == 1]
		}, note: "typed once more", holds: "hello"},
		{name: "two swapped, once", text: "ab", take: func(try int, text string) string {
			return map[bool]string{true: "ba", false: text}[try == 1]
		}, note: "typed once more", holds: "ab"},
		{name: "cut by the field", text: "123456", take: all, shows: func(s string) string { return s[:min(4, len(s))] },
			fail: `shows "1234"`},
		{name: "cut by the field, which is meant", text: "123456", take: all, shows: func(s string) string {
			return s[:min(4, len(s))]
		}, off: true, warning: "verify: false"},
		{name: "in capitals", text: "ada", take: all, shows: strings.ToUpper, warning: `the field made "ADA"`},
		{name: "in groups", text: "12345678", take: all, shows: func(s string) string {
			if len(s) > 4 {
				return "(" + s[:4] + ") " + s[4:]
			}
			return s
		}, warning: `the field made "(1234) 5678"`},
		{name: "with a unit", text: "5", take: all, shows: func(s string) string {
			if s == "" {
				return s
			}
			return s + " kg"
		}, note: "typed once more"},
		{name: "a password", text: "ada", take: all, secret: true, shows: dots, warning: "its length was checked"},
		{name: "a password, one lost once", text: "ada", take: func(try int, text string) string {
			return map[bool]string{true: "aa", false: text}[try == 1]
		}, secret: true, shows: dots, note: "typed once more", warning: "its length was checked", holds: "ada"},
		{name: "a password, one lost always", text: "ad1", take: func(_ int, text string) string {
			return strings.ReplaceAll(text, "1", "")
		},
			secret: true, shows: dots, fail: "typed"},
		{name: "a password that shows nothing", text: "ada", take: all, secret: true, shows: func(string) string {
			return ""
		}, warning: "is unknown"},
		{name: "only a space, lost", text: " ", take: func(int, string) string { return "" }, fail: "typed"},
		{name: "nothing to type", text: "", take: all},
		{name: "marks in other normal forms", text: "e\u0301", take: func(int, string) string { return "\u00e9" },
			warning: "the field made"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &eraser{fake: &fake{began: time.Now(), treeCost: 40 * time.Millisecond, typed: test.before}, take: test.take}
				f.show = func(time.Duration, []image.Point) []*screen.Node {
					shown := f.typed
					if test.shows != nil {
						shown = test.shows(shown)
					}
					n := edit(shown, true)
					n.Password = test.secret
					return []*screen.Node{n}
				}
				s := &action.Performer{Device: f, Timeout: 5 * time.Second}
				a := dsl.Input{Text: test.text}
				if test.off {
					no := false
					a.Verify = &no
				}
				err := action.Perform(t.Context(), s, a)
				if test.fail != "" {
					wantFail(t, err, false, test.fail)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if notes := strings.Join(s.Detail.Notes, ";"); !strings.Contains(notes, test.note) || test.note == "" &&
					notes != "" {
					t.Errorf("notes %q", notes)
				}
				if warnings := strings.Join(s.Detail.Warnings, ";"); !strings.Contains(warnings, test.warning) {
					t.Errorf("warnings %q", warnings)
				}
				if test.holds != "" && f.typed != test.holds {
					t.Errorf("it holds %q", f.typed)
				}
			})
		})
	}
}

func dots(s string) string { return strings.Repeat("•", utf8.RuneCountInString(s)) }

func TestInputNeedsAFocus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{began: time.Now(), show: always(edit("", false))}
		err := action.Perform(t.Context(), &action.Performer{Device: f, Timeout: time.Second}, dsl.Input{Text: "ada"})
		wantFail(t, err, false, "no text field has the focus")
	})
}

// TestInputIntoALabelOffersItsField: the failure names the field of the label, where there is one.
func TestInputIntoALabelOffersItsField(t *testing.T) {
	into := label("E-mail")
	for _, test := range []struct {
		name  string
		nodes []*screen.Node
		offer string
	}{
		{"a field", []*screen.Node{el("E-mail", 0, 40, 900, 90), edit("", false)}, "{type: EditText, below: E-mail}"},
		{"none", []*screen.Node{el("E-mail", 0, 40, 900, 90)}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{began: time.Now(), show: always(test.nodes...)}
				err := action.Perform(t.Context(), &action.Performer{Device: f, Timeout: 3 * time.Second},
					dsl.Input{Text: "ada", Into: &into})
				wantFail(t, err, false, "no text field has the focus", test.offer)
				offered := strings.Contains(action.ProblemOf(err).Message, "did you mean the field")
				if offered != (test.offer != "") {
					t.Errorf("message %q", action.ProblemOf(err).Message)
				}
			})
		})
	}
}

// TestInputIntoALabelWhileAnotherFieldHasTheFocus: a touch of a text that takes none leaves the focus where it was, and
// nothing is typed there, unless the text names that field.
func TestInputIntoALabelWhileAnotherFieldHasTheFocus(t *testing.T) {
	field := func(name string, y int, focused bool) *screen.Node {
		n := edit("", focused)
		n.ID, n.Hint, n.Bounds = name, "", image.Rect(0, y, 900, y+100)
		return n
	}
	behind := field("code", 600, true)
	behind.Bounds = image.Rect(0, 600, 900, 601)
	for _, test := range []struct {
		name   string
		nodes  []*screen.Node
		moves  bool
		result string
	}{
		{"it names another field", []*screen.Node{el("Name", 0, 0, 900, 50), field("name", 60, true),
			el("E-mail", 0, 200, 900, 250), field("mail", 260, false)}, false,
			"did you mean the field {type: EditText, below: E-mail}?"},
		{"it names no field", []*screen.Node{el("Name", 0, 0, 900, 50), field("name", 60, true),
			el("E-mail", 0, 900, 900, 950)}, false, "nothing was typed"},
		{"it names that field", []*screen.Node{el("E-mail", 0, 0, 900, 50), field("mail", 60, true)}, false, ""},
		{"the touch moves the focus", []*screen.Node{el("Name", 0, 0, 900, 50), field("name", 60, true),
			el("E-mail", 0, 200, 900, 250), field("mail", 260, false)}, true, ""},
		{"the field behind the boxes of a code", []*screen.Node{el("E-mail", 0, 0, 900, 50), behind}, false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{began: time.Now()}
				f.show = func(_ time.Duration, taps []image.Point) []*screen.Node {
					var list []*screen.Node
					for _, n := range test.nodes {
						c := *n
						if test.moves && len(taps) > 0 && c.Editable {
							c.Focused = !c.Focused
						}
						if c.Focused {
							c.Text = f.typed
						}
						list = append(list, &c)
					}
					return list
				}
				into := label("E-mail")
				err := action.Perform(t.Context(), &action.Performer{Device: f, Timeout: 3 * time.Second},
					dsl.Input{Text: "ada", Into: &into})
				if test.result == "" {
					if err != nil || f.typed != "ada" {
						t.Errorf("typed %q, %v", f.typed, err)
					}
					return
				}
				wantFail(t, err, false, "the focus is on", test.result)
				if f.typed != "" {
					t.Errorf("typed %q", f.typed)
				}
			})
		})
	}
}

// TestRandomDataComeFromTheirSeed: the seed in the report makes the same data again, whatever was drawn before.
func TestRandomDataComeFromTheirSeed(t *testing.T) {
	draw := func(t *testing.T, s *action.Performer, kind string, seed int) string {
		t.Helper()
		f := s.Device.(*fake)
		f.typed = ""
		if err := action.Perform(t.Context(), s, dsl.Input{Random: kind, Seed: seed}); err != nil {
			t.Fatal(err)
		}
		return s.Value.(string)
	}
	session := func() *action.Performer {
		f := &fake{began: time.Now()}
		f.show = func(time.Duration, []image.Point) []*screen.Node { return []*screen.Node{edit(f.typed, true)} }
		return &action.Performer{Device: f, Timeout: time.Second}
	}
	kinds := strings.Split("email,name,number,text,phone,word,city,country,color", ",")
	for _, kind := range kinds {
		synctest.Test(t, func(t *testing.T) {
			one, two := session(), session()
			draw(t, two, "word", 0)
			if a, b := draw(t, one, kind, 7), draw(t, two, kind, 7); a != b || a == "" {
				t.Errorf("%s: %q and %q", kind, a, b)
			}
			different := map[string]bool{}
			for range 20 {
				different[draw(t, one, kind, 0)] = true
			}
			if len(different) < 2 {
				t.Errorf("%s is always %v", kind, different)
			}
		})
	}
}
