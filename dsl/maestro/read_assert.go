package maestro

import (
	"cmp"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

func assertTrue(r *reader, f source.RawField, c *Command) Do {
	text := r.typed(f, c, "condition", true)
	return Assert{Condition: Condition{True: &text}}
}

func extendedWait(r *reader, f source.RawField, c *Command) Do {
	var a Assert
	if !r.isMap(f) {
		return a
	}
	r.options(f, c, "visible notVisible timeout")
	if x, given := f.Value.Get("visible"); given && x.Value.Kind != source.Null {
		a.Visible = r.selector(x.Value, x.Key)
	}
	if x, given := f.Value.Get("notVisible"); given && x.Value.Kind != source.Null {
		a.NotVisible = r.selector(x.Value, x.Key)
	}
	if a.Visible == nil && a.NotVisible == nil {
		r.fail(f.Pos, len([]rune(f.Key)), `"extendedWaitUntil" needs visible or notVisible`, "")
	}
	if s := cmp.Or(a.Visible, a.NotVisible); s != nil { // the other one's optional means nothing
		c.Optional = c.Optional || s.Optional
	}
	a.Timeout = r.optionalText(f.Value, "timeout")
	return a
}

func (r *reader) ai(f source.RawField, c *Command, a AI, key string) Do {
	c.Optional = true
	switch {
	case key == "":
		if r.isMap(f) {
			r.options(f, c, "")
		}
	case key == "query":
		a.Output = "aiOutput"
		a.Text, _ = r.text(f, c, key, "outputVariable")
		if text := r.optionalText(f.Value, "outputVariable"); text != nil {
			a.Output = *text
		}
	default:
		a.Text, _ = r.text(f, c, key, "")
	}
	return a
}

func (r *reader) crop(f source.RawField) *Selector {
	if x, given := f.Value.Get("cropOn"); given && x.Value.Kind != source.Null {
		return r.selector(x.Value, x.Key)
	}
	return nil
}

func takeScreenshot(r *reader, f source.RawField, c *Command) Do {
	p, _ := r.text(f, c, "path", "cropOn")
	return Screenshot{p, r.crop(f)}
}

var pictureEnding = lazyregexp.New(`(?i)\.(png|jpe?g|gif|bmp|tiff|wbmp|hei[cf])$`)

// PictureFile is the file that assertScreenshot means by a path.
func PictureFile(name string) string {
	if pictureEnding.MatchString(name) {
		return name
	}
	return name + ".png"
}

func assertScreenshot(r *reader, f source.RawField, c *Command) Do {
	p, _ := r.text(f, c, "path", "thresholdPercentage cropOn")
	a := AssertScreenshot{Path: p, Threshold: "95", Crop: r.crop(f), Dir: r.dir()}
	if beside := r.resolve(PictureFile(p)); p != "" && !strings.Contains(p, "${") && r.files.Has(beside) {
		a.Beside = beside
	}
	if text := r.optionalText(f.Value, "thresholdPercentage"); text != nil {
		a.Threshold = *text
	}
	return a
}
