package decide

import (
	"fmt"
	"image"
	"slices"

	"github.com/taproot-dev/taproot/dsl"
)

const (
	// wheelPart is how much of a box one movement crosses: the rest overlaps what was seen before. fingerPart takes its
	// place where a finger moves it.
	wheelPart  = 0.8
	fingerPart = 0.6
	leastPart  = 0.1
	mostPart   = 4    // of a box on a page that scrolls less than the mouse wheel is turned
	smaller    = 0.75 // is a movement after one that skipped rows: they may be few and tall
)

// Scrolling decides which movement comes next in a search by scrolling. It neither reads nor moves anything.
//
// The box is moved in steps that overlap, so that each row of a virtual list, which exists only while it is near the
// view, is in at least one read. Each read's rows are compared with those before: if none is the same, the step went
// too far, so the search goes back and takes smaller steps. At the end of the content it turns once, when it did not
// start at the edge and the test does not say where the element is, and continues with the next box of the screen.
type Scrolling struct {
	// Way is the direction in which content comes into view.
	Way image.Point
	// Part is how much of a box the next movement crosses.
	Part float64
	// Moves are the movements that were made; Limit is the most of them, 0: any number.
	Moves, Limit int
	// Box is which box is scrolled, the largest is 0; Boxes is how many there are.
	Box, Boxes int
	// First and Last are the outermost rows that were seen, "" before there were any.
	First, Last string

	direction dsl.Direction
	rows      []string // that the box showed in the newest read
	anchor    []string // the rows before a movement that went too far: it is gone back to them
	jumps     int      // movements that skipped rows
	unknown   bool     // how far a movement goes: the page scrolls in its own way
	begun     bool     // the box was not at its start when the search started
	turned    bool
	back      bool // the newest read has no row in common with the one before
}

// NewScrolling returns the state before the first movement. With wheel, the device scrolls a box by a distance; else a
// finger does.
func NewScrolling(direction dsl.Direction, limit int, wheel bool) Scrolling {
	s := Scrolling{Way: WayOf(direction), direction: direction, Limit: limit, Part: fingerPart}
	if wheel {
		s.Part = wheelPart
	}
	return s
}

// WayOf is a direction as a vector; without one it is down.
func WayOf(d dsl.Direction) image.Point {
	switch d {
	case dsl.Up:
		return image.Pt(0, -1)
	case dsl.Left:
		return image.Pt(-1, 0)
	case dsl.Right:
		return image.Pt(1, 0)
	}
	return image.Pt(0, 1)
}

// See takes the rows that the box shows now, in the order in which they are read. None says that they are still drawn:
// what comes next is compared with those before.
func (s *Scrolling) See(rows []string) {
	before := s.rows
	if len(rows) > 0 {
		s.rows = rows
		if s.First == "" {
			s.First = rows[0]
		}
		s.Last = rows[len(rows)-1]
		if s.turned || s.Way.X+s.Way.Y < 0 {
			s.Last = rows[0]
		}
	}
	s.back = s.skipped(before)
}

// skipped reports whether to go back, because rows between the last two reads were not seen; the steps are smaller
// then.
func (s *Scrolling) skipped(before []string) bool {
	if s.Moves == 0 || len(s.rows) == 0 {
		return false
	}
	if s.anchor == nil && s.Part > leastPart && apart(before, s.rows) {
		s.anchor = before
		s.Part *= smaller
		if s.jumps++; s.jumps > 1 {
			s.Part /= 2 // the content moves further than its box
		}
	}
	if s.anchor != nil && !apart(s.anchor, s.rows) {
		s.anchor = nil
	}
	if share := newShare(before, s.rows); s.unknown && s.jumps == 0 && share > 0 && share < fingerPart {
		s.Part = min(s.Part*min(2, wheelPart/share), mostPart)
	}
	return s.anchor != nil
}

// Next returns where the next movement goes. End is why there is none, "": there is one. Freed says that what is sought
// is under a bar at the top, from where the way back frees it.
func (s *Scrolling) Next(freed bool) (way image.Point, back bool, end string) {
	if s.Limit > 0 && s.Moves >= s.Limit {
		return image.Point{}, false, fmt.Sprintf("%d movements were not enough", s.Moves)
	}
	if back = s.back || freed && s.Way.Y > 0; back {
		return image.Pt(-s.Way.X, -s.Way.Y), true, ""
	}
	return s.Way, false, ""
}

// Returning reports whether rows were skipped, and the search is on its way back to them.
func (s *Scrolling) Returning() bool { return s.anchor != nil }

// Moved is what a movement did.
type Moved struct {
	// Followed are the movements that the device made by itself, of which no rows were read.
	Followed int
	// Started says that this was the first movement and the box was not at its start.
	Started bool
	// Unknown says that the page scrolls in its own way, so how far it went is not known.
	Unknown bool
}

// Moved takes what the movement did for which Next was asked.
func (s *Scrolling) Moved(m Moved) {
	s.Moves++
	if m.Followed > 0 { // the rows before are far away
		s.rows, s.Moves = nil, s.Moves+m.Followed-1
	}
	s.begun, s.unknown = s.begun || m.Started, m.Unknown
}

// AtEnd takes that the content of the box has ended, and reports whether there is another way to go: the other
// direction, or the next box.
func (s *Scrolling) AtEnd() bool {
	switch {
	case !s.turned && s.begun && s.direction == "":
		s.turned, s.begun, s.Moves = true, false, 0
		s.Way = image.Pt(-s.Way.X, -s.Way.Y)
	case s.Box+1 < s.Boxes:
		s.Box++
		s.rows, s.anchor, s.turned = nil, nil, false
		s.Way = WayOf(s.direction)
	default:
		return false
	}
	return true
}

// newShare is the part of the rows that were not there before.
func newShare(before, now []string) float64 {
	n := 0
	for _, row := range now {
		if !slices.Contains(before, row) {
			n++
		}
	}
	return float64(n) / float64(max(len(now), 1))
}

// apart reports whether two reads of a list have no row in common: what was between them was not seen.
func apart(before, now []string) bool {
	return len(before) > 1 && len(now) > 1 &&
		!slices.ContainsFunc(now, func(row string) bool { return slices.Contains(before, row) })
}
