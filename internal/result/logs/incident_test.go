package logs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/result/event"
)

var began = time.Date(2026, 12, 31, 23, 59, 50, 0, time.UTC)

func incidents(t *testing.T, log string, app App) []event.Incident {
	t.Helper()
	z, err := Clock(strings.NewReader(log), began, began.Add(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Incidents(strings.NewReader(log), z, began, app,
		[]Window{{began.Add(2 * time.Second), began.Add(6 * time.Second)}, {began, began}})
	if err != nil || len(got) != 2 || len(got[1]) != 0 {
		t.Fatal(got, err)
	}
	return got[0]
}

func TestIncidentsOfAPage(t *testing.T) {
	log := `2026-12-31T23:59:51.000Z uncaught: too early
2026-12-31T23:59:52.000Z console log: hello
    more of it
2026-12-31T23:59:53.000Z console error: Failed to load resource: the server responded with a status of 500 () ` +
		`(http://a/pay:1)
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
		{At: "2026-12-31T23:59:54.000Z", Kind: event.IncidentException,
			Text: "uncaught TypeError: total is undefined\n    at pay (app.js:3)", Cause: true},
		{At: "2026-12-31T23:59:55.000Z", Kind: event.IncidentConsole, Text: "console error: stale"},
	}
	if diff := cmp.Diff(want, incidents(t, log, App{})); diff != "" {
		t.Error(diff)
	}
}

func TestIncidentsOfAnApp(t *testing.T) {
	log := `--------- beginning of main
01-01 05:29:51.000   600   601 I ActivityManager: Start proc 4711:com.example.shop/u0a12 for activity ` +
		`{com.example.shop/.Main}
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
		{At: "2026-12-31T23:59:53.200Z", Kind: event.IncidentLog,
			Text: "E/Pay: java.net.SocketTimeoutException: timeout\n\tat com.example.shop.Pay.run(Pay.java:12)", Cause: true},
		{At: "2026-12-31T23:59:54.000Z", Kind: event.IncidentCrash,
			Text: "FATAL EXCEPTION: main\nProcess: com.example.shop, PID: 4711\njava.lang.IllegalStateException: no card\n" +
				"\tat " +
				"com.example.shop.Pay.onClick(Pay.java:31)", Cause: true},
	}
	if diff := cmp.Diff(want, incidents(t, log, App{Names: []string{"com.example.shop"}})); diff != "" {
		t.Error(diff)
	}
	running := strings.Replace(log, "Start proc", "Begin proc", 1)
	if got := incidents(t, running, App{Names: []string{"com.example.shop"}, Pids: []int{4711}}); len(got) != 3 {
		t.Errorf("an app that ran before: %+v", got)
	}
}

// FuzzIncidents checks that foreign bytes never make an incident larger than its limit.
func FuzzIncidents(f *testing.F) {
	f.Add("2026-12-31T23:59:53.100Z response: 500 POST http://a/pay\n")
	f.Add("01-01 05:29:54.000  4711  4711 E AndroidRuntime: FATAL EXCEPTION: main\n01-01 05:29:54.000  4711  4711 E " +
		"AndroidRuntime: Process: a.b, PID: 4711\n")
	for _, line := range []string{"Dec 31 18:59:52 iPhone Shop(UIKitCore)[512] <Error>: x",
		"2027-01-01 01:59:54.000 E  Shop[4711:1a2b] *** Terminating app", "2027-01-01 00:59:54.000000+0100  localhost " +
			"Shop[4711]: (a) [b:c] d"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, log string) {
		z, err := Clock(strings.NewReader(log), began, began.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Incidents(strings.NewReader(log), z, began, App{Names: []string{"a.b"}, Pids: []int{4711}},
			[]Window{{time.Time{}, began.AddDate(9999, 0, 0)}})
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

// TestIncidentsOfAnAppleApp: a simulator's log in both styles, and an iPhone's own.
func TestIncidentsOfAnAppleApp(t *testing.T) {
	shop := App{Names: []string{"com.example.shop"}}
	for name, c := range map[string]struct {
		log  string
		want []event.Incident
	}{
		"compact": {`Filtering the log data using "subsystem != "com.apple.nothing""
Timestamp               Ty Process[PID:TID]
2027-01-01 01:59:51.000 Df runningboardd[33:2a] [com.apple.runningboard:process] [app<com.example.shop((null))>` +
			`:4711] Set darwin role to: UserInteractive
2027-01-01 01:59:52.100 E  Other[99:1] [com.other:net] NSInternalInconsistencyException of another app
2027-01-01 01:59:52.500 E  Shop[4711:1a2b] [com.apple.UIKit:Layout] Unable to simultaneously satisfy constraints.
2027-01-01 01:59:53.000 Df Shop[4711:1a2b] loading the cart
2027-01-01 01:59:53.100 F  Shop[4711:1a2b] [com.example.shop:pay] the total is missing
2027-01-01 01:59:53.150 F  Shop[4711:1a2b] [com.apple.runtime-issues:Main Thread Checker] UI API called on a ` +
			`background thread
2027-01-01 01:59:53.200 E  Shop[4711:1a2b] [com.example.shop:pay] Uncaught error in promise: TypeError
2027-01-01 01:59:54.000 E  Shop[4711:1a2b] *** Terminating app due to uncaught exception 'NSRangeException', reason: ` +
			`'index 3 beyond bounds [0 .. 2]'
*** First throw call stack:
(
	0   CoreFoundation                      0x000000018049b0ec __exceptionPreprocess + 172
)
2027-01-01 01:59:54.300 Df runningboardd[33:2a] [com.apple.runningboard:process] [app<com.example.shop((null))>` +
			`:4711] exited due to signal 6
`, []event.Incident{
			{At: "2026-12-31T23:59:52.500Z", Kind: event.IncidentLog,
				Text: "E/Shop: [com.apple.UIKit:Layout] Unable to simultaneously satisfy constraints."},
			{At: "2026-12-31T23:59:53.100Z", Kind: event.IncidentLog,
				Text: "F/Shop: [com.example.shop:pay] the total is missing", Cause: true},
			{At: "2026-12-31T23:59:53.150Z", Kind: event.IncidentLog,
				Text: "F/Shop: [com.apple.runtime-issues:Main Thread Checker] UI API called on a background thread"},
			{At: "2026-12-31T23:59:53.200Z", Kind: event.IncidentException, Text: "Uncaught error in promise: TypeError",
				Cause: true},
			{At: "2026-12-31T23:59:54.000Z", Kind: event.IncidentCrash,
				Text: "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 3 beyond bounds [0 .. " +
					"2]'\n*** First throw call stack:\n(\n\t0   CoreFoundation                      0x000000018049b0ec " +
					"__exceptionPreprocess + 172\n)", Cause: true},
			{At: "2026-12-31T23:59:54.300Z", Kind: event.IncidentCrash,
				Text: "runningboardd: [com.apple.runningboard:process] [app<com.example.shop((null))>:4711] exited due to signal " +
					"6", Cause: true},
		}},
		"syslog": {`Timestamp                       (process)[PID]
2027-01-01 00:59:51.000000+0100  localhost Shop[4711]: (Shop) [com.example.shop:cart] loading
2027-01-01 00:59:54.000000+0100  localhost Shop[4711]: (libswiftCore.dylib) Shop/Cart.swift:31: Fatal error: Index ` +
			`out of range
2027-01-01 00:59:58.000000+0100  localhost Shop[4711]: (Shop) Fatal error: too late
`, []event.Incident{
			{At: "2026-12-31T23:59:54.000Z", Kind: event.IncidentCrash,
				Text: "Shop/Cart.swift:31: Fatal error: Index out of range", Cause: true},
		}},
		"iPhone": {`Dec 31 18:59:50 Anna's iPhone backboardd[68] <Notice>: hello
Dec 31 18:59:52 Anna's iPhone Shop(UIKitCore)[512] <Error>: [com.apple.UIKit:x] nothing much
Dec 31 18:59:53 Anna's iPhone Shop[512] <Fault>: the database is locked
Dec 31 18:59:54 Anna's iPhone Mail[77] <Fault>: not ours
Dec 31 18:59:55 Anna's iPhone Shop(libswiftCore.dylib)[512] <Notice>: Fatal error: Unexpectedly found nil while ` +
			`unwrapping an Optional value
`, []event.Incident{
			{At: "2026-12-31T23:59:52.000Z", Kind: event.IncidentLog, Text: "E/Shop: [com.apple.UIKit:x] nothing much"},
			{At: "2026-12-31T23:59:53.000Z", Kind: event.IncidentLog, Text: "F/Shop: the database is locked", Cause: true},
			{At: "2026-12-31T23:59:55.000Z", Kind: event.IncidentCrash,
				Text: "Fatal error: Unexpectedly found nil while unwrapping an Optional value", Cause: true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, incidents(t, c.log, shop)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
