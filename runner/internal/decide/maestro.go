package decide

import "time"

// flow is what the frames have shown by the rules of Maestro.
type flow struct {
	frames  int       // so far
	resting string    // the digest of the last frame that could be read
	lookup  time.Time // when the current lookup of an element that must be gone started
}

// maestroView is a view by the rules of Maestro: the first of several elements is meant, what covers it plays no part,
// and a screen rests when two trees in a row are equal.
type maestroView struct{ *view }

func (v maestroView) decide() (Decision, error) {
	v.frames++
	switch v.want.Purpose {
	case Rest:
		return v.rest(), nil
	case Absent:
		return v.absent()
	}
	return v.see()
}

// picked reports whether the selector picks anything; on a screen that cannot be read, it does not.
func (v maestroView) picked() (bool, error) {
	if v.f.Failed != "" {
		return false, nil
	}
	a, err := v.ask(Question{Ask: AskMaestro})
	return a.Yes, err
}

// next waits until the next read.
func (v maestroView) next(pause time.Duration, why string) Decision {
	return Decision{Kind: Wait, Until: v.f.Now.Add(pause), Why: why}
}

// see waits for the first element that the selector picks, for at least one read.
func (v maestroView) see() (Decision, error) {
	picked, err := v.picked()
	switch {
	case err != nil:
		return Decision{}, err
	case picked:
		return Decision{Kind: Found}, nil
	case !v.over():
		return v.next(v.want.Timing.MaestroPause, "nothing matches"), nil
	case v.f.Failed != "":
		return Decision{}, &NotReadError{v.f.Failed}
	}
	return Decision{Kind: Fail}, nil
}

// absent waits until one lookup finds nothing. What cannot be read is not an absence.
func (v maestroView) absent() (Decision, error) {
	t := &v.want.Timing
	if v.lookup.IsZero() {
		v.lookup = v.want.Began
	}
	picked, err := v.picked()
	if err != nil {
		return Decision{}, err
	}
	looked := v.since(v.lookup) >= t.MaestroLookup
	switch {
	case !picked && !looked:
		return v.next(t.MaestroPause, "it may come"), nil
	case !picked && v.f.Failed == "":
		return Decision{Kind: Gone}, v.nothingOver()
	case !v.over():
		d := v.next(t.MaestroPause, "it is there")
		v.lookup = d.Until
		return d, nil
	case v.f.Failed != "":
		return Decision{}, &NotReadError{v.f.Failed}
	}
	return Decision{Kind: Fail}, nil
}

// rest waits until two trees in a row are equal; what is still moving at the end counts as well.
func (v maestroView) rest() Decision {
	t := &v.want.Timing
	before := v.resting
	if v.frames == 1 {
		before = v.want.Digest
	}
	if v.f.Failed == "" {
		v.resting = v.f.Digest
		if before == v.f.Digest && !v.f.Loading {
			return Decision{Kind: Found}
		}
	} else {
		v.resting = before
	}
	switch {
	case v.want.Endless && v.frames > t.MaestroTrees, !v.want.Endless && v.over():
		return Decision{Kind: Found}
	case v.want.Endless:
		return v.next(t.MaestroSettle, "the screen changes")
	}
	return v.next(0, "the screen changes")
}
