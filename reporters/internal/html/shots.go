package html

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strconv"

	"github.com/taproot-dev/taproot/internal/result/event"
)

const (
	maxPreviews     = 200     // of one page
	maxPreviewBytes = 3 << 20 // of all of them
	maxDiffs        = 6       // steps that are compared with the last run that passed: the problem's and those before it
)

// screenshots measures the screenshots, and makes previews of as many as a page can hold: those around the problem
// first.
func (b *builder) screenshots() {
	if b.root == nil {
		return
	}
	b.comparedPreviews()
	all, made, bytes := 0, 0, 0
	for _, s := range b.out.Steps {
		all += len(s.allShots())
	}
	var list []previewRequest
	for _, s := range b.nearestFirst() {
		for _, shot := range s.allShots() {
			list = append(list, previewRequest{shot, b.sideOf(s.N)})
		}
	}
	for len(list) > 0 && made < maxPreviews && bytes <= maxPreviewBytes {
		next := list[:min(len(list), runtime.GOMAXPROCS(0))] // one per core
		list = list[len(next):]
		for i, p := range b.previews(next) {
			if made < maxPreviews && bytes <= maxPreviewBytes && p.fill(next[i].shot) {
				made++
				bytes += len(p.small)
			}
		}
	}
	if made < all {
		b.remark(all, made)
	}
	for _, s := range b.out.Steps {
		for _, shot := range s.allShots() {
			if shot.Small == "" && shot.Missing == "" {
				b.measure(shot)
			}
		}
	}
	b.compare()
}

func (b *builder) remark(all, made int) {
	missing := 0
	for _, s := range b.out.Steps {
		for _, shot := range s.allShots() {
			if shot.Missing != "" {
				missing++
			}
		}
	}
	if missing > 0 {
		b.out.Remarks = append(b.out.Remarks, fmt.Sprintf("%d of %d screenshots cannot be read.", missing, all))
	}
	if made+missing < all {
		b.out.Remarks = append(b.out.Remarks,
			fmt.Sprintf(
				"Previews of %d of %d screenshots are in this page; the others are loaded from the pack when their step is "+
					"selected.", made, all))
	}
}

// nearestFirst returns the steps in the order of their distance from the problem.
func (b *builder) nearestFirst() []*stepData {
	at := max(0, slices.IndexFunc(b.out.Steps, func(s *stepData) bool { return s.N == b.res.ProblemStep }))
	list := slices.Clone(b.out.Steps)
	order := make(map[*stepData]int, len(list))
	for i, s := range b.out.Steps {
		order[s] = max(i-at, at-i)
	}
	slices.SortStableFunc(list, func(x, y *stepData) int { return order[x] - order[y] })
	return list
}

// sideOf is the longest side of the previews of a step.
func (b *builder) sideOf(step int) int {
	if near := b.res.ProblemStep - step; near == 0 || near == 1 {
		return largeSide
	}
	return smallSide
}

// preview reports whether the screenshot now has a preview.
func (b *builder) preview(shot *shotData, step int) bool {
	return b.previewOf(previewRequest{shot, b.sideOf(step)}).fill(shot)
}

func (b *builder) measure(shot *shotData) {
	size, err := measure(b.root, shot.path)
	if err != nil || size.X < 1 || size.Y < 1 {
		shot.Missing = shown(fmt.Sprintf("%s cannot be read: %v", path.Base(shot.path), err), maxLabel)
		return
	}
	shot.W, shot.H = size.X, size.Y
}

// compare adds the screenshots of the last run that passed to those of this run, and computes the differences.
func (b *builder) compare() {
	if b.green == nil {
		return
	}
	same := sameSteps(b.res, b.in.Green.CaseResult)
	diffs := 0
	for i := len(b.out.Steps) - 1; i >= 0; i-- {
		s := b.out.Steps[i]
		g := same[s.N]
		if len(s.Shots) == 0 || g == nil {
			continue
		}
		pic, ok := lastShot(g)
		if !ok {
			continue
		}
		s.Green = &shotData{Src: b.in.Green.Link + link(pic.Path)[len("./"):], path: pic.Path}
		if s.N > b.res.ProblemStep && b.res.ProblemStep > 0 || diffs >= maxDiffs {
			b.measureGreen(s)
			continue
		}
		diffs++
		b.differ(s)
	}
}

func (b *builder) measureGreen(s *stepData) {
	size, err := measure(b.green, s.Green.path)
	if err != nil {
		s.Green = nil
		return
	}
	s.Green.W, s.Green.H = size.X, size.Y
	s.NoDiff = fmt.Sprintf("differences are computed for the problem's step and the %d before it", maxDiffs-1)
}

func (b *builder) differ(s *stepData) {
	then, err := decode(b.green, s.Green.path)
	if err != nil {
		s.Green, s.NoDiff = nil, shown("the screenshot of the last run that passed cannot be read: "+err.Error(), maxLabel)
		return
	}
	s.Green.W, s.Green.H = then.Bounds().Dx(), then.Bounds().Dy()
	if s.Green.Small, err = preview(then, largeSide); err != nil {
		s.Green = nil
		return
	}
	now, err := decode(b.root, mainShot(s.Shots).path)
	if err != nil {
		s.NoDiff = shown(err.Error(), maxLabel)
		return
	}
	d, err := compare(then, now)
	if err != nil {
		s.NoDiff = err.Error()
		return
	}
	s.Diff = &d
}

// mainShot is the screenshot of a step to compare: that of its failure, otherwise the last.
func mainShot(shots []*shotData) *shotData {
	if i := slices.IndexFunc(shots, func(s *shotData) bool { return s.Failure }); i >= 0 {
		return shots[i]
	}
	return shots[len(shots)-1]
}

func lastShot(s *event.StepResult) (found event.Attachment, ok bool) {
	for _, a := range s.Attachments {
		if a.Kind == event.KindScreenshot {
			found, ok = a, true
		}
	}
	return found, ok
}

// sameSteps finds for each step of res the step of another run that does the same: with the same action, in order.
func sameSteps(res, other *event.CaseResult) map[int]*event.StepResult {
	type key struct{ action, args, name string }
	byKey := map[key][]*event.StepResult{}
	for i := range other.Steps {
		s := &other.Steps[i]
		k := key{s.Action, s.Args, s.Name}
		byKey[k] = append(byKey[k], s)
	}
	same := map[int]*event.StepResult{}
	for _, s := range res.Steps {
		k := key{s.Action, s.Args, s.Name}
		if list := byKey[k]; len(list) > 0 {
			same[s.N], byKey[k] = list[0], list[1:]
		}
	}
	return same
}

// boxOf reads the bounds at the end of a candidate: [left,top][right,bottom].
func boxOf(candidate string) []int {
	all := boundsInText.FindAllString(candidate, -1)
	if len(all) == 0 {
		return nil
	}
	var box []int
	for _, number := range numbersOfBounds.FindAllString(all[len(all)-1], -1) {
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil
		}
		box = append(box, n)
	}
	return box
}
