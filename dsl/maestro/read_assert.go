package maestro

import (
	"github.com/taproot-dev/taproot/dsl/source"
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
	for _, s := range []*Selector{a.Visible, a.NotVisible} {
		c.Optional = c.Optional || s != nil && s.Optional
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

func assertScreenshot(r *reader, f source.RawField, c *Command) Do {
	p, _ := r.text(f, c, "path", "thresholdPercentage cropOn")
	a := AssertScreenshot{Path: p, Threshold: "95", Crop: r.crop(f), Dir: r.dir()}
	if text := r.optionalText(f.Value, "thresholdPercentage"); text != nil {
		a.Threshold = *text
	}
	return a
}
