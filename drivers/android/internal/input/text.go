package input

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
)

const (
	textChunk = 500  // characters in one `input text`: more of them get lost on slow phones
	TextLine  = 3000 // bytes in one shell call: adbd takes 4096 on old phones

	KeyEnter = "keyevent 66"
	KeyTab   = "keyevent 61"
)

// Text types ASCII, key by key.
func (j *Injector) Text(ctx context.Context, text string) error {
	for _, batch := range Batches(Typing(text), TextLine) {
		if _, err := j.Inputs(ctx, "text", batch); err != nil {
			return err
		}
	}
	return nil
}

// Untypable finds the first character that `input text` cannot type.
func Untypable(text string) (rune, bool) {
	for _, r := range text {
		if (r < ' ' || r > '~') && r != '\n' && r != '\t' {
			return r, true
		}
	}
	return 0, false
}

// Typing turns text into arguments of `input`.
func Typing(text string) []string {
	var args []string
	for text != "" {
		switch text[0] {
		case '\n':
			args, text = append(args, KeyEnter), text[1:]
		case '\t':
			args, text = append(args, KeyTab), text[1:]
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

// Batches groups arguments so that each group fits into one shell call.
func Batches(args []string, limit int) [][]string {
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
	ADBKeyboard   = "com.android.adbkeyboard/.AdbIME"
	keyboardLimit = 5 * time.Second
	hurriedLimit  = 800 * time.Millisecond
	KeyboardPoll  = 100 * time.Millisecond
	// broadcastText is how many bytes go into one broadcast: in base64 they fit into one shell call.
	broadcastText = 2000
)

// TypeByKeyboard types through ADBKeyboard, which is made the phone's keyboard for that moment.
func (j *Injector) TypeByKeyboard(ctx context.Context, text string, first rune) (err error) {
	o, err := j.Phone.Run(ctx, adb.Command{Name: "ime list", ReadOnly: true, Line: "ime list -a -s"})
	if err != nil {
		return err
	}
	if !adb.HasLine(string(o.Out), ADBKeyboard) {
		return fmt.Errorf("device %s: %w: typing %q (%U) needs the agent: fetch it with `taproot setup --platform android`, "+
			"and run with --agent require to see why it is not used; or install the app ADBKeyboard on the phone "+
			"(com.android.adbkeyboard), or type ASCII only", j.Phone.Link.Serial, drivers.ErrUnsupported, first, first)
	}
	if err := j.TakeKeyboard(ctx); err != nil {
		return errors.Join(err, j.giveKeyboardBack(ctx))
	}
	defer func() { err = errors.Join(err, j.giveKeyboardBack(ctx)) }()
	for _, piece := range pieces(text, broadcastText) {
		line := "am broadcast -a ADB_INPUT_B64 --es msg " + base64.StdEncoding.EncodeToString([]byte(piece))
		o, err := j.Phone.Run(ctx, adb.Command{Name: "am broadcast ADB_INPUT_B64", Line: line})
		if err != nil {
			return err
		}
		if !strings.Contains(o.Text(), "Broadcast completed") {
			return fmt.Errorf("device %s: ADBKeyboard took no text: %s", j.Phone.Link.Serial, j.Phone.Why(o))
		}
	}
	return nil
}

// TakeKeyboard makes ADBKeyboard the keyboard and waits until it is. From here on Close knows which one to restore.
func (j *Injector) TakeKeyboard(ctx context.Context) error {
	o, err := j.Phone.Run(ctx, adb.Command{Name: "settings get default_input_method", ReadOnly: true,
		Line: "settings get secure default_input_method"})
	if err != nil {
		return err
	}
	old := strings.TrimSpace(string(o.Out))
	if old == ADBKeyboard {
		return nil
	}
	if old != "" && old != "null" {
		if err := j.Debts.Note(func(debts *restore.State) { debts.Keyboard = old }); err != nil {
			return err
		}
	}
	o, err = j.Phone.Run(ctx, adb.Command{Name: "ime set", Line: "ime enable " + ADBKeyboard + " && ime set " +
		ADBKeyboard})
	if err != nil {
		return err
	}
	if o.Code != 0 {
		return fmt.Errorf("device %s: choose ADBKeyboard: %s", j.Phone.Link.Serial, j.Phone.Why(o))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, keyboardLimit, j.Phone.Link.TooSlow("the change of the keyboard",
		keyboardLimit))
	defer cancel()
	for {
		o, err := j.Phone.Run(ctx, adb.Command{Name: "dumpsys input_method", ReadOnly: true, Line: "dumpsys input_method"})
		if err != nil {
			return err
		}
		if keyboardBound(string(o.Out)) {
			return nil
		}
		if err := drivers.Pause(ctx, KeyboardPoll); err != nil {
			return j.Phone.Link.Fault(ctx, "the change of the keyboard", err)
		}
	}
}

// keyboardBound reads whether the input method service works with ADBKeyboard already.
func keyboardBound(dumpsys string) bool {
	for line := range strings.Lines(dumpsys) {
		for field := range strings.FieldsSeq(line) {
			name, value, _ := strings.Cut(field, "=")
			if value != ADBKeyboard {
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
func (j *Injector) giveKeyboardBack(after context.Context) error {
	old := j.Debts.KeyboardOwed()
	if old == "" {
		return nil
	}
	limit := keyboardLimit
	if after.Err() != nil {
		limit = hurriedLimit
	}
	o, err := j.Phone.Run(j.Phone.Life, adb.Command{Name: "ime set", Limit: limit, Line: "ime set " +
		shellescape.Quote(old)})
	if err != nil {
		return err
	}
	if o.Code != 0 {
		return fmt.Errorf("device %s: give its keyboard %s back: %s", j.Phone.Link.Serial, old, j.Phone.Why(o))
	}
	return j.Debts.KeyboardReturned()
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

// The codes of android.view.KeyEvent that this package sends itself.
const (
	KeyHome       = 3
	KeyBack       = 4
	KeyShift      = 59
	KeyBackspace  = 67
	KeyForwardDel = 112
	KeyEscape     = 111
	KeyControl    = 113
	KeyMoveHome   = 122
	KeyMoveEnd    = 123
	KeyA          = 29
)

func KeyEvents(codes []int) string {
	var b strings.Builder
	b.WriteString("keyevent")
	for _, c := range codes {
		b.WriteString(" " + strconv.Itoa(c))
	}
	return b.String()
}

func KeyCombination(codes ...int) string {
	return "keycombination" + strings.TrimPrefix(KeyEvents(codes), "keyevent")
}
