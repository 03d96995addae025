package android

import (
	"image"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/treexml"
)

const head = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>`

// node writes a leaf as uiautomator does, with the given attributes instead of the usual ones.
func node(attrs string) string {
	return head + `<hierarchy rotation="0"><node index="0" ` + attrs + ` /></hierarchy>`
}

func TestParseDump(t *testing.T) {
	box := image.Rect(0, 0, 10, 20)
	cases := []struct {
		name, doc string
		want      drivers.Node
	}{
		{"all attributes", node(`NAF="true" text="Sign in" resource-id="com.a:id/go" class="android.widget.Button" package="com.a"
			content-desc="Go" checkable="true" checked="true" clickable="false" enabled="false" focusable="true" focused="true"
			scrollable="true" long-clickable="false" password="true" selected="true" bounds="[0,0][10,20]"`),
			drivers.Node{Text: "Sign in", ID: "com.a:id/go", Type: "android.widget.Button", Package: "com.a", Desc: "Go", Clickable: true,
				Checked: true, Disabled: true, Focused: true, Scrollable: true, Password: true, Selected: true, Bounds: box}},
		{"long-clickable is clickable", node(`class="V" long-clickable="true" clickable="false"`), drivers.Node{Type: "V", Clickable: true}},
		{"attribute in single quotes", node(`text='say "hi"' class="V"`), drivers.Node{Type: "V", Text: `say "hi"`}},
		{"emoji as one entity", node(`text="&#128512;" class="V"`), drivers.Node{Type: "V", Text: "😀"}},
		{"emoji as two surrogate entities", node(`text="a&#55357;&#56832;b" class="V"`), drivers.Node{Type: "V", Text: "a😀b"}},
		{"half a surrogate pair", node(`text="a&#55357;b" class="V"`), drivers.Node{Type: "V", Text: "a.b"}},
		{"hexadecimal entity", node(`text="&#x41;&#x1F600;" class="V"`), drivers.Node{Type: "V", Text: "A😀"}},
		{"entities that mean something", node(`text="&lt;b&gt; &amp;amp; &quot;&#39;&#60;" class="V"`), drivers.Node{Type: "V", Text: `<b> &amp; "'<`}},
		{"line break as an entity", node(`text="a&#10;b" class="V"`), drivers.Node{Type: "V", Text: "a\nb"}},
		{"bare ampersand", node(`text="AT&T & co" class="V"`), drivers.Node{Type: "V", Text: "AT&T & co"}},
		{"HTML entity", node(`text="a&nbsp;b" class="V"`), drivers.Node{Type: "V", Text: "a\u00a0b"}},
		{"control characters", node("text=\"a\x01b\x00c\x1bd\" class=\"V\""), drivers.Node{Type: "V", Text: "a.b.c.d"}},
		{"entity of a control character", node(`text="a&#0;b&#x1f;c" class="V"`), drivers.Node{Type: "V", Text: "a.b.c"}},
		{"broken UTF-8", node("text=\"a\xffb\" class=\"V\""), drivers.Node{Type: "V", Text: "a.b"}},
		{"negative bounds", node(`class="V" bounds="[-42,-7][1080,2400]"`),
			drivers.Node{Type: "V", Bounds: image.Rect(-42, -7, 1080, 2400)}},
		{"inverted bounds stay raw", node(`class="V" bounds="[210,2706][469,2654]"`),
			drivers.Node{Type: "V", Bounds: image.Rectangle{Min: image.Pt(210, 2706), Max: image.Pt(469, 2654)}}},
		{"bounds that are none", node(`class="V" bounds="[1,2][3"`), drivers.Node{Type: "V"}},
		{"bounds beyond numbers", node(`class="V" bounds="[1,2][3,99999999999999999999]"`), drivers.Node{Type: "V"}},
		{"invisible to the user", node(`class="V" visible-to-user="false"`), drivers.Node{Type: "V", Hidden: true}},
		{"unknown attributes", node(`class="V" drawing-order="3" display-id="0" a11y-important="true" xmlns:x="y"`), drivers.Node{Type: "V"}},
		{"field", node(`class="android.widget.EditText" text="abc" hint="E-mail"`),
			drivers.Node{Type: "android.widget.EditText", Text: "abc", Hint: "E-mail", Editable: true}},
		{"empty field gives its hint as text", node(`class="android.widget.EditText" text="E-mail" hint="E-mail"`),
			drivers.Node{Type: "android.widget.EditText", Hint: "E-mail", Editable: true}},
		{"hintText of another server", node(`class="android.widget.EditText" text="E-mail" hintText="E-mail" showing-hint="true"`),
			drivers.Node{Type: "android.widget.EditText", Hint: "E-mail", Editable: true}},
		{"showing a hint that is not given", node(`class="android.widget.EditText" text="E-mail" showing-hint-text="true"`),
			drivers.Node{Type: "android.widget.EditText", Hint: "E-mail", Editable: true}},
		{"text that equals the hint", node(`class="android.widget.EditText" text="E-mail" hint="E-mail" showing-hint-text="false"`),
			drivers.Node{Type: "android.widget.EditText", Text: "E-mail", Hint: "E-mail", Editable: true}},
		{"auto-complete field", node(`class="androidx.appcompat.widget.AppCompatAutoCompleteTextView"`),
			drivers.Node{Type: "androidx.appcompat.widget.AppCompatAutoCompleteTextView", Editable: true}},
		{"class as the tag", head + `<hierarchy rotation="0"><android.widget.Button text="Go" clickable="true"/></hierarchy>`,
			drivers.Node{Type: "android.widget.Button", Text: "Go", Clickable: true}},
		{"class as the tag and as an attribute", head + `<hierarchy><android.widget.Button class="a.b.C" text="Go"/></hierarchy>`,
			drivers.Node{Type: "a.b.C", Text: "Go"}},
		{"status line behind it", node(`class="V"`) + "UI hierchary dumped to: /dev/tty\n", drivers.Node{Type: "V"}},
		{"another encoding's name", `<?xml version="1.0" encoding="us-ascii"?><hierarchy><node class="V"/></hierarchy>`, drivers.Node{Type: "V"}},
		{"no declaration", `<hierarchy rotation="1"><node class="V"/></hierarchy>`, drivers.Node{Type: "V"}},
		{"byte order mark", "\ufeff" + node(`class="V"`), drivers.Node{Type: "V"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseDump([]byte(c.doc))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.windows) != 1 {
				t.Fatalf("%d windows", len(got.windows))
			}
			if diff := cmp.Diff(&c.want, got.windows[0], cmpopts.IgnoreUnexported(drivers.Node{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseDumpOfWindows(t *testing.T) {
	got, err := parseDump([]byte(head + `<displays><display id="0">
		<window index="0" title="Keyboard" bounds="[0,1500][1080,2400]" active="false" type="INPUT_METHOD" layer="2">
			<hierarchy rotation="1"><node class="Keys"><node class="Key"/></node></hierarchy></window>
		<window index="1" title="App" active="true" focused="true" layer="0"><hierarchy rotation="1"><node class="App"/></hierarchy></window>
		<window index="2" title="Bar" layer="1"><hierarchy rotation="1"/></window>
		</display></displays>`))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.windows) != 2 || got.windows[0].Type != "App" || got.windows[1].Type != "Keys" || got.rotation != 1 {
		t.Errorf("windows %v, rotation %d: the topmost comes last", got.windows, got.rotation)
	}
	if len(got.windows[1].Children) != 1 {
		t.Errorf("children of the keyboard: %v", got.windows[1].Children)
	}
	got, err = parseDump([]byte(`<displays><display id="0"><window><hierarchy rotation="0"><node class="Top"/></hierarchy></window>` +
		`<window><hierarchy><node class="Bottom"/></hierarchy></window></display>` +
		`<display id="2"><window layer="9"><hierarchy rotation="1"><node class="Car"><node/></node></hierarchy></window></display></displays>`))
	if err != nil || len(got.windows) != 2 || got.windows[0].Type != "Bottom" || got.windows[1].Type != "Top" {
		t.Errorf("without layers, and with a second display: %v, %v", got.windows, err)
	}
}

// TestReachableWindows: of all windows those count that a touch can reach and a test means.
func TestReachableWindows(t *testing.T) {
	window := func(name, attrs string) string {
		return `<window ` + attrs + `><hierarchy rotation="0"><node class="` + name + `"/></hierarchy></window>`
	}
	const app, whole = `type="TYPE_APPLICATION" `, `bounds="[0,0][100,200]" `
	bar, keys := window("Bar", `type="TYPE_SYSTEM" layer="9" bounds="[0,0][100,10]"`), window("Keys", `type="TYPE_INPUT_METHOD" layer="8" bounds="[0,120][100,200]"`)
	for name, c := range map[string]struct{ windows, want string }{
		"an app":                   {bar + window("App", app+whole+`active="true" layer="1"`), "App"},
		"with a keyboard":          {bar + keys + window("App", app+whole+`focused="true" layer="1"`), "App"},
		"a list that dropped down": {window("List", app+`bounds="[0,50][100,90]" layer="2"`) + window("App", app+whole+`active="true" layer="1"`), "App List"},
		"a dialog that asks":       {window("Dialog", app+`active="true" bounds="[10,50][90,90]" layer="2"`) + window("App", app+whole+`layer="1"`), "Dialog"},
		"a split screen":           {window("Upper", app+`bounds="[0,0][100,100]" layer="2"`) + window("Lower", app+`active="true" bounds="[0,100][100,200]" layer="1"`), "Lower Upper"},
		"the shade":                {window("Shade", `type="TYPE_SYSTEM" active="true" layer="9" `+whole) + window("App", app+whole+`layer="1"`), "Shade"},
		"nobody works anywhere":    {bar + window("App", app+whole+`layer="1"`), "App"},
		"only a bar":               {bar, ""},
	} {
		got, err := parseDump([]byte(head + `<displays><display id="0">` + c.windows + `</display></displays>`))
		if err != nil {
			t.Fatal(err)
		}
		got.reachable()
		var names []string
		for _, w := range got.windows {
			names = append(names, w.Type)
		}
		if strings.Join(names, " ") != c.want {
			t.Errorf("%s: %q", name, names)
		}
	}
	plain, err := parseDump([]byte(node(`class="V"`)))
	if plain.reachable(); err != nil || len(plain.windows) != 1 {
		t.Errorf("a dump of one window: %v, %v", plain, err)
	}
}

func TestParseDumpRefuses(t *testing.T) {
	whole := node(`class="V" text="x"`)
	cases := []struct{ name, doc, want string }{
		{"cut off", whole[:len(whole)-6], "EOF"},
		{"cut in an attribute", whole[:len(head)+50], "EOF"},
		{"nothing", "", "no tree"},
		{"not a dump", "<html><body/></html>", "begins with <html>"},
		{"an iOS tree", `<XCUIElementTypeApplication/>`, "begins with"},
		{"wrong nesting", `<hierarchy><node></hierarchy></node>`, "closed by"},
		{"depth bomb", `<hierarchy>` + strings.Repeat(`<node>`, 600), "deeper than 500"},
		{"too many", `<hierarchy>` + strings.Repeat(`<node/>`, treexml.MaxNodes+1), "more than 50000"},
		{"entity bomb", `<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><hierarchy><node text="&c;"/></hierarchy>`, "entity"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := parseDump([]byte(c.doc)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// FuzzParseDump: whatever a device sends, the parser ends, and a tree that it gives keeps the limits.
func FuzzParseDump(f *testing.F) {
	f.Add([]byte(node(`text='a"b' class="V" bounds="[0,0][1,1]"`)))
	f.Add([]byte(node(`text="&#55357;&#56832;&#0;&nbsp;&x" class="V"`)))
	f.Add([]byte(`<displays><display id="0"><window layer="2"><hierarchy/></window></display></displays>`))
	f.Add([]byte("<hierarchy><a.B\x00 text=\"\xff\"/></hierarchy>UI hierchary dumped to: /dev/tty"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		_, doc = splitDump(doc)
		got, err := parseDump(doc)
		if err != nil {
			return
		}
		count := 0
		tree := drivers.NewTree(got.windows, extent(got.windows), testTime)
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

// TestPhoneWhoseWindowsCannotBeRead is asked for one window from then on.
func TestPhoneWhoseWindowsCannotBeRead(t *testing.T) {
	var asked []string
	driver := scriptedDriver(scripted{answer: func(_, service string) (string, bool) {
		switch {
		case strings.Contains(service, "uiautomator dump"):
			asked = append(asked, service)
			if strings.Contains(service, "--windows") {
				return says("<displays><display id=\"0\"><window></display>"), false
			}
			return says(`<hierarchy rotation="0"><node text="Here" class="V" bounds="[0,0][9,9]"/></hierarchy>`), false
		case service == "getprop":
			return says("[ro.build.version.sdk]: [36]\n"), false
		}
		return says("x"), false
	}})
	dev, err := driver.Open(t.Context(), "ODD")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		tree, err := dev.Tree(t.Context())
		if err != nil || findNode(tree, "Here") == nil {
			t.Fatalf("%v, %v", tree, err)
		}
	}
	if len(asked) != 3 || !strings.Contains(asked[0], "--windows") || strings.Contains(asked[1]+asked[2], "--windows") {
		t.Errorf("asked %q", asked)
	}
	if err := driver.Close(); err != nil {
		t.Error(err)
	}
}
