package android

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	textChunk = 500  // characters in one `input text`: more of them get lost on slow phones
	textLine  = 3000 // bytes in one shell call: adbd takes 4096 on old phones

	keyEnter = "keyevent 66"
	keyTab   = "keyevent 61"
)

// text types ASCII, key by key.
func (j *injector) text(ctx context.Context, text string) error {
	for _, batch := range batches(typing(text), textLine) {
		if _, err := j.inputs(ctx, "text", batch); err != nil {
			return err
		}
	}
	return nil
}

// untypable finds the first character that `input text` cannot type.
func untypable(text string) (rune, bool) {
	for _, r := range text {
		if (r < ' ' || r > '~') && r != '\n' && r != '\t' {
			return r, true
		}
	}
	return 0, false
}

// typing turns text into arguments of `input`.
func typing(text string) []string {
	var args []string
	for text != "" {
		switch text[0] {
		case '\n':
			args, text = append(args, keyEnter), text[1:]
		case '\t':
			args, text = append(args, keyTab), text[1:]
		default:
			end := chunkEnd(text)
			args, text = append(args, "text "+quoteInput(text[:end])), text[end:]
		}
	}
	return args
}

// chunkEnd is where the first piece of text ends that one `input text` types as it is. It reads "%s" as a blank, so a
// "%s" that is meant is split between two; so is a "%" in front of a blank, because servers differ in how they read
// "%%s".
func chunkEnd(text string) int {
	for i := range len(text) {
		switch {
		case i >= textChunk, text[i] == '\n', text[i] == '\t':
			return i
		case i > 0 && text[i-1] == '%' && (text[i] == 's' || text[i] == ' '):
			return i
		}
	}
	return len(text)
}

// quoteInput writes text for `input text` and for the shell in front of it.
func quoteInput(text string) string {
	return shellescape.Quote(strings.ReplaceAll(text, " ", "%s"))
}

// batches groups arguments so that each group fits into one shell call.
func batches(args []string, limit int) [][]string {
	var groups [][]string
	size := 0
	for _, a := range args {
		cost := len(viaCmd) + len(a) + len(" && ")
		if len(groups) == 0 || size+cost > limit {
			groups, size = append(groups, nil), 0
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], a)
		size += cost
	}
	return groups
}

const (
	adbKeyboard   = "com.android.adbkeyboard/.AdbIME"
	keyboardLimit = 5 * time.Second
	hurriedLimit  = 800 * time.Millisecond
	keyboardPoll  = 100 * time.Millisecond
	// broadcastText is how many bytes go into one broadcast: in base64 they fit into one shell call.
	broadcastText = 2000
)

// typeByKeyboard types through ADBKeyboard, which is made the phone's keyboard for that moment.
func (j *injector) typeByKeyboard(ctx context.Context, text string, first rune) (err error) {
	o, err := j.phone.run(ctx, command{name: "ime list", readOnly: true, line: "ime list -a -s"})
	if err != nil {
		return err
	}
	if !hasLine(string(o.out), adbKeyboard) {
		return fmt.Errorf("device %s: %w: typing %q (%U) needs the agent: fetch it with `taproot setup --platform android`, "+
			"and run with --agent require to see why it is not used; or install the app ADBKeyboard on the phone "+
			"(com.android.adbkeyboard), or type ASCII only", j.phone.link.serial, drivers.ErrUnsupported, first, first)
	}
	if err := j.takeKeyboard(ctx); err != nil {
		return errors.Join(err, j.giveKeyboardBack(ctx))
	}
	defer func() { err = errors.Join(err, j.giveKeyboardBack(ctx)) }()
	for _, piece := range pieces(text, broadcastText) {
		line := "am broadcast -a ADB_INPUT_B64 --es msg " + base64.StdEncoding.EncodeToString([]byte(piece))
		o, err := j.phone.run(ctx, command{name: "am broadcast ADB_INPUT_B64", line: line})
		if err != nil {
			return err
		}
		if !strings.Contains(o.text(), "Broadcast completed") {
			return fmt.Errorf("device %s: ADBKeyboard took no text: %s", j.phone.link.serial, j.phone.why(o))
		}
	}
	return nil
}

// takeKeyboard makes ADBKeyboard the keyboard and waits until it is. From here on Close knows which one to restore.
func (j *injector) takeKeyboard(ctx context.Context) error {
	o, err := j.phone.run(ctx, command{name: "settings get default_input_method", readOnly: true,
		line: "settings get secure default_input_method"})
	if err != nil {
		return err
	}
	old := strings.TrimSpace(string(o.out))
	if old == adbKeyboard {
		return nil
	}
	if old != "" && old != "null" {
		if err := j.debts.noteRestore(func(debts *restoreState) { debts.Keyboard = old }); err != nil {
			return err
		}
	}
	o, err = j.phone.run(ctx, command{name: "ime set", line: "ime enable " + adbKeyboard + " && ime set " + adbKeyboard})
	if err != nil {
		return err
	}
	if o.code != 0 {
		return fmt.Errorf("device %s: choose ADBKeyboard: %s", j.phone.link.serial, j.phone.why(o))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, keyboardLimit, j.phone.link.tooSlow("the change of the keyboard",
		keyboardLimit))
	defer cancel()
	for {
		o, err := j.phone.run(ctx, command{name: "dumpsys input_method", readOnly: true, line: "dumpsys input_method"})
		if err != nil {
			return err
		}
		if keyboardBound(string(o.out)) {
			return nil
		}
		if err := drivers.Pause(ctx, keyboardPoll); err != nil {
			return j.phone.link.fault(ctx, "the change of the keyboard", err)
		}
	}
}

// keyboardBound reads whether the input method service works with ADBKeyboard already.
func keyboardBound(dumpsys string) bool {
	for line := range strings.Lines(dumpsys) {
		for field := range strings.FieldsSeq(line) {
			name, value, _ := strings.Cut(field, "=")
			if value != adbKeyboard {
				continue
			}
			switch name {
			case "mCurId", "mCurMethodId", "mSelectedMethodId":
				return true
			}
		}
	}
	return false
}

// giveKeyboardBack restores the keyboard, also when the call it served was cancelled: then it has less than the second
// in which that call must end. When it fails, Close repeats it.
func (j *injector) giveKeyboardBack(after context.Context) error {
	old := j.debts.keyboardOwed()
	if old == "" {
		return nil
	}
	limit := keyboardLimit
	if after.Err() != nil {
		limit = hurriedLimit
	}
	o, err := j.phone.run(j.phone.life, command{name: "ime set", limit: limit, line: "ime set " + shellescape.Quote(old)})
	if err != nil {
		return err
	}
	if o.code != 0 {
		return fmt.Errorf("device %s: give its keyboard %s back: %s", j.phone.link.serial, old, j.phone.why(o))
	}
	return j.debts.keyboardReturned()
}

// pieces cuts text between characters into pieces of at most limit bytes.
func pieces(text string, limit int) []string {
	var list []string
	start := 0
	for i, r := range text {
		if i+len(string(r))-start > limit {
			list, start = append(list, text[start:i]), i
		}
	}
	return append(list, text[start:])
}

func hasLine(text, want string) bool {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == want {
			return true
		}
	}
	return false
}
