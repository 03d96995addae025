package vocabulary

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

// nameForm is the name of a pool, and the name and value of a label.
const nameForm = `[A-Za-z0-9][A-Za-z0-9._-]{0,62}`

// Need is what a test wants of its device.
type Need struct {
	OS    string `json:"os,omitempty" minLength:"1" format:"version"`
	Model string `json:"model,omitempty" minLength:"1" format:"modelGlob"`
	Size  string `json:"size,omitempty" minLength:"1" format:"screenSize"`
	// Pool and Labels are those of hosts: no device of this machine alone has any.
	Pool   string   `json:"pool,omitempty" minLength:"1" format:"pool"`
	Labels []string `json:"labels,omitempty" format:"deviceLabel"`
}

var (
	OsForm    = lazyregexp.New(`^(>=|<=|>|<|=|)\s*([0-9]+(?:\.[0-9]+){0,3})$`)
	PoolForm  = lazyregexp.New(`^` + nameForm + `$`)
	LabelForm = lazyregexp.New(`^` + nameForm + `=` + nameForm + `$`)
	NeedSize  = lazyregexp.New(`^(>=|)\s*([1-9][0-9]{1,4})x([1-9][0-9]{1,4})$`)
)

func (Need) rules() []Rule {
	return []Rule{atLeastOne("").says(`"device" has no condition`, "give os, model, size, pool or labels, or remove it")}
}

// IsPool reports whether a text can be the name of a pool.
func IsPool(text string) bool { return PoolForm.MatchString(text) }

// IsDeviceLabel reports whether a text can be the label of a device, NAME=VALUE.
func IsDeviceLabel(text string) bool { return LabelForm.MatchString(text) }

// Placed returns the pool and the labels that are wanted, and what else is.
func (n Need) Placed() (pool string, labels []string, rest Need) {
	pool, labels = n.Pool, n.Labels
	n.Pool, n.Labels = "", nil
	return pool, labels, n
}

// DeviceFacts are what a Need is compared with. What is not known of a device is "" or 0.
type DeviceFacts struct {
	OS, Manufacturer, Model string
	Width, Height           int
}

// Unmet returns what a device of this machine lacks; empty: nothing. Something that is not known of the device counts
// as lacking.
func (n Need) Unmet(f DeviceFacts) string {
	switch {
	case n.OS != "" && !n.fitsOS(f.OS):
		return fmt.Sprintf("os %s is wanted, and it has %s", n.OS, orUnknown(f.OS))
	case n.Model != "" && !n.fitsModel(f):
		return fmt.Sprintf("model %s is wanted, and it is %s", n.Model,
			orUnknown(strings.TrimSpace(f.Manufacturer+" "+f.Model)))
	case n.Size != "" && !n.fitsSize(f.Width, f.Height):
		return fmt.Sprintf("a screen of %s is wanted, and it has %dx%d", n.Size, f.Width, f.Height)
	case n.Pool != "":
		return fmt.Sprintf("pool %s is wanted, and only devices of a farm are in one (--hub)", n.Pool)
	case len(n.Labels) > 0:
		return fmt.Sprintf("label %s is wanted, and only devices of a farm have any (--hub)", n.Labels[0])
	}
	return ""
}

func orUnknown(s string) string {
	if s == "" {
		return "an unknown one"
	}
	return s
}

func (n Need) fitsOS(os string) bool {
	m := OsForm.FindStringSubmatch(n.OS)
	if m == nil || os == "" {
		return false
	}
	switch c := compareVersions(os, m[2]); m[1] {
	case ">=":
		return c >= 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case "<":
		return c < 0
	default:
		return c == 0
	}
}

// compareVersions compares as many parts as want has: 14.2 equals 14.
func compareVersions(have, want string) int {
	parts := strings.Split(have, ".")
	for i, w := range strings.Split(want, ".") {
		h := 0
		if i < len(parts) {
			h, _ = strconv.Atoi(strings.TrimFunc(parts[i], func(r rune) bool { return r < '0' || r > '9' }))
		}
		n, _ := strconv.Atoi(w)
		if h != n {
			return h - n
		}
	}
	return 0
}

// fitsModel compares with the model alone and with the maker before it: that is how people read it in the list of
// devices.
func (n Need) fitsModel(f DeviceFacts) bool {
	want := modelWords(n.Model)
	for _, name := range []string{f.Model, f.Manufacturer + " " + f.Model} {
		if ok, err := path.Match(want, modelWords(name)); f.Model != "" && err == nil && ok {
			return true
		}
	}
	return false
}

// modelWords folds what adb and makers write in different ways: case, and what is between words. What is in
// brackets of a pattern stays.
func modelWords(name string) string {
	var b strings.Builder
	bracket, gap := false, false
	for _, r := range strings.ToLower(strings.TrimSpace(name)) {
		if !bracket && (r == '_' || r == '-' || unicode.IsSpace(r)) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte(' ')
		}
		gap = false
		bracket = r == '[' || bracket && r != ']'
		b.WriteRune(r)
	}
	return b.String()
}

func (n Need) fitsSize(width, height int) bool {
	m := NeedSize.FindStringSubmatch(n.Size)
	if m == nil {
		return false
	}
	w, _ := source.Number(m[2])
	h, _ := source.Number(m[3])
	if width > height {
		width, height = height, width
	}
	if w > h {
		w, h = h, w
	}
	if m[1] == ">=" {
		return width >= w && height >= h
	}
	return width == w && height == h
}
