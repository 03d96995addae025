package android

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// typed returns what a phone enters for a shell line of input commands: the line goes through a real shell parser, each
// text through the loop of Android's own Input.sendText.
func typed(t *testing.T, line string) string {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var b strings.Builder
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		words, err := expand.Fields(&expand.Config{Env: expand.ListEnviron("HOME=/x")}, call.Args...)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case len(words) == 3 && words[1] == "text":
			b.WriteString(sendText(words[2]))
		case strings.Join(words[1:], " ") == input.KeyEnter:
			b.WriteByte('\n')
		case strings.Join(words[1:], " ") == input.KeyTab:
			b.WriteByte('\t')
		default:
			t.Fatalf("command %q", words)
		}
		return true
	})
	return b.String()
}

func sendText(arg string) string {
	buf := []byte(arg)
	escape := false
	for i := 0; i < len(buf); i++ {
		if escape {
			escape = false
			if buf[i] == 's' {
				buf[i] = ' '
				i--
				buf = append(buf[:i], buf[i+1:]...)
			}
		}
		if buf[i] == '%' {
			escape = true
		}
	}
	return string(buf)
}

// checkTyping holds the commands for a text against the text itself, and each line against adbd's limits.
func checkTyping(t *testing.T, text string) {
	t.Helper()
	var got strings.Builder
	for _, batch := range input.Batches(input.Typing(text), input.TextLine) {
		line := input.JoinInputs(input.ViaInput, batch)
		if len(line) > 4000 {
			t.Errorf("a line of %d bytes", len(line))
		}
		got.WriteString(typed(t, line))
	}
	if got.String() != text {
		t.Errorf("typing %q enters %q", text, got.String())
	}
}

func TestEveryPrintableCharacterIsTypedRight(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		all.WriteByte(c)
		checkTyping(t, string(c))
		checkTyping(t, "a"+string(c)+"b")
	}
	checkTyping(t, all.String())
	for _, text := range []string{
		"%s", "%%s", "% s", "100%sure", "%s%s", "a%\nsb", "%", "%%", "s%", " ", "   ", "'", `\'`, "'\\''", "$(reboot)",
		"`id`", "a;b&c|d",
		"-n", "--help", "~", "*", "\n", "\t\n\t", "a\nb\n", strings.Repeat("x%s ", 999), strings.Repeat("'", 2000),
	} {
		checkTyping(t, text)
	}
}

func TestRandomTextIsTypedRight(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "%%%sss  ''\"\\$`\n\tab!*?[]{}()<>|&;#~=-"
	for range 3000 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteByte(letters[random.IntN(len(letters))])
		}
		checkTyping(t, b.String())
	}
}

func FuzzTyping(f *testing.F) {
	f.Add("100%sure it's $HOME")
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := input.Untypable(text); !ok {
			checkTyping(t, text)
		}
	})
}

// loginForm opens the login app and waits for its form.
func loginForm(t *testing.T, d *Device) {
	t.Helper()
	if err := d.Launch(t.Context(), "com.example.login", true); err != nil {
		t.Fatal(err)
	}
	for {
		tree, err := d.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for n := range tree.All {
			if n.Editable {
				if err := d.Tap(t.Context(), centre(n)); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
		if err := drivers.Pause(t.Context(), input.KeyboardPoll); err != nil {
			t.Fatal(err)
		}
	}
}

func fieldText(t *testing.T, d *Device) string {
	t.Helper()
	tree, err := d.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range tree.All {
		if n.Editable {
			return n.Text
		}
	}
	t.Fatal("no field")
	return ""
}

func TestTypeOnPhones(t *testing.T) {
	t.Parallel()
	const text = `a %s 100% 'q' "d" $HOME \ ; & | < > ( ) * ? [ ] # ~ !`
	for _, api := range levels() {
		d, _ := openPhone(t, androidsim.Options{API: api, LoginLoading: 1})
		loginForm(t, d)
		if err := d.Type(t.Context(), text); err != nil {
			t.Fatalf("API %d: %v", api, err)
		}
		if got := fieldText(t, d); got != text {
			t.Errorf("API %d: %q", api, got)
		}
	}
}

func TestTypeUnicodeNeedsAKeyboard(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{LoginLoading: 1})
	loginForm(t, d)
	err := d.Type(t.Context(), "Grüße")
	if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), `"ü"`) &&
		!strings.Contains(err.Error(), "'ü'") ||
		!strings.Contains(err.Error(), "ADBKeyboard") {
		t.Errorf("error %v", err)
	}
	if got := fieldText(t, d); got != "" {
		t.Errorf("half typed: %q", got)
	}
	if p.Count("input") > 1 { // the tap
		t.Errorf("input was used %d times", p.Count("input"))
	}
}

func TestTypeUnicodeByADBKeyboard(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{ADBKeyboard: true, LoginLoading: 1})
	loginForm(t, d)
	before := setting(t, d, "default_input_method")
	text := "Grüße 漢字 😀 " + strings.Repeat("é", 1500)
	if err := d.Type(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	if got := fieldText(t, d); got != text {
		t.Errorf("%q", got)
	}
	if after := setting(t, d, "default_input_method"); after != before {
		t.Errorf("keyboard %q became %q", before, after)
	}
	p.Fail(androidsim.Fault{Match: "am broadcast", Kind: androidsim.Error, Output: "Error: broken\n", Code: 1})
	if err := d.Type(t.Context(), "é"); err == nil || !strings.Contains(err.Error(), "took no text") {
		t.Errorf("error %v", err)
	}
	if after := setting(t, d, "default_input_method"); after != before {
		t.Errorf("keyboard %q became %q after an error", before, after)
	}
}

// TestCloseGivesTheKeyboardBack: also when the call that took it could not.
func TestCloseGivesTheKeyboardBack(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{ADBKeyboard: true})
	before := setting(t, d, "default_input_method")
	p.Fail(androidsim.Fault{Match: "ime set com.", Nth: 2, Kind: androidsim.Error, Output: "Error\n", Code: 1})
	if err := d.Type(t.Context(), "é"); err == nil {
		t.Error("no error although the keyboard could not be given back")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := &Device{phone: &phone.Phone{Link: d.phone.Link, Life: drivers.NewLifetime()}}
	if after := setting(t, again, "default_input_method"); after != before {
		t.Errorf("keyboard %q became %q", before, after)
	}
}

func setting(t *testing.T, d *Device, name string) string {
	t.Helper()
	o, err := d.phone.Run(t.Context(), adb.Command{Name: "settings", Line: "settings get secure " + name})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(o.Out))
}
