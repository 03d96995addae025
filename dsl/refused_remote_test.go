package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// TestWhatRemotesRefuse: what no server of a kind can do is refused before anything runs, and nothing else.
func TestWhatRemotesRefuse(t *testing.T) {
	t.Parallel()
	page := "{openBrowser: {url: \"https://example.com\", viewport: 800x600}}"
	webView := "{launch: {package: com.example, webView: devtools}}"
	for name, c := range map[string]struct {
		remote dsl.RemoteServer
		step   string
		want   string
	}{
		"the size of a page on a phone": {dsl.RemoteServer{Name: "lab", Platform: dsl.Web,
			Capabilities: map[string]any{"platformName": "android"}}, page,
			"openBrowser.viewport does not work on the remote lab"},
		"the size of a page": {dsl.RemoteServer{Name: "lab", Platform: dsl.Web,
			Capabilities: map[string]any{"platformName": "Linux"}}, page, ""},
		"pages in apps of Android": {dsl.RemoteServer{Name: "lab", Platform: dsl.Android}, webView, ""},
		"pages in apps of iOS":     {dsl.RemoteServer{Name: "lab", Platform: dsl.IOS}, webView, ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf("id: a\nplatform: %s\nsteps: [%s]\n", c.remote.Platform, c.step)
			tests, err := dsl.Parse("a.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			err = c.remote.Check(tests[0])
			if got := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) {
				t.Error(got)
			}
		})
	}
}
