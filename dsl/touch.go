package dsl

import "time"

// Direction is up, down, left or right.
type Direction string

// The directions.
const (
	Up    Direction = "up"
	Down  Direction = "down"
	Left  Direction = "left"
	Right Direction = "right"
)

// Tap is the argument of tap.
type Tap struct {
	Selector `takes:"point,describe"`
	At       *Point `json:"at,omitempty" tool:"-"`
	Count    int    `json:"count,omitempty" minimum:"1" maximum:"10" default:"1"`
	// Of a mouse alone.
	Button    string   `json:"button,omitempty" enum:"left,right,middle" platforms:"web" tool:"-"`
	Modifiers []string `json:"modifiers,omitempty" minLength:"1" format:"modifier" platforms:"web" tool:"-"`
}

// DoubleTap is the argument of doubleTap.
type DoubleTap struct {
	Selector `takes:"point,describe"`
	At       *Point `json:"at,omitempty"`
}

// LongPress is the argument of longPress.
type LongPress struct {
	Selector   `takes:"point,describe"`
	At         *Point `json:"at,omitempty" tool:"-"`
	DurationMs int    `json:"durationMs,omitempty" minimum:"100" maximum:"60000" default:"800"`
}

func (Tap) rules() []rule       { return []rule{placeInElement()} }
func (DoubleTap) rules() []rule { return []rule{placeInElement()} }
func (LongPress) rules() []rule { return []rule{placeInElement()} }

// placeInElement wants an element for a place in one.
func placeInElement() rule {
	return exclude("at", "point").says("",
		"at is a place in an element, point one on the screen: remove one of the two")
}

// Swipe is the argument of swipe: a direction, or two places.
type Swipe struct {
	Direction  Direction `json:"direction,omitempty" scalar:"true" enum:"up,down,left,right"`
	From       *Point    `json:"from,omitempty"`
	To         *Point    `json:"to,omitempty"`
	Inside     *Selector `json:"inside,omitempty"`
	DurationMs int       `json:"durationMs,omitempty" minimum:"50" maximum:"60000" default:"400"`
}

func (Swipe) rules() []rule {
	const both = `for example: {from: "50%,80%", to: "50%,20%"}`
	return []rule{
		exactlyOne("direction from"),
		belongs("from", "to").says(`"from" needs "to"`, both),
		belongs("to", "from").says(`"to" needs "from"`, both),
		exclude("inside", "from").says("", "places are of the whole screen; give a direction, or remove inside"),
	}
}

// Scroll is the argument of scroll.
type Scroll struct {
	Direction Direction `json:"direction,omitempty" scalar:"true" enum:"up,down,left,right" default:"down"`
	Inside    *Selector `json:"inside,omitempty"`
	Amount    int       `json:"amount,omitempty" minimum:"5" maximum:"95" default:"60"`
}

// ScrollTo is the argument of scrollTo.
type ScrollTo struct {
	Selector
	Direction Direction `json:"direction,omitempty" enum:"up,down,left,right" default:"down"`
	In        *Selector `json:"in,omitempty"`
	Limit     int       `json:"limit,omitempty" minimum:"1" maximum:"200"`
	// The movements of Maestro: a finger from the middle to the edge of the screen.
	DurationMs int  `json:"durationMs,omitempty" minimum:"1" maximum:"60000" default:"601" tool:"-"`
	Percent    *int `json:"percent,omitempty" minimum:"0" maximum:"100" default:"100" tool:"-"`
	Center     bool `json:"center,omitempty" tool:"-"`
}

func (ScrollTo) rules() []rule {
	const how = "add match: maestro"
	return []rule{belongs("durationMs percent center", "match=maestro").says("", how),
		exclude("limit in", "match=maestro").says("", "the whole screen is moved until the time ends")}
}

// Target is an element or a place: a Selector that may be a point.
type Target struct {
	Selector `takes:"point"`
}

// Drag is the argument of drag.
type Drag struct {
	From       Target  `json:"from" required:"true"`
	To         *Target `json:"to,omitempty"`
	By         *Offset `json:"by,omitempty"`
	DurationMs int     `json:"durationMs,omitempty" minimum:"100" maximum:"60000" default:"1000"`
}

func (Drag) rules() []rule { return []rule{exactlyOne("to by")} }

// Pinch is the argument of pinch: two fingers on an element, or on the screen.
type Pinch struct {
	Direction  string    `json:"direction" required:"true" scalar:"true" enum:"open,close"`
	Inside     *Selector `json:"inside,omitempty"`
	Percent    int       `json:"percent,omitempty" minimum:"10" maximum:"90" default:"60"`
	DurationMs int       `json:"durationMs,omitempty" minimum:"100" maximum:"60000" default:"500"`
}

// HideKeyboard is the argument of hideKeyboard.
type HideKeyboard struct{}

func (l LongPress) cost(_ costing, _ *Step, limit time.Duration) Cost {
	return Cost{Time: limit + time.Duration(l.DurationMs)*time.Millisecond}
}
