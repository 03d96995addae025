//go:build unix

package cli_test

import (
	"bufio"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// studio starts taproot studio and returns the page that its link opens.
func (l *lab) studio(args ...string) string {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), "taproot", append([]string{"studio", "--no-browser"}, args...)...)
	cmd.Dir, cmd.Env = l.dir, l.env
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		l.t.Fatalf("studio %q: %v", args, err)
	}
	link := strings.TrimSpace(strings.TrimPrefix(line, "Studio: "))
	r, err := http.NewRequestWithContext(l.t.Context(), "GET", link, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.Header.Get("Location")
}

// Studio opens a test with several devices on all of them: on free ones that suit it, or on those that --device names.
func TestStudioOfSeveralDevices(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.several("pair", "", "steps:\n  - on: {carol: ["+launchesList+"]}\n")
	l.several("many", "https://shop.example.com", "steps:\n  - on: {carol: ["+launchesList+"]}\n"+
		"  - on: {bob: [{openBrowser: {url: 'PAGE'}}]}\n")
	l.several("wrong", "", "steps:\n  - tapp: x\n")
	l.write("one.yaml", passesOnPhone)
	for args, want := range map[string]string{
		"pair.yaml":                     "/studio/devices/SIM1?as=alice&file=pair.yaml&with=carol%3DSIM2",
		"pair.yaml --device carol=SIM1": "/studio/devices/SIM2?as=alice&file=pair.yaml&with=carol%3DSIM1",
		"many.yaml --url https://shop.example.com": "/studio/devices/SIM1?as=alice&file=many.yaml&" +
			"open=https%3A%2F%2Fshop.example.com&with=carol%3DSIM2%2Cbob%3Dweb-1",
		"new.yaml --device a=SIM2 --device b=web-1": "/studio/devices/SIM2?as=a&file=new.yaml&with=b%3Dweb-1",
		"one.yaml --device SIM2":                    "/studio/devices/SIM2?file=one.yaml",
	} {
		if got := l.studio(strings.Fields(args)...); got != want {
			t.Errorf("studio %s opens %s, want %s", args, got, want)
		}
	}
	for args, want := range map[string]string{
		"pair.yaml --device SIM1":                           "has several devices (alice, carol): write --device alice=ID",
		"pair.yaml --device dora=SIM1":                      `the test has no device "dora": it has alice, carol`,
		"pair.yaml --device alice=SIM1 --device carol=SIM1": "each name and each id once",
		"pair.yaml --url https://shop.example.com":          "the test pair has no page among its devices",
		"pair.yaml --device alice=SIM9":                     "alice: no device is what it needs: SIM1: --device names SIM9",
		"one.yaml --device alice=SIM1":                      "the test passes has one device: write its id alone",
		"new.yaml --device alice=SIM1":                      "name two or more",
		"wrong.yaml":                                        "wrong.yaml:6:5: unknown action \"tapp\"",
		"new.yaml --device SIM1 --device SIM2":              "name one device, or of a test with several NAME=ID of each",
		"new.yaml --device a_b=SIM1 --device c=SIM2":        "the names are not those of devices in a test",
		"new.yaml --device a=SIM1 --device b=SIM9":          "--device b=SIM9: no device has this id",
	} {
		e := l.taproot(append([]string{"studio", "--no-browser"}, strings.Fields(args)...)...)
		if e.code == 0 {
			t.Errorf("studio %s: no error", args)
		}
		has(t, "studio "+args, e.stderr, want)
	}
}
