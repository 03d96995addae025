package dump

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/treexml"
)

const head = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>`

// node writes a leaf as uiautomator does, with the given attributes instead of the usual ones.
func node(attrs string) string {
	return head + `<hierarchy rotation="0"><node index="0" ` + attrs + ` /></hierarchy>`
}

func TestParseDump(t *testing.T) {
	t.Parallel()
	box := image.Rect(0, 0, 10, 20)
	cases := []struct {
		name, doc string
		want      screen.Node
	}{
		{"all attributes",
			node(`NAF="true" text="Sign in" resource-id="com.a:id/go" class="android.widget.Button" package="com.a"
			content-desc="Go" checkable="true" checked="true" clickable="true" enabled="false" focusable="true" focused="true"
			scrollable="true" long-clickable="false" password="true" selected="true" bounds="[0,0][10,20]"`),
			screen.Node{Text: "Sign in", ID: "com.a:id/go", Type: "android.widget.Button", Package: "com.a", Desc: "Go",
				Clickable: true, Checkable: true,
				Checked: true, Disabled: true, Focused: true, Scrollable: true, Password: true, Selected: true, Bounds: box}},
		{"long-clickable is clickable", node(`class="V" long-clickable="true" clickable="false"`),
			screen.Node{Type: "V", Clickable: true, LongOnly: true}},
		{"checkable alone takes no touch", node(`class="V" checkable="true" clickable="false"`),
			screen.Node{Type: "V", Checkable: true}},
		{"attribute in single quotes", node(`text='say "hi"' class="V"`), screen.Node{Type: "V", Text: `say "hi"`}},
		{"emoji as one entity", node(`text="&#128512;" class="V"`), screen.Node{Type: "V", Text: "😀"}},
		{"emoji as two surrogate entities", node(`text="a&#55357;&#56832;b" class="V"`), screen.Node{Type: "V", Text: "a😀b"}},
		{"half a surrogate pair", node(`text="a&#55357;b" class="V"`), screen.Node{Type: "V", Text: "a.b"}},
		{"hexadecimal entity", node(`text="&#x41;&#x1F600;" class="V"`), screen.Node{Type: "V", Text: "A😀"}},
		{"entities that mean something", node(`text="&lt;b&gt; &amp;amp; &quot;&#39;&#60;" class="V"`),
			screen.Node{Type: "V", Text: `<b> &amp; "'<`}},
		{"line break as an entity", node(`text="a&#10;b" class="V"`), screen.Node{Type: "V", Text: "a\nb"}},
		{"bare ampersand", node(`text="AT&T & co" class="V"`), screen.Node{Type: "V", Text: "AT&T & co"}},
		{"HTML entity", node(`text="a&nbsp;b" class="V"`), screen.Node{Type: "V", Text: "a\u00a0b"}},
		{"control characters", node("text=\"a\x01b\x00c\x1bd\" class=\"V\""), screen.Node{Type: "V", Text: "a.b.c.d"}},
		{"entity of a control character", node(`text="a&#0;b&#x1f;c" class="V"`), screen.Node{Type: "V", Text: "a.b.c"}},
		{"broken UTF-8", node("text=\"a\xffb\" class=\"V\""), screen.Node{Type: "V", Text: "a.b"}},
		{"negative bounds", node(`class="V" bounds="[-42,-7][1080,2400]"`),
			screen.Node{Type: "V", Bounds: image.Rect(-42, -7, 1080, 2400)}},
		{"inverted bounds stay raw", node(`class="V" bounds="[210,2706][469,2654]"`),
			screen.Node{Type: "V", Bounds: image.Rectangle{Min: image.Pt(210, 2706), Max: image.Pt(469, 2654)}}},
		{"bounds that are none", node(`class="V" bounds="[1,2][3"`), screen.Node{Type: "V"}},
		{"bounds beyond numbers", node(`class="V" bounds="[1,2][3,99999999999999999999]"`), screen.Node{Type: "V"}},
		{"invisible to the user", node(`class="V" visible-to-user="false"`), screen.Node{Type: "V", Hidden: true}},
		{"unknown attributes", node(`class="V" drawing-order="3" display-id="0" a11y-important="true" xmlns:x="y"`),
			screen.Node{Type: "V", DrawOrder: 3}},
		{"an entity that does not exist", node(`class="V" text="a &bogus; b"`), screen.Node{Type: "V", Text: "a &bogus; b"}},
		{"field", node(`class="android.widget.EditText" text="abc" hint="E-mail"`),
			screen.Node{Type: "android.widget.EditText", Text: "abc", Hint: "E-mail", Editable: true}},
		{"empty field gives its hint as text", node(`class="android.widget.EditText" text="E-mail" hint="E-mail"`),
			screen.Node{Type: "android.widget.EditText", Hint: "E-mail", Editable: true, HintUnsure: true}},
		{"field of which the dump tells no hint", node(`class="android.widget.EditText" text="E-mail"`),
			screen.Node{Type: "android.widget.EditText", Text: "E-mail", Hint: "E-mail", Editable: true, HintUnsure: true}},
		{"field that is empty and has no hint", node(`class="android.widget.EditText" text=""`),
			screen.Node{Type: "android.widget.EditText", Editable: true}},
		{"field without a hint", node(`class="android.widget.EditText" text="abc" hint=""`),
			screen.Node{Type: "android.widget.EditText", Text: "abc", Editable: true}},
		{"text in front of the caret", node(`class="android.widget.EditText" text="E-mail" hint="E-mail" selection-end="6"`),
			screen.Node{Type: "android.widget.EditText", Text: "E-mail", Hint: "E-mail", Editable: true}},
		{"password field that shows a hint of which the dump does not tell",
			node(`class="android.widget.EditText" password="true" text="Password"`),
			screen.Node{Type: "android.widget.EditText", Hint: "Password", Password: true, Editable: true}},
		{"password field that shows its hint",
			node(`class="android.widget.EditText" password="true" text="Password" hint="Password"`),
			screen.Node{Type: "android.widget.EditText", Hint: "Password", Password: true, Editable: true}},
		{"password field with dots", node(`class="android.widget.EditText" password="true" text="•••" hint="Password"`),
			screen.Node{Type: "android.widget.EditText", Text: "•••", Hint: "Password", Password: true, Editable: true}},
		{"password field with dots and no word of a hint", node(`class="android.widget.EditText" password="true" text="••x"`),
			screen.Node{Type: "android.widget.EditText", Text: "••x", Password: true, Editable: true}},
		{"password field with its first character", node(`class="android.widget.EditText" password="true" text="s"`),
			screen.Node{Type: "android.widget.EditText", Text: "s", Password: true, Editable: true}},
		{"password field whose hint is dots", node(`class="android.widget.EditText" password="true" text="•••" hint="•••"`),
			screen.Node{Type: "android.widget.EditText", Hint: "•••", Password: true, Editable: true, HintUnsure: true}},
		{"hintText of another server",
			node(`class="android.widget.EditText" text="E-mail" hintText="E-mail" showing-hint="true"`),
			screen.Node{Type: "android.widget.EditText", Hint: "E-mail", Editable: true}},
		{"showing a hint that is not given", node(`class="android.widget.EditText" text="E-mail" showing-hint-text="true"`),
			screen.Node{Type: "android.widget.EditText", Hint: "E-mail", Editable: true}},
		{"text that equals the hint",
			node(`class="android.widget.EditText" text="E-mail" hint="E-mail" showing-hint-text="false"`),
			screen.Node{Type: "android.widget.EditText", Text: "E-mail", Hint: "E-mail", Editable: true}},
		{"auto-complete field", node(`class="androidx.appcompat.widget.AppCompatAutoCompleteTextView"`),
			screen.Node{Type: "androidx.appcompat.widget.AppCompatAutoCompleteTextView", Editable: true}},
		{"class as the tag", head + `<hierarchy rotation="0"><android.widget.Button text="Go" clickable="true"/></hierarchy>`,
			screen.Node{Type: "android.widget.Button", Text: "Go", Clickable: true}},
		{"class as the tag and as an attribute",
			head + `<hierarchy><android.widget.Button class="a.b.C" text="Go"/></hierarchy>`,
			screen.Node{Type: "a.b.C", Text: "Go"}},
		{"status line behind it", node(`class="V"`) + "UI hierchary dumped to: /dev/tty\n", screen.Node{Type: "V"}},
		{"another encoding's name", `<?xml version="1.0" encoding="us-ascii"?><hierarchy><node class="V"/></hierarchy>`,
			screen.Node{Type: "V"}},
		{"no declaration", `<hierarchy rotation="1"><node class="V"/></hierarchy>`, screen.Node{Type: "V"}},
		{"byte order mark", "\ufeff" + node(`class="V"`), screen.Node{Type: "V"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse([]byte(c.doc))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Windows) != 1 {
				t.Fatalf("%d windows", len(got.Windows))
			}
			if diff := cmp.Diff(&c.want, got.Windows[0], cmpopts.IgnoreUnexported(screen.Node{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseDumpOfWindows(t *testing.T) {
	t.Parallel()
	got, err := Parse([]byte(head + `<displays><display id="0">
		<window index="0" title="Keyboard" bounds="[0,1500][1080,2400]" active="false" type="INPUT_METHOD" layer="2">
			<hierarchy rotation="1"><node class="Keys"><node class="Key"/></node></hierarchy></window>
		<window index="1" title="App" active="true" focused="true" layer="0"><hierarchy rotation="1"><node ` +
		`class="App"/></hierarchy></window>
		<window index="2" title="Bar" layer="1"><hierarchy rotation="1"/></window>
		</display></displays>`))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Windows) != 2 || got.Windows[0].Type != "App" || got.Windows[1].Type != "Keys" || got.Rotation != 1 {
		t.Errorf("windows %v, rotation %d: the topmost comes last", got.Windows, got.Rotation)
	}
	if len(got.Windows[1].Children) != 1 {
		t.Errorf("children of the keyboard: %v", got.Windows[1].Children)
	}
	got, err = Parse(
		[]byte(`<displays><display id="0"><window><hierarchy rotation="0"><node class="Top"/></hierarchy></window>` +
			`<window><hierarchy><node class="Bottom"/></hierarchy></window></display>` +
			`<display id="2"><window layer="9"><hierarchy rotation="1"><node ` +
			`class="Car"><node/></node></hierarchy></window></display></displays>`))
	if err != nil || len(got.Windows) != 2 || got.Windows[0].Type != "Bottom" || got.Windows[1].Type != "Top" {
		t.Errorf("without layers, and with a second display: %v, %v", got.Windows, err)
	}
}

// TestReachableWindows: of all windows those count that a touch can reach and a test means.
func TestReachableWindows(t *testing.T) {
	t.Parallel()
	window := func(name, attrs string) string {
		return `<window ` + attrs + `><hierarchy rotation="0"><node class="` + name + `"/></hierarchy></window>`
	}
	const app, whole = `type="TYPE_APPLICATION" `, `bounds="[0,0][100,200]" `
	bar, keys := window("Bar", `type="TYPE_SYSTEM" layer="9" bounds="[0,0][100,10]"`),
		window("Keys", `type="TYPE_INPUT_METHOD" layer="8" bounds="[0,120][100,200]"`)
	for name, c := range map[string]struct{ windows, want string }{
		"an app":          {bar + window("App", app+whole+`active="true" layer="1"`), "App"},
		"with a keyboard": {bar + keys + window("App", app+whole+`focused="true" layer="1"`), "App"},
		"a list that dropped down": {window("List", app+`bounds="[0,50][100,90]" layer="2"`) + window("App", app+whole+
			`active="true" layer="1"`), "App List"},
		"a dialog that asks": {window("Dialog", app+`active="true" bounds="[10,50][90,90]" layer="2"`) + window("App",
			app+whole+`layer="1"`), "Dialog"},
		"a split screen": {window("Upper", app+`bounds="[0,0][100,100]" layer="2"`) + window("Lower",
			app+`active="true" bounds="[0,100][100,200]" layer="1"`), "Lower Upper"},
		"the shade": {window("Shade", `type="TYPE_SYSTEM" active="true" layer="9" `+whole) + window("App",
			app+whole+`layer="1"`), "Shade"},
		"nobody works anywhere": {bar + window("App", app+whole+`layer="1"`), "App"},
		"only a bar":            {bar, ""},
	} {
		got, err := Parse([]byte(head + `<displays><display id="0">` + c.windows + `</display></displays>`))
		if err != nil {
			t.Fatal(err)
		}
		got.Reachable()
		var names []string
		for _, w := range got.Windows {
			names = append(names, w.Type)
		}
		if strings.Join(names, " ") != c.want {
			t.Errorf("%s: %q", name, names)
		}
	}
	plain, err := Parse([]byte(node(`class="V"`)))
	if plain.Reachable(); err != nil || len(plain.Windows) != 1 {
		t.Errorf("a dump of one window: %v, %v", plain, err)
	}
}

// TestEntitiesOfADumpStandForNothing: those that a document defines for itself are not expanded.
func TestEntitiesOfADumpStandForNothing(t *testing.T) {
	t.Parallel()
	got, err := Parse(
		[]byte(`<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><hierarchy><node text="&c;"/></hierarchy>`))
	if err != nil || got.Windows[0].Text != "&c;" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestNestedWindows: a menu is written inside the window of its page, and perhaps next to it as well; it is over the
// page either way.
func TestNestedWindows(t *testing.T) {
	t.Parallel()
	menu := func(attrs string) string {
		return `<window id="7" ` + attrs +
			` type="TYPE_APPLICATION" bounds="[50,0][100,60]"><hierarchy rotation="0"><node class="Menu"/></hierarchy></window>`
	}
	page := func(attrs, inside string) string {
		return `<window id="3" ` + attrs + ` type="TYPE_APPLICATION" bounds="[0,0][100,200]">` + inside +
			`<hierarchy rotation="0"><node class="Page"/></hierarchy></window>`
	}
	const bar = `<window id="1" title="StatusBar" layer="9" type="TYPE_SYSTEM" bounds="[0,0][100,10]"><hierarchy ` +
		`rotation="0"><node class="Bar"/></hierarchy></window>`
	for name, c := range map[string]struct{ windows, all, reach string }{
		"a menu": {
			bar + page(`layer="1" active="false"`, menu(`layer="2" active="true" focused="true"`)), "Page Menu Bar", "Menu"},
		"suggestions": {bar + page(`layer="1" active="true" focused="true"`, menu(`layer="2"`)),
			"Page Menu Bar", "Page Menu"},
		"suggestions without layers": {page(`active="true" focused="true"`, menu("")), "Page Menu", "Page Menu"},
		"in both places": {menu(`layer="2"`) + page(`layer="1" active="true"`, menu(`layer="2"`)), "Page Menu",
			"Page Menu"},
		"in both places, page first": {page(`layer="1" active="true"`, menu(`layer="2"`)) + menu(`layer="2"`), "Page Menu",
			"Page Menu"},
		"at the top level alone": {menu(`layer="2"`) + page(`layer="1" active="true"`, ""), "Page Menu", "Page Menu"},
		"the page without elements": {`<window id="3" layer="1" type="TYPE_APPLICATION" bounds="[0,0][100,200]">` +
			menu(`layer="2" focused="true"`) + `</window>`, "Menu", "Menu"},
		"one in another": {
			page(`layer="1" active="true"`, `<window id="5" layer="2" type="TYPE_APPLICATION" bounds="[0,0][50,60]">`+
				menu(`layer="3"`)+`<hierarchy><node class="List"/></hierarchy></window>`), "Page List Menu", "Page List Menu"},
		"a video below its own page": {
			page(`layer="2" active="true"`,
				`<window id="5" layer="1" type="TYPE_APPLICATION" bounds="[0,0][50,60]"><hierarchy><node `+
					`class="Video"/></hierarchy></window>`), "Video Page", "Page"},
		"active and focused disagree": {page(`layer="1" active="true"`, menu(`layer="2" focused="true"`)), "Page Menu",
			"Menu"},
	} {
		got, err := Parse([]byte(head + `<displays><display id="0">` + c.windows + `</display></displays>`))
		if err != nil {
			t.Fatal(err)
		}
		if all := types(got.Windows); all != c.all {
			t.Errorf("%s: %q, want %q", name, all, c.all)
		}
		if got.Reachable(); types(got.Windows) != c.reach {
			t.Errorf("%s: reachable %q, want %q", name, types(got.Windows), c.reach)
		}
	}
}

func types(windows []*screen.Node) string {
	var names []string
	for _, w := range windows {
		names = append(names, w.Type)
	}
	return strings.Join(names, " ")
}

// TestWindowsOfOthers lie over the app as far as they are to be seen, however large their roots are.
func TestWindowsOfOthers(t *testing.T) {
	t.Parallel()
	const app = `<window id="3" layer="1" active="true" focused="true" type="TYPE_APPLICATION" ` +
		`bounds="[0,0][1000,2000]"><hierarchy><node class="App" bounds="[0,0][1000,2000]"/></hierarchy></window>`
	other := func(attrs, bounds, inner string) string {
		return `<window id="8" layer="5" type="TYPE_SYSTEM" ` + attrs + ` bounds="` + bounds +
			`"><hierarchy><node class="Other" bounds="[0,0][1000,2000]">` + inner + `</node></hierarchy></window>`
	}
	const note = `<node class="Note" clickable="true" text="Bob" bounds="[20,10][980,300]"/>`
	for name, c := range map[string]struct {
		window, want string
		at           image.Rectangle
	}{
		"a notification": {other(``, "[0,0][1000,320]", note), "App Other", image.Rect(20, 10, 980, 300)},
		"a bubble in a whole window": {
			other(``, "[0,0][1000,2000]",
				`<node class="Bubble" content-desc="Bob" clickable="true" bounds="[0,900][120,1020]"/>`), "App Other",
			image.Rect(0, 900, 120, 1020)},
		"the status bar":               {other(``, "[0,0][1000,90]", note), "App", image.Rectangle{}},
		"a navigation bar":             {other(``, "[0,1880][1000,2000]", note), "App", image.Rectangle{}},
		"a navigation bar at the side": {other(``, "[900,0][1000,2000]", note), "App", image.Rectangle{}},
		"a bar by its name": {other(`title="NavigationBar0"`, "[0,1700][1000,2000]", note), "App",
			image.Rectangle{}},
		"below the app": {strings.Replace(other(``, "[0,0][1000,320]", note), `layer="5"`, `layer="0"`, 1),
			"App", image.Rectangle{}},
	} {
		got, err := Parse([]byte(head + `<displays><display id="0">` + c.window + app + `</display></displays>`))
		if err != nil {
			t.Fatal(err)
		}
		got.Reachable()
		if types(got.Windows) != c.want || len(got.Windows) == 2 && got.Windows[1].Bounds != c.at {
			t.Errorf("%s: %q, %v", name, types(got.Windows), got.Windows[len(got.Windows)-1].Bounds)
		}
	}
}

// TestBarsOfTheSystem: a navigation bar with buttons takes taps, and one of gestures takes swipes alone.
func TestBarsOfTheSystem(t *testing.T) {
	t.Parallel()
	const app = `<window id="3" layer="1" active="true" focused="true" type="TYPE_APPLICATION" ` +
		`bounds="[0,0][1000,2000]"><hierarchy><node class="App" bounds="[0,0][1000,2000]"/></hierarchy></window>`
	bar := func(title, inner string) string {
		return `<window id="8" layer="5" type="TYPE_SYSTEM" title="` + title + `" bounds="[0,1900][1000,2000]"><hierarchy>` +
			`<node class="Bar" bounds="[0,1900][1000,2000]">` + inner + `</node></hierarchy></window>`
	}
	const home = `<node class="Home" clickable="true" content-desc="Home" bounds="[400,1900][600,2000]"/>`
	for name, c := range map[string]struct {
		window      string
		bars, edges int
	}{
		"buttons":       {bar("NavigationBar0", home), 1, 0},
		"gestures":      {bar("NavigationBar0", ""), 0, 1},
		"a task bar":    {bar("Taskbar", ""), 0, 1},
		"round corners": {bar("ScreenDecorOverlayBottom", ""), 0, 0},
	} {
		got, err := Parse([]byte(head + `<displays><display id="0">` + c.window + app + `</display></displays>`))
		if err != nil {
			t.Fatal(err)
		}
		if got.Reachable(); len(got.Bars) != c.bars || len(got.Edges) != c.edges || types(got.Windows) != "App" {
			t.Errorf("%s: bars %v, edges %v, windows %q", name, got.Bars, got.Edges, types(got.Windows))
		}
	}
}

// TestScreenOfASavedTree: an automation server's size of the screen leaves out the bars, although their elements are
// there.
func TestScreenOfASavedTree(t *testing.T) {
	t.Parallel()
	const tree = `<hierarchy class="hierarchy" rotation="0" width="1080" height="2209">%s</hierarchy>`
	for name, c := range map[string]struct {
		inner string
		want  image.Point
	}{
		"the whole screen": {`<android.widget.FrameLayout bounds="[0,0][1080,2400]"/>`, image.Pt(1080, 2400)},
		"a bottom bar": {
			`<android.widget.FrameLayout bounds="[0,0][1080,2209]"><android.view.View ` +
				`bounds="[0,2209][1080,2400]"/></android.widget.FrameLayout>`, image.Pt(1080, 2400)},
		"scrolled away": {
			`<android.widget.FrameLayout bounds="[0,0][1080,2209]"><android.view.View ` +
				`bounds="[0,2900][1080,3100]"/></android.widget.FrameLayout>`, image.Pt(1080, 2209)},
		"not displayed": {
			`<android.widget.FrameLayout bounds="[0,0][1080,2209]"><android.view.View displayed="false" ` +
				`bounds="[0,2000][1080,3100]"/></android.widget.FrameLayout>`, image.Pt(1080, 2209)},
		"inside out": {
			`<android.widget.FrameLayout bounds="[0,0][1080,2209]"><android.view.View ` +
				`bounds="[210,2706][469,2654]"/></android.widget.FrameLayout>`, image.Pt(1080, 2209)},
		"a dialog in it":     {`<android.widget.FrameLayout bounds="[100,500][900,900]"/>`, image.Pt(1080, 2209)},
		"nothing of the bar": {`<android.widget.FrameLayout bounds="[0,0][1080,2209]"/>`, image.Pt(1080, 2209)},
	} {
		got, err := ParseTree([]byte(fmt.Sprintf(tree, c.inner)), image.Point{})
		if err != nil || got.Size != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestFieldByItsCaret: in front of a text the caret is behind something, in front of a hint it cannot.
func TestFieldByItsCaret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, hint, said, want, wantHint string
		unsure                           bool
	}{
		"text that equals the hint":  {"", "1", "  mCursorSelStart=1 mCursorSelEnd=1 mCursorCandStart=-1", "1", "1", false},
		"the hint":                   {"", "1", "  mCursorSelStart=0 mCursorSelEnd=0 mCursorCandStart=-1", "", "1", true},
		"no word of a hint, text":    {"Ada", "Ada", "  mCursorSelStart=3 mCursorSelEnd=3", "Ada", "", false},
		"all of it selected":         {"Ada", "Ada", "  mCursorSelStart=0 mCursorSelEnd=3", "Ada", "", false},
		"no word of a hint, unclear": {"Name", "Name", "  mCursorSelStart=0 mCursorSelEnd=0", "Name", "Name", true},
		"the editor knows its hint": {"Name", "Name", "      hintText=Name label=null\n  mCursorSelStart=0 mCursorSelEnd=0",
			"", "Name", true},
		"the editor has another": {"Ada", "Ada", "      hintText=Name label=null\n  mCursorSelStart=0 mCursorSelEnd=0",
			"Ada", "Name", false},
		"the editor does not say": {"Ada", "Ada", "      hintText=non-null label=null", "Ada", "Ada", true},
		"nothing is told":         {"", "1", "mInputShown=true", "", "1", true},
	} {
		n := &screen.Node{Editable: true, Text: c.text, Hint: c.hint, HintUnsure: true}
		settleByCaret(n, c.said)
		if n.Text != c.want || n.Hint != c.wantHint || n.HintUnsure != c.unsure {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

func TestParseDumpRefuses(t *testing.T) {
	t.Parallel()
	whole := node(`class="V" text="x"`)
	cases := []struct{ name, doc, want string }{
		{"cut off", whole[:len(whole)-6], "EOF"},
		{"cut in an attribute", whole[:len(head)+50], "EOF"},
		{"nothing", "", "no tree"},
		{"not a dump", "<html><body/></html>", "starts with <html>"},
		{"an iOS tree", `<XCUIElementTypeApplication/>`, "starts with"},
		{"wrong nesting", `<hierarchy><node></hierarchy></node>`, "closed by"},
		{"depth bomb", `<hierarchy>` + strings.Repeat(`<node>`, 600), "deeper than 500"},
		{"too many", `<hierarchy>` + strings.Repeat(`<node/>`, treexml.MaxNodes+1), "more than 50000"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse([]byte(c.doc)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// FuzzParseDump: whatever a device sends, the parser ends, and a tree that it returns keeps the limits.
func FuzzParseDump(f *testing.F) {
	f.Add([]byte(node(`text='a"b' class="V" bounds="[0,0][1,1]"`)))
	f.Add([]byte(node(`text="&#55357;&#56832;&#0;&nbsp;&x" class="V"`)))
	f.Add([]byte(`<displays><display id="0"><window layer="2"><hierarchy/></window></display></displays>`))
	f.Add([]byte("<hierarchy><a.B\x00 text=\"\xff\"/></hierarchy>UI hierchary dumped to: /dev/tty"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		_, doc = splitDump(doc)
		got, err := Parse(doc)
		if err != nil {
			return
		}
		count := 0
		tree := screen.NewTree(got.Windows, Extent(got.Windows), time.Unix(1, 0))
		for n := range tree.All {
			count++
			for _, s := range []string{n.Text, n.Desc, n.ID, n.Hint} {
				if strings.ContainsRune(s, 0) || strings.ToValidUTF8(s, "") != s {
					t.Errorf("text %q", s)
				}
			}
		}
		if count > treexml.MaxNodes {
			t.Errorf("%d nodes", count)
		}
	})
}
