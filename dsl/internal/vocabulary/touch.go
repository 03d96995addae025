package vocabulary

import (
	"time"
)

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
	Times    int    `json:"times,omitempty" spelling:"count" minimum:"1" maximum:"10" default:"1"`
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
	DurationMs int    `json:"duration,omitempty" spelling:"durationMs" format:"duration" minimum:"100" maximum:"60000" default:"800"`
}

func (Tap) rules() []Rule { return []Rule{placeInElement()} }

func (DoubleTap) rules() []Rule { return []Rule{placeInElement()} }

func (LongPress) rules() []Rule { return []Rule{placeInElement()} }

// placeInElement wants an element for a place in one.
func placeInElement() Rule {
	return exclude("at", "point").says("",
		"at is a place in an element, point one on the screen: remove one of the two")
}

// Swipe is the argument of swipe: a direction, or two places.
type Swipe struct {
	Direction  Direction `json:"direction,omitempty" scalar:"true" enum:"up,down,left,right"`
	From       *Point    `json:"from,omitempty"`
	To         *Point    `json:"to,omitempty"`
	Inside     *Selector `json:"inside,omitempty"`
	DurationMs int       `json:"duration,omitempty" spelling:"durationMs" format:"duration" minimum:"50" maximum:"60000" default:"400"`
}

func (Swipe) rules() []Rule {
	const both = `for example: {from: "50%,80%", to: "50%,20%"}`
	return []Rule{
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
	Selector  `spelling:"inside=in"`
	Direction Direction `json:"direction,omitempty" enum:"up,down,left,right" default:"down"`
	Limit     int       `json:"limit,omitempty" minimum:"1" maximum:"200"`
	// The movements of Maestro: a finger from the middle to the edge of the screen.
	DurationMs int  `json:"duration,omitempty" spelling:"durationMs" format:"duration" minimum:"1" maximum:"60000" default:"601" tool:"-"`
	Percent    *int `json:"percent,omitempty" minimum:"0" maximum:"100" default:"100" tool:"-"`
	Center     bool `json:"center,omitempty" tool:"-"`
}

func (ScrollTo) rules() []Rule {
	const how = "add match: maestro"
	return []Rule{belongs("duration percent center", "match=maestro").says("", how),
		exclude("limit inside", "match=maestro").says("", "the whole screen is moved until the time ends")}
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
	DurationMs int     `json:"duration,omitempty" spelling:"durationMs" format:"duration" minimum:"100" maximum:"60000" default:"1000"`
}

func (Drag) rules() []Rule { return []Rule{exactlyOne("to by")} }

// Pinch is the argument of pinch: two fingers on an element, or on the screen.
type Pinch struct {
	Direction  string    `json:"direction" required:"true" scalar:"true" enum:"open,close"`
	Inside     *Selector `json:"inside,omitempty"`
	Percent    int       `json:"percent,omitempty" minimum:"10" maximum:"90" default:"60"`
	DurationMs int       `json:"duration,omitempty" spelling:"durationMs" format:"duration" minimum:"100" maximum:"60000" default:"500"`
}

// HideKeyboard is the argument of hideKeyboard.
type HideKeyboard struct{}

func (l LongPress) cost(_ func(Steps) Cost, limit time.Duration) Cost {
	return Cost{Time: limit + time.Duration(l.DurationMs)*time.Millisecond}
}

// touchActions returns every action that touches the screen.
func touchActions() []Def {
	return []Def{
		{
			Name: "tap", Tier: Core, Args: Tap{},
			Doc:       "Waits for an element that has stopped moving, and taps it once.",
			Example:   "tap: Sign in",
			Platforms: everywhere, Interfaces: AllInterfaces, Effect: Acts, ReadsFirst: true,
		},
		{
			Name: "doubleTap", Args: DoubleTap{},
			Doc:       "Waits for an element and taps it twice in quick succession.",
			Example:   "doubleTap: Photo",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Acts, ReadsFirst: true,
		},
		{
			Name: "longPress", Args: LongPress{},
			Doc:       "Waits for an element and holds it down.",
			Example:   "longPress: {label: Message, duration: 1.2s}",
			Platforms: everywhere, Interfaces: AllInterfaces, Effect: Acts, ReadsFirst: true,
		},
		{
			Name: "swipe", Tier: Core, Args: Swipe{},
			Doc: "Moves a finger over the screen, in a direction or from one place to another. On a page with " +
				"a mouse it performs the drag or the touch that the page listens to; where it listens to neither, " +
				"the step fails: use scroll.",
			Example:   "swipe: up",
			Platforms: everywhere, Interfaces: AllInterfaces, Effect: Acts,
		},
		{
			Name: "scroll", Args: Scroll{},
			Doc:       "Scrolls once, so that the content in that direction comes into view.",
			Example:   "scroll: down",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "scrollTo", Tier: Core, Args: ScrollTo{},
			Doc: "Scrolls until an element is on the screen, in steps that overlap. Fails when it reaches the " +
				"end without it, and lists the rows that it saw.",
			Example:   "scrollTo: {label: Delete account, direction: down}",
			Platforms: everywhere, Interfaces: AllInterfaces, Effect: Sets, ReadsFirst: true,
		},
		{
			Name: "drag", Args: Drag{},
			Doc:       "Drags an element or a place, and drops it on another.",
			Example:   "drag: {from: Milk, to: {id: cart}}",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Acts, ReadsFirst: true,
		},
		{
			Name: "pinch", Args: Pinch{},
			Doc:       "Moves two fingers apart, or together.",
			Example:   "pinch: {direction: open, inside: {id: map}}",
			Platforms: phones, Interfaces: YAML | REST, Effect: Acts,
		},
	}
}
