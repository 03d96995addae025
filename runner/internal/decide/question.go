package decide

import (
	"encoding/json"
	"image"
)

// Ask is the kind of a Question.
type Ask string

// The kinds of questions, and what their answers hold.
const (
	// AskShot: take a screenshot after the tree. The frame holds it: Last, Protected, Still; or ShotFailed.
	AskShot Ask = "shot"
	// AskPixels is AskShot for a search that can do without: what cannot be had ends the comparing (NoPixels).
	AskPixels Ask = "pixels"
	// AskParts: read the tree again, with the places of the parts of texts that the selectors name.
	AskParts Ask = "parts"
	// AskChanged: what differs between screenshots A and B within Area? Box: the smallest rectangle around it.
	AskChanged Ask = "changed"
	// AskSame: have A and B the very same pixels in Area? Yes.
	AskSame Ask = "same"
	// AskMotion: what became of Area between A and B? Motion.
	AskMotion Ask = "motion"
	// AskBlank: has Area of A no edge at all, in whatever colour? Yes.
	AskBlank Ask = "blank"
	// AskSmooth: is nothing drawn in Area of A but a plain colour or a gradient? Yes.
	AskSmooth Ask = "smooth"
	// AskDark: is A black all over, as screenshots are that show nothing of a screen? Yes.
	AskDark Ask = "dark"
	// AskInk: is anything drawn in Area of A, outside of what Without lists? Yes. With Text: characters.
	AskInk Ask = "ink"
	// AskLine: does an edge run along all of Area of A, which is two pixels wide, or two high? Yes.
	AskLine Ask = "line"
	// AskReadable: can Text be read in Area of A? Yes, and where: Box; Unknown where there is no OCR.
	AskReadable Ask = "readable"
	// AskKeyboard: where is the on-screen keyboard, which is in no tree? Box; Unknown where the device does not say.
	AskKeyboard Ask = "keyboard"
	// AskObstacle: is something over the app, so that its screen cannot be judged? An error ends the step if there is.
	AskObstacle Ask = "obstacle"
	// AskExact: does the device itself check that a touch meets the Node, wherever that is by then? Yes.
	AskExact Ask = "exact"
	// AskPicked: which elements does the CSS or XPath in Text pick? Nodes, in document order. Text starts with css= or
	// xpath=.
	AskPicked Ask = "picked"
	// AskSeen: where do the pixels show what the selector requires? Seen.
	AskSeen Ask = "seen"
	// AskBrief: the same of the screenshots around the tree, for texts that are shown for two seconds. Seen.
	AskBrief Ask = "brief"
	// AskMaestro: does the selector pick anything by the rules of Maestro? Yes. Their finder is in another package.
	AskMaestro Ask = "maestro"
	// AskWithin: which elements has the selector's "inside" meant before? Nodes. It is asked of no device: a search that
	// scrolls knows it.
	AskWithin Ask = "within"
	// AskUnchanged: are the pixels around Area those in which it was seen? Yes.
	AskUnchanged Ask = "unchanged"
)

// Question is what a decision needs to know of a frame in addition.
type Question struct {
	Ask     Ask             `json:"ask"`
	A       int             `json:"a,omitempty"` // ids of screenshots
	B       int             `json:"b,omitempty"`
	Area    image.Rectangle `json:"area,omitzero"`
	Node    int             `json:"node,omitempty"` // in document order
	Text    string          `json:"text,omitempty"`
	Without []Exclusion     `json:"without,omitempty"`
}

// Exclusion is a box that does not count: all of it, its edges with its corners, or its corners alone.
type Exclusion struct {
	Box  image.Rectangle `json:"box"`
	Part string          `json:"part"` // all, edges, corners
}

// Parts of an Exclusion.
const (
	AllOf     = "all"
	EdgesOf   = "edges"
	CornersOf = "corners"
)

// Key identifies a question within a frame.
func (q Question) Key() string {
	data, err := json.Marshal(q)
	if err != nil {
		return string(q.Ask) // plain values: it cannot fail
	}
	return string(data)
}

// Answer is the answer to a Question.
type Answer struct {
	Yes     bool            `json:"yes,omitempty"`
	Unknown bool            `json:"unknown,omitempty"`
	Box     image.Rectangle `json:"box,omitzero"`
	Motion  Motion          `json:"motion,omitempty"`
	Nodes   []int           `json:"nodes,omitempty"`
	Seen    *Seen           `json:"seen,omitempty"`
}

// Motion is what became of a part of the screen between two screenshots.
type Motion int

// The motions.
const (
	Rests     Motion = iota // nothing in it differs
	Within                  // it is where it was, and something inside it changes: a spinner, a caret
	Elsewhere               // what it showed is found in another place
	Unlike                  // it shows something else, and its new place is unknown
)

// Seen is what vision saw in one screenshot.
type Seen struct {
	How  string     `json:"how"` // ocr, image, model
	Hits []Sighting `json:"hits"`
	// Hidden says why the screenshot shows nothing of the screen, "" when it shows it.
	Hidden string `json:"hidden,omitempty"`
	// Read is what was read, for the message of a failure.
	Read *Reading `json:"read,omitempty"`
}

// Sighting is where something is seen in the pixels.
type Sighting struct {
	Text   string          `json:"text,omitempty"`
	Bounds image.Rectangle `json:"bounds"`
	Score  float64         `json:"score"` // 1 is the same
	Whole  bool            `json:"whole,omitempty"`
}

// Reading is what was read in the pixels, in words.
type Reading struct {
	Nearest []string `json:"nearest,omitempty"` // what is most like the text
	Shown   string   `json:"shown"`
}

// needs is the error of a decision that lacks the answer to a question.
type needs struct{ q Question }

func (n *needs) Error() string { return "not known yet: " + string(n.q.Ask) }
