package logs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/reporters/event"
)

var began = time.Date(2026, 12, 31, 23, 59, 50, 0, time.UTC)

func incidents(t *testing.T, log string, app App) []event.Incident {
	t.Helper()
	z, err := Clock(strings.NewReader(log), began, began.Add(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Incidents(strings.NewReader(log), z, began, app, []Window{{began.Add(2 * time.Second), began.Add(6 * time.Second)}, {began, began}})
	if err != nil || len(got) != 2 || len(got[1]) != 0 {
		t.Fatal(got, err)
	}
	return got[0]
}

func TestIncidentsOfAPage(t *testing.T) {
	log := `2026-12-31T23:59:51.000Z uncaught: too early
2026-12-31T23:59:52.000Z console log: hello
    more of it
2026-12-31T23:59:53.000Z console error: Failed to load resource: the server responded with a status of 500 () (http://a/pay:1)
2026-12-31T23:59:53.100Z response: 500 POST http://a/pay
2026-12-31T23:59:53.200Z response: 404 GET http://a/favicon.ico
2026-12-31T23:59:53.300Z response: 404 GET http://a/x.png
2026-12-31T23:59:53.400Z console error: Failed to load resource: net::ERR_CONNECTION_REFUSED (http://b/:1)
2026-12-31T23:59:54.000Z uncaught: TypeError: total is undefined
    at pay (app.js:3)
2026-12-31T23:59:55.000Z console error: stale
2026-12-31T23:59:57.000Z uncaught: too late
`
	want := []event.Incident{
		{At: "2026-12-31T23:59:53.100Z", Kind: event.IncidentRequest, Text: "500 POST http://a/pay", Cause: true},
		{At: "2026-12-31T23:59:53.300Z", Kind: event.IncidentRequest, Text: "404 GET http://a/x.png"},
		{At: "2026-12-31T23:59:53.400Z", Kind: event.IncidentRequest, Text: "net::ERR_CONNECTION_REFUSED (http://b/:1)"},
		{At: "2026-12-31T23:59:54.000Z", Kind: event.IncidentException, Text: "uncaught TypeError: total is undefined\n    at pay (app.js:3)", Cause: true},
		{At: "2026-12-31T23:59:55.000Z", Kind: event.IncidentConsole, Text: "console error: stale"},
	}
	if diff := cmp.Diff(want, incidents(t, log, App{})); diff != "" {
		t.Error(diff)
	}
}

func TestIncidentsOfAnApp(t *testing.T) {
	log := `--------- beginning of main
01-01 05:29:51.000   600   601 I ActivityManager: Start proc 4711:com.example.shop/u0a12 for activity {com.example.shop/.Main}
01-01 05:29:52.500  4711  4711 E libEGL  : called unimplemented OpenGL ES API
01-01 05:29:53.000   999   999 E Other   : java.io.IOException: of another app
01-01 05:29:53.100  4711  4720 W Pay     : retry
01-01 05:29:53.200  4711  4720 E Pay     : java.net.SocketTimeoutException: timeout
01-01 05:29:53.200  4711  4720 E Pay     : 	at com.example.shop.Pay.run(Pay.java:12)
01-01 05:29:53.300   998   998 E AndroidRuntime: FATAL EXCEPTION: main
01-01 05:29:53.300   998   998 E AndroidRuntime: Process: com.other, PID: 998
01-01 05:29:53.300   998   998 E AndroidRuntime: java.lang.Error: of another app
01-01 05:29:54.000  4711  4711 E AndroidRuntime: FATAL EXCEPTION: main
01-01 05:29:54.000  4711  4711 E AndroidRuntime: Process: com.example.shop, PID: 4711
01-01 05:29:54.000  4711  4711 E AndroidRuntime: java.lang.IllegalStateException: no card
01-01 05:29:54.000  4711  4711 E AndroidRuntime: 	at com.example.shop.Pay.onClick(Pay.java:31)
01-01 05:29:55.000   600   601 I ActivityManager: quiet again
`
	want := []event.Incident{
		{At: "2026-12-31T23:59:52.500Z", Kind: event.IncidentLog, Text: "E/libEGL: called unimplemented OpenGL ES API"},
		{At: "2026-12-31T23:59:53.200Z", Kind: event.IncidentLog, Text: "E/Pay: java.net.SocketTimeoutException: timeout\n\tat com.example.shop.Pay.run(Pay.java:12)", Cause: true},
		{At: "2026-12-31T23:59:54.000Z", Kind: event.IncidentCrash, Text: "FATAL EXCEPTION: main\nProcess: com.example.shop, PID: 4711\njava.lang.IllegalStateException: no card\n\tat com.example.shop.Pay.onClick(Pay.java:31)", Cause: true},
	}
	if diff := cmp.Diff(want, incidents(t, log, App{Names: []string{"com.example.shop"}})); diff != "" {
		t.Error(diff)
	}
	running := strings.Replace(log, "Start proc", "Begin proc", 1)
	if got := incidents(t, running, App{Names: []string{"com.example.shop"}, Pids: []int{4711}}); len(got) != 3 {
		t.Errorf("an app that ran before: %+v", got)
	}
}

// Foreign bytes never make more of an incident than may be kept.
func FuzzIncidents(f *testing.F) {
	f.Add("2026-12-31T23:59:53.100Z response: 500 POST http://a/pay\n")
	f.Add("01-01 05:29:54.000  4711  4711 E AndroidRuntime: FATAL EXCEPTION: main\n01-01 05:29:54.000  4711  4711 E AndroidRuntime: Process: a.b, PID: 4711\n")
	f.Fuzz(func(t *testing.T, log string) {
		z, err := Clock(strings.NewReader(log), began, began.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Incidents(strings.NewReader(log), z, began, App{Names: []string{"a.b"}, Pids: []int{4711}}, []Window{{time.Time{}, began.AddDate(9999, 0, 0)}})
		if err != nil || len(got[0]) > maxIncidents {
			t.Fatal(len(got[0]), err)
		}
		for _, in := range got[0] {
			if len(in.Text) > maxText+len("…") || in.Kind == "" {
				t.Errorf("%d bytes, %q", len(in.Text), in.Kind)
			}
		}
	})
}
