package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/field"
)

// keyLog is a field that logs each key with its modifiers: what a page receives of a person.
const keyLog = `<textarea id=f autofocus></textarea><script>
const seen=[];for(const kind of ` +
	`['keydown','keypress','keyup'])f.addEventListener(kind,e=>` +
	`{if(e.key==='Shift'||e.key==='Control'||kind==='keypress'&&/[\ud800-\udfff]/.test(e.key))return;
seen.push(kind+' '+e.key+(e.shiftKey?' shift':'')+(e.ctrlKey?' control':''))})</script>`

// TestEveryCharacterHasItsKey: each character of a text is pressed and let go, with Shift where a person holds it, and
// is there.
func TestEveryCharacterHasItsKey(t *testing.T) {
	t.Parallel()
	text := "Ab?é ßÉЖж1!Δ€中ñİ🙂x"
	d := display(t, keyLog)
	Must(t, d.ClickOn(t.Context(), target("#f"), drivers.WebClick{}))
	Must(t, d.Type(t.Context(), text))
	if got := script(t, d, "f.value"); got != text {
		t.Errorf("the field holds %q, not %q", got, text)
	}
	upper := "A?ÉЖ!Δİ"
	var want []string
	for _, r := range text {
		shift := map[bool]string{true: " shift"}[strings.ContainsRune(upper, r)]
		for _, kind := range []string{"keydown", "keypress", "keyup"} {
			if r > 0xffff && kind == "keypress" {
				continue // Firefox has one for each half
			}
			want = append(want, fmt.Sprintf("%s %c%s", kind, r, shift))
		}
	}
	if got := script(t, d, "seen.join('\\n')"); got != strings.Join(want, "\n") {
		t.Errorf("the page heard\n%s", got)
	}
}

// TestPressesOfAnyCharacter: a character that is pressed alone, or with keys held, is a key too.
func TestPressesOfAnyCharacter(t *testing.T) {
	t.Parallel()
	d := display(t, keyLog)
	for _, c := range []struct{ keys, down, holds string }{
		{"ß", "keydown ß", "ß"}, {"É", "keydown É shift", "É"}, {"Shift+é", "keydown É shift", "É"},
		{"A", "keydown A shift", "A"}, {"?", "keydown ? shift", "?"},
		{"Control+é", "keydown é control", ""}, {"Control+?", "keydown ? shift control", ""},
		{"Control+Shift+ж", "keydown ж shift control", ""}, {"ж", "keydown ж", "ж"},
	} {
		for _, way := range []string{"press", "webPress"} {
			_ = script(t, d, "(seen.length=0,f.value='',f.focus(),0)")
			if way == "press" {
				Must(t, d.Press(t.Context(), field.SplitKeys(c.keys)))
			} else {
				Must(t, d.PressOn(t.Context(), drivers.WebTarget{Selector: "#f", Timeout: time.Minute}, c.keys))
			}
			if got := script(t, d, "[seen[0],f.value].join()"); got != c.down+","+c.holds {
				t.Errorf("%s %s: %q, not %q", way, c.keys, got, c.down+","+c.holds)
			}
		}
	}
}

func script(t *testing.T, d *device, expression string) string {
	t.Helper()
	got, err := d.Eval(t.Context(), expression, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(got)
}
