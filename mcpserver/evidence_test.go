package mcpserver

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestScreenshotScale checks the requested size of screenshots, and that a point in one is the point on the phone.
func TestScreenshotScale(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	s.ok("launch", listApp)
	for _, c := range []struct {
		args string
		w, h int
		say  string
	}{{`{"max_px": 200}`, 90, 200, "factor 4"}, {`{"max_px": 700}`, 315, 700, "factor 1.1429"},
		{`{"format": "png"}`, 360, 800, "factor 1)"}, {`{"max_px": 400, "marks": true}`, 180, 400, "factor 2"}} {
		r := s.ask("screenshot", c.args)
		picture, ok := r.Content[0].(*mcp.ImageContent)
		if r.IsError || !ok || r.StructuredContent != nil {
			t.Fatalf("%s: %s", c.args, words(r))
		}
		img, err := png.Decode(bytes.NewReader(picture.Data))
		if err != nil || img.Bounds().Dx() != c.w || img.Bounds().Dy() != c.h || !strings.Contains(words(r), c.say) {
			t.Errorf("%s: %v %v %s", c.args, err, img.Bounds(), words(r))
		}
	}
	s.refused("screenshot", `{"max_px": 4000}`, "at most 1920")
	if !strings.Contains(words(s.ask("screenshot", `{"max_px": 400, "marks": true}`)), `"Edge"`) {
		t.Error("the marks are not reported")
	}
	answer := s.ok("tap", `{"point": "100,200"}`)
	if !strings.Contains(answer, "screenshot's pixels: 201,401 on the device") &&
		!strings.Contains(answer, "screenshot's pixels: 200,400 on the device") ||
		!strings.Contains(answer, "- tap: {point:") {
		t.Errorf("tap says\n%s", answer)
	}
	if answer := s.ok("tap", `{"point": "100,200", "scale": "device"}`); !strings.Contains(answer, "touched at 100,200") ||
		!strings.Contains(answer, "device's pixels") {
		t.Errorf("tap says\n%s", answer)
	}
	if answer := s.ok("swipe", `{"from": "50%,80%", "to": "50%,30%"}`); !strings.HasSuffix(answer,
		`- swipe: {from: "50%,80%", to: "50%,30%"}`) {
		t.Errorf("swipe says\n%s", answer)
	}
	s.refused("tap", `{"point": "200,100", "scale": "picture"}`, "outside the screenshot of 180x400")
}
