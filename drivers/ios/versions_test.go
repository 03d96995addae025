package ios

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

// An old WebDriverAgent has other paths for some calls, and none for others.
func TestAnOldWebDriverAgent(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{OldAgent: true}))
	page(t, d, "Gestures")
	apple, basket := middle(wait(t, d, "apple")), middle(wait(t, d, "basket"))
	must(t, d.Drag(t.Context(), apple, basket, 100*time.Millisecond))
	wait(t, d, "Apple in the basket")
	page(t, d, "Form")
	tapOn(t, d, "note")
	must(t, d.Type(t.Context(), "abcdef"))
	must(t, d.Erase(t.Context(), 2))
	wait(t, d, "abcd")
	must(t, d.Launch(t.Context(), iossim.ListBundle, true))
	must(t, d.Swipe(t.Context(), image.Pt(195, 700), image.Pt(195, 300), 100*time.Millisecond))
	if tree, err := d.Tree(t.Context()); err != nil || slices.ContainsFunc(tree.Texts(200), func(s string) bool {
		return s == "Gestures"
	}) {
		t.Errorf("the swipe moved nothing: %v", err)
	}
	b.lab.Device(0).Show("Low battery", "OK")
	if a, err := d.Alert(t.Context()); err != nil || a == nil || a.Text != "Low battery" ||
		!slices.Equal(a.Buttons, []string{"OK"}) {
		t.Errorf("%+v, %v", a, err)
	}
}

// agentOf responds to calls with what is set for them, and anything else with an empty object; it notes the bodies.
func agentOf(t *testing.T, answers map[string]string) (*device, *[]string) {
	t.Helper()
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/session/S")
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.Method+" "+path+" "+string(body))
		value, ok := answers[r.Method+" "+path]
		if !ok {
			value = "{}"
		}
		_, _ = io.WriteString(w, `{"value":`+value+`,"sessionId":"S"}`)
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	agent := &wda.Client{ID: "bare", Base: server.URL, HTTP: client}
	if err := agent.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := New(Options{}).assemble(host.Found{Info: drivers.Info{ID: "bare"}}, agent, "")
	t.Cleanup(func() { d.link.Life.End() })
	return d, &bodies
}

// TestALaunchWithoutArgumentsNamesNone: XCTest dies of null where it expects a list.
func TestALaunchWithoutArgumentsNamesNone(t *testing.T) {
	t.Parallel()
	d, bodies := agentOf(t, nil)
	must(t, d.Launch(t.Context(), "com.example.login", false))
	if got := strings.Join(*bodies, "\n"); strings.Contains(got, "null") ||
		!strings.Contains(got, `"bundleId":"com.example.login"`) {
		t.Error(got)
	}
}

func TestScreenshotsInEveryForm(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	must(t, jpeg.Encode(&photo, image.NewRGBA(image.Rect(0, 0, 20, 40)), nil))
	text := base64.StdEncoding.EncodeToString(photo.Bytes())
	// as NSDataBase64Encoding76CharacterLineLength has it
	lines, err := json.Marshal(text[:76] + "\r\n" + text[76:] + "\n")
	must(t, err)
	for shot, want := range map[string]error{string(lines): nil, `""`: drivers.ErrNotReady, `null`: drivers.ErrNotReady,
		`"AAAA"`: drivers.ErrDeviceLost, `"?"`: drivers.ErrDeviceLost} {
		d, _ := agentOf(t, map[string]string{"GET /screenshot": shot, "GET /window/size": `{"width":10,"height":20}`})
		img, err := d.Screenshot(t.Context())
		if want == nil && (err != nil || img.Bounds().Dx() != 20) || want != nil && !errors.Is(err, want) {
			t.Errorf("%.20s: %v", shot, err)
		}
	}
}
