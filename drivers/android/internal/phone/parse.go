package phone

import (
	"fmt"
	"image"
	"strconv"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// appError is an error of a kind with a text of its own.
type appError struct {
	kind error
	text string
}

func AsAppError(kind error, text string) error { return &appError{kind, text} }

func (e *appError) Error() string { return e.text }

func (e *appError) Unwrap() error { return e.kind }

var rotationLine = lazyregexp.New(`(?m)^\s*(?:.* )?m(?:Current)?Rotation=(?:ROTATION_)?(\d+)`)

// surfaceLine is what old Androids say instead.
var surfaceLine = lazyregexp.New(`(?m)^\s*SurfaceOrientation: (\d)`)

// ParseRotation reads quarter turns, which new Androids write in degrees.
func ParseRotation(dumpsys string) (turns int, known bool) {
	m := rotationLine.FindStringSubmatch(dumpsys)
	if m == nil {
		m = surfaceLine.FindStringSubmatch(dumpsys)
	}
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	if n >= 90 {
		n /= 90
	}
	return n & 3, err == nil
}

// Since refuses what this Android has no command for.
func (p *Phone) Since(api int, what string) error {
	if p.Info.APILevel >= api {
		return nil
	}
	return fmt.Errorf("device %s: %w: %s by command needs API level %d, this is %d (Android %s)", p.Link.Serial,
		drivers.ErrUnsupported,
		what, api, p.Info.APILevel, p.Info.OSVersion)
}

// Ignored is the error of a change that the phone took without a word, and did not make.
func (p *Phone) Ignored(name string) error {
	return fmt.Errorf("device %s: %s: the phone takes the command and changes nothing: %s", p.Link.Serial, name,
		MakersSwitch(p.Info.Manufacturer))
}

var WindowFrame = lazyregexp.New(`\b(?:mFrame|frame)=\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]`)

func Rectangle(numbers []string) image.Rectangle {
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(numbers[i])
	}
	return image.Rect(n[0], n[1], n[2], n[3])
}

var AppName = lazyregexp.New(`^[A-Za-z]\w*(\.\w+)*(/[\w.$]+)?$`)

var VersionName = lazyregexp.New(`(?m)^\s+versionName=(\S[^\r\n]*)`)
