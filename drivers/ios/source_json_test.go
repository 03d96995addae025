package ios

import (
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

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
		if tree, err := ReadSource([]byte(text), image.Point{}, time.Time{}); err == nil {
			t.Errorf("%.60s gave %v", text, tree)
		}
	}
}
