package alert

import "testing"

// TestAnswersAmong: questions of iOS, with their buttons in the orders that are known, and questions of apps.
func TestAnswersAmong(t *testing.T) {
	for _, c := range []struct {
		buttons         []string
		accept, dismiss string
	}{
		{[]string{"Allow Once", "Allow While Using App", "Don’t Allow"}, "Allow While Using App", "Don’t Allow"},
		{[]string{"Precise: On", "Allow Once", "Allow While Using App", "Don’t Allow"}, "Allow While Using App",
			"Don’t Allow"},
		{[]string{"Allow Once", "Allow While Using App", "Don’t Allow", "Precise: On"}, "Allow While Using App",
			"Don’t Allow"},
		{[]string{"Keep Only While Using", "Change to Always Allow"}, "Change to Always Allow", "Keep Only While Using"},
		{[]string{"Limit Access…", "Allow Full Access", "Don’t Allow"}, "Allow Full Access", "Don’t Allow"},
		{[]string{"Select Photos…", "Allow Access to All Photos", "Don’t Allow"}, "Allow Access to All Photos",
			"Don’t Allow"},
		{[]string{"Don’t Allow", "Allow"}, "Allow", "Don’t Allow"}, {[]string{"Allow", "Don’t Allow"}, "Allow",
			"Don’t Allow"},
		{[]string{"Ask App Not to Track", "Allow"}, "Allow", "Ask App Not to Track"},
		{[]string{"Don’t Allow Paste", "Allow Paste"}, "Allow Paste", "Don’t Allow Paste"},
		{[]string{"Cancel", "Open"}, "Open", "Cancel"}, {[]string{"OK"}, "OK", "OK"}, {[]string{"Schließen"}, "Schließen",
			"Schließen"},
		{[]string{"Delete", "Cancel"}, "Delete", "Cancel"}, {[]string{"Cancel", "Delete"}, "Delete", "Cancel"},
		{[]string{"Cancel", "Save", "Discard"}, "", "Cancel"},
		{[]string{"Keep editing", "Discard"}, "", ""}, {[]string{"Nicht erlauben", "Erlauben"}, "", ""},
		{[]string{"Limit Access…", "Don’t Allow"}, "", "Don’t Allow"}, {nil, "", ""},
	} {
		if accept, dismiss := answersAmong(c.buttons); accept != c.accept || dismiss != c.dismiss {
			t.Errorf("%q: %q accepts and %q dismisses, not %q and %q", c.buttons, accept, dismiss, c.accept, c.dismiss)
		}
	}
}
