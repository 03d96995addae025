package source

import (
	"encoding/json"
	"errors"
	"image"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// loginSource has the form that WebDriverAgentLib/Utilities/FBXPath.m writes in version 16.
func loginSource(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/login.source.xml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parseFile(t *testing.T, source string, pixels image.Point) *screen.Tree {
	t.Helper()
	tree, err := ReadTree([]byte(source), pixels, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func nodeOf(t *testing.T, tree *screen.Tree, id string) *screen.Node {
	t.Helper()
	for n := range tree.All {
		if n.ID == id {
			return n
		}
	}
	t.Fatalf("no element %q", id)
	return nil
}

func TestSourceInWordsOfOurs(t *testing.T) {
	tree := parseFile(t, loginSource(t), image.Pt(1170, 2532))
	if tree.Size != image.Pt(1170, 2532) {
		t.Errorf("the tree is %v", tree.Size)
	}
	email := nodeOf(t, tree, "email")
	if email.Text != "" || email.Hint != "E-mail" || !email.Editable || email.Package != "com.example.login" {
		t.Errorf("an empty field: %+v", email)
	}
	if want := image.Rect(60, 360, 1110, 492); email.Bounds != want {
		t.Errorf("points were made %v, not %v", email.Bounds, want)
	}
	if p := nodeOf(t, tree, "password"); !p.Password || p.Text != "••••" {
		t.Errorf("a password: %+v", p)
	}
	if s := nodeOf(t, tree, "Stay signed in"); !s.Checked || s.Text != "" || s.Desc != "Stay signed in" {
		t.Errorf("a switch: %+v", s)
	}
	if n := nodeOf(t, tree, "terms"); n.Text != "Terms & \"rules\"\napply" || !n.Clickable {
		t.Errorf("a link: %+v", n)
	}
	if slices.Contains(tree.AllTexts(), "Login") {
		t.Error("the app's name counts as a text on its screen")
	}
	for n := range tree.All {
		if strings.Contains(n.Text+n.Desc, "AX error") {
			t.Errorf("XCTest's own error became a text: %v", n)
		}
	}
}

func TestSourceAlertCoversEverything(t *testing.T) {
	tree := parseFile(t, loginSource(t), image.Point{})
	if len(tree.Windows) != 2 || tree.Windows[1].Type != "XCUIElementTypeAlert" {
		t.Fatalf("%d windows", len(tree.Windows))
	}
	found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: "Sign in"}, Action: true})
	if err != nil || len(found) != 1 || found[0].Node.Window != 1 {
		t.Errorf("of two buttons with one label the alert's is meant: %v, %v", found, err)
	}
}

func TestSourceInItsWrappings(t *testing.T) {
	source := loginSource(t)
	answer, err := json.Marshal(map[string]any{"value": source, "sessionId": nil})
	if err != nil {
		t.Fatal(err)
	}
	_, bare, _ := strings.Cut(source, "?>")
	for name, text := range map[string]string{
		"JSON":                                  string(answer),
		"AppiumAUT":                             `<?xml version="1.0" encoding="UTF-8"?><AppiumAUT>` + bare + `</AppiumAUT>`,
		"BOM":                                   "\ufeff" + source,
		"UTF-16 in its heading, UTF-8 in truth": strings.Replace(source, "UTF-8", "UTF-16", 1),
		"half a rune":                           strings.Replace(source, "Imprint", "Impr\xe2\x80", 2),
	} {
		t.Run(name, func(t *testing.T) { nodeOf(t, parseFile(t, text, image.Point{}), "email") })
	}
}

// A phone on its side: the application is wide, and some screenshots are still upright.
func TestSourceOfALandscapeScreen(t *testing.T) {
	source := `<XCUIElementTypeApplication width="844" height="390"><XCUIElementTypeButton name="b" x="800" y="0" ` +
		`width="44" height="44"/></XCUIElementTypeApplication>`
	for _, pixels := range []image.Point{{X: 2532, Y: 1170}, {X: 1170, Y: 2532}} {
		tree := parseFile(t, source, pixels)
		if got, want := nodeOf(t, tree, "b").Bounds, image.Rect(2400, 0, 2532, 132); tree.Size != image.Pt(2532, 1170) ||
			got != want {
			t.Errorf("%v: the screen is %v, the button at %v", pixels, tree.Size, got)
		}
	}
}

func TestSourceThatIsNone(t *testing.T) {
	source := loginSource(t)
	deep := strings.Repeat("<XCUIElementTypeOther>", sourceDepth+1)
	for name, text := range map[string]string{
		"nothing":            "",
		"cut":                source[:len(source)/2],
		"cut JSON":           `{"value": "<XCUIElementTypeApp`,
		"JSON without XML":   `{"value": {"error": "timeout"}}`,
		"a uiautomator dump": `<?xml version='1.0'?><hierarchy rotation="0"><node text="a"/></hierarchy>`,
		"two applications":   `<A><XCUIElementTypeApplication width="1" height="1"/><XCUIElementTypeApplication/></A>`,
		"no size":            `<XCUIElementTypeApplication x="0" y="0" width="0" height="0"/>`,
		"too deep":           deep + strings.Repeat("</XCUIElementTypeOther>", sourceDepth+1),
		"a laugh": `<!DOCTYPE a [<!ENTITY b "bbbb">]>` +
			`<XCUIElementTypeApplication name="&b;" width="1" height="1"/>`,
	} {
		if _, err := ReadTree([]byte(text), image.Point{}, time.Time{}); !errors.Is(err, errSource) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Old WebDriverAgents give neither traits nor placeholders.
func TestSourceOfAnOldWebDriverAgent(t *testing.T) {
	tree := parseFile(t, `<XCUIElementTypeApplication width="320" height="568">
		<XCUIElementTypeOther name="card" label="Buy" accessible="true" visible="true" x="0" y="0" width="10" height="10"/>
		<XCUIElementTypeButton name="Tab" label="Tab" value="1" x="0" y="20" width="10" height="10"/>
		<XCUIElementTypeTextField name="f" value="typed" x="nan" y="" width="1e300" height="-5"/>`+
		`</XCUIElementTypeApplication>`, image.Point{})
	if !nodeOf(t, tree, "card").Clickable || !nodeOf(t, tree, "Tab").Selected || nodeOf(t, tree, "f").Text != "typed" {
		t.Error("an element is not what it was told to be")
	}
}

func FuzzSource(f *testing.F) {
	f.Add([]byte(loginSource(f)), 1170, 2532)
	f.Add([]byte(`{"value":"<XCUIElementTypeApplication width='1' height='2'/>"}`), 0, 0)
	f.Fuzz(func(t *testing.T, data []byte, w, h int) {
		tree, err := ReadTree(data, image.Pt(w&0xffff, h&0xffff), time.Time{})
		if err != nil {
			return
		}
		for n := range tree.All {
			if n.Bounds.Dx() < 0 || n.Bounds.Dy() < 0 {
				t.Fatalf("bounds %v", n.Bounds)
			}
		}
	})
}

func TestSourceInJSON(t *testing.T) {
	const source = `{"type":"Application","label":"A","rect":{"x":0,"y":0,"width":100,"height":200},"isEnabled":"1",` +
		`"isVisible":true,
		"children":[null,{"type":"Button","rawIdentifier":"go","name":"Go","label":"Go","value":null,"isVisible":"1",` +
		`"isEnabled":1,
		"rect":{"x":10,"y":20,"width":30,"height":40}},{"type":"Switch","label":"Wi-Fi","value":1,"isVisible":"0"}]}`
	for name, text := range map[string]string{"bare": source, "in an answer": `{"value":` + source +
		`,"sessionId":null}`} {
		tree := parseFile(t, text, image.Pt(200, 400))
		found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: "Go", ID: "go", Type: "button"}, Action: true})
		if err != nil || len(found) != 1 || found[0].Point != image.Pt(50, 80) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		if s := tree.Windows[0].Children[1]; !s.Checked || !s.Hidden || s.Desc != "Wi-Fi" {
			t.Errorf("%s: a hidden switch that is on: %+v", name, s)
		}
	}
	deep := strings.Repeat(`{"type":"Other","children":[`, sourceDepth+1) + strings.Repeat("]}", sourceDepth+1)
	for _, text := range []string{deep, `{"value":{"error":"no such session","message":"x"}}`, `{"value":{}}`,
		`{"type":"Application"}`} {
		if tree, err := ReadTree([]byte(text), image.Point{}, time.Time{}); err == nil {
			t.Errorf("%.60s gave %v", text, tree)
		}
	}
}
