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
	At       *Point `json:"at,omitempty" tool:"-" doc:"Where in the element, from its upper left corner: \"10,20\" in pixels or \"25%,75%\" of its size. Default: where it can be reached, its middle first."`
	Count    int    `json:"count,omitempty" minimum:"1" maximum:"10" default:"1" doc:"How often, one tap after the other at the same place."`
	// Of a mouse alone.
	Button    string   `json:"button,omitempty" enum:"left,right,middle" platforms:"web" tool:"-" doc:"Which button of the mouse. Default: left."`
	Modifiers []string `json:"modifiers,omitempty" minLength:"1" format:"modifier" platforms:"web" tool:"-" example:"modifiers: [Shift]" doc:"Keys that are held meanwhile: Control, Shift, Alt, Meta."`
}

// DoubleTap is the argument of doubleTap.
type DoubleTap struct {
	Selector `takes:"point,describe"`
	At       *Point `json:"at,omitempty" doc:"Where in the element, from its upper left corner: \"10,20\" in pixels or \"25%,75%\" of its size. Default: where it can be reached, its middle first."`
}

// LongPress is the argument of longPress.
type LongPress struct {
	Selector   `takes:"point,describe"`
	At         *Point `json:"at,omitempty" tool:"-" doc:"Where in the element, from its upper left corner: \"10,20\" in pixels or \"25%,75%\" of its size. Default: where it can be reached, its middle first."`
	DurationMs int    `json:"durationMs,omitempty" minimum:"100" maximum:"60000" default:"800" doc:"How long the finger stays down, in milliseconds."`
}

func (Tap) rules() []rule       { return []rule{placeInElement()} }
func (DoubleTap) rules() []rule { return []rule{placeInElement()} }
func (LongPress) rules() []rule { return []rule{placeInElement()} }

// placeInElement wants an element for a place in one.
func placeInElement() rule {
	return cannotStand("at", "point").says("",
		"at is a place in an element, point one on the screen: remove one of the two")
}

// Swipe is the argument of swipe: a direction, or two places.
type Swipe struct {
	Direction  Direction `json:"direction,omitempty" scalar:"true" enum:"up,down,left,right" doc:"Where the finger moves to: up brings what is below into view."`
	From       *Point    `json:"from,omitempty" doc:"Where the finger goes down: \"120,340\" in pixels or \"50%,80%\" of the screen."`
	To         *Point    `json:"to,omitempty" doc:"Where the finger is lifted."`
	Inside     *Selector `json:"inside,omitempty" doc:"With a direction: swipes over that element instead of the whole screen."`
	DurationMs int       `json:"durationMs,omitempty" minimum:"50" maximum:"60000" default:"400" doc:"How long the movement takes, in milliseconds."`
}

func (Swipe) rules() []rule {
	const both = `for example: {from: "50%,80%", to: "50%,20%"}`
	return []rule{
		exactlyOne("direction from"),
		belongs("from", "to").says(`"from" needs "to"`, both),
		belongs("to", "from").says(`"to" needs "from"`, both),
		cannotStand("inside", "from").says("", "places are of the whole screen; give a direction, or remove inside"),
	}
}

// Scroll is the argument of scroll.
type Scroll struct {
	Direction Direction `json:"direction,omitempty" scalar:"true" enum:"up,down,left,right" default:"down" doc:"Where the hidden part lies: down shows what is below."`
	Inside    *Selector `json:"inside,omitempty" doc:"Scrolls that element instead of the whole screen."`
	Amount    int       `json:"amount,omitempty" minimum:"5" maximum:"95" default:"60" doc:"How far, in per cent of the area."`
}

// ScrollTo is the argument of scrollTo.
type ScrollTo struct {
	Selector
	Direction Direction `json:"direction,omitempty" enum:"up,down,left,right" default:"down" doc:"Where the element lies: down looks below. A page that is given none looks above as well, once the end is reached."`
	In        *Selector `json:"in,omitempty" doc:"The element that is scrolled; else the one that inside names, or that fills most of the screen, then the others."`
	Limit     int       `json:"limit,omitempty" minimum:"1" maximum:"200" doc:"How many movements at most. Default: as many as the time allows, 30 seconds unless timeoutMs says otherwise."`
	// The movements of Maestro: a finger from the middle to the edge of the screen.
	DurationMs int  `json:"durationMs,omitempty" minimum:"1" maximum:"60000" default:"601" tool:"-" doc:"With match: maestro, how long one movement takes, in milliseconds."`
	Percent    *int `json:"percent,omitempty" minimum:"0" maximum:"100" default:"100" tool:"-" doc:"With match: maestro, how much of the element must be on the screen, in per cent."`
	Center     bool `json:"center,omitempty" tool:"-" doc:"With match: maestro, moves on until the element is near the middle of the screen."`
}

func (ScrollTo) rules() []rule {
	const how = "add match: maestro"
	return []rule{belongs("durationMs percent center", "match=maestro").says("", how),
		cannotStand("limit in", "match=maestro").says("", "the whole screen is moved until the time is over")}
}

// Target is an element or a place: a Selector that may be a point.
type Target struct {
	Selector `takes:"point"`
}

// Drag is the argument of drag.
type Drag struct {
	From       Target  `json:"from" required:"true" doc:"What is dragged: an element, or {point: \"120,340\"}."`
	To         *Target `json:"to,omitempty" doc:"Where it is dropped: an element, or a point."`
	By         *Offset `json:"by,omitempty" doc:"How far it is dragged, to the right and down: \"120,-40\" in pixels."`
	DurationMs int     `json:"durationMs,omitempty" minimum:"100" maximum:"60000" default:"1000" doc:"How long the movement takes, in milliseconds."`
}

func (Drag) rules() []rule { return []rule{exactlyOne("to by")} }

// Pinch is the argument of pinch: two fingers on an element, or on the screen.
type Pinch struct {
	Direction  string    `json:"direction" required:"true" scalar:"true" enum:"open,close" doc:"open: the fingers move apart, which enlarges; close: they move together."`
	Inside     *Selector `json:"inside,omitempty" doc:"The element on which the fingers are; without it the whole screen."`
	Percent    int       `json:"percent,omitempty" minimum:"10" maximum:"90" default:"60" doc:"How far apart the fingers are at the widest, in per cent of the area's shorter side."`
	DurationMs int       `json:"durationMs,omitempty" minimum:"100" maximum:"60000" default:"500" doc:"How long the movement takes, in milliseconds."`
}

// HideKeyboard is the argument of hideKeyboard.
type HideKeyboard struct{}

func (l LongPress) cost(_ costing, _ *Step, limit time.Duration) Cost {
	return Cost{Time: limit + time.Duration(l.DurationMs)*time.Millisecond}
}
