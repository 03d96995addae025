package android

import (
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/apps"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestParseStart(t *testing.T) {
	t.Parallel()
	const starting = "Starting: Intent { act=android.intent.action.MAIN cmp=com.a/.B }\n"
	cases := []struct {
		name    string
		o       adb.Output
		status  string
		problem string
	}{
		{"cold", adb.Output{
			Out: []byte(starting + "Status: ok\nLaunchState: COLD\nActivity: com.a/.B\nTotalTime: 357\nWaitTime: 377\n" +
				"Complete\n")}, "ok", ""},
		{"brought to the front", adb.Output{Out: []byte(starting +
			"Warning: Activity not started, its current task has been brought to the front\nStatus: ok\nComplete\n")}, "ok",
			""},
		{"delivered to the top", adb.Output{Out: []byte(starting +
			"Warning: Activity not started, intent has been delivered to currently running top-most instance.\n"), Code: 0},
			"ok", ""},
		{"slow", adb.Output{Out: []byte(starting + "Status: timeout\nComplete\n")}, "timeout", ""},
		{"no class, on stdout",
			adb.Output{Out: []byte(starting + "Error type 3\nError: Activity class {com.a/com.a.B} does not exist.\n"),
				Code: 1}, "",
			"Error: Activity class {com.a/com.a.B} does not exist."},
		{"no class, on stderr with code 0", adb.Output{Out: []byte(starting), Errs: []byte("Error type 3\n")}, "",
			"Error type 3"},
		{"not exported", adb.Output{Out: []byte(starting),
			Errs: []byte(
				"\nException occurred while executing 'start':\njava.lang.SecurityException: Permission Denial: starting " +
					"Intent\n"), Code: 255},
			"", "java.lang.SecurityException: Permission Denial: starting Intent"},
		{"an error in the intent's own text",
			adb.Output{Out: []byte("Starting: Intent { dat=x://Error: nothing Error type 3 }\nStatus: ok\nComplete\n")}, "ok",
			""},
		{"silence", adb.Output{Out: []byte(starting), Code: 1}, "",
			"status Starting: Intent { act=android.intent.action.MAIN cmp=com.a/.B }"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if status, problem := apps.ParseStart(c.o); status != c.status || problem != c.problem {
				t.Errorf("status %q, problem %q", status, problem)
			}
		})
	}
}
