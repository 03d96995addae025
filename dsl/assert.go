package dsl

// Assert is the argument of assert.
type Assert struct {
	Selector
}

func (a Assert) check(d *decoding, v Value, o object) {
	if point, given := v.Get("point"); given {
		d.fail(point.Pos, len("point"), `"assert" needs an element, not a point`, "give its label or id")
		return
	}
	a.Selector.check(d, v, o)
}
