package vocabulary

// Selector says which element is meant. All given criteria must hold together. In YAML a plain string is a label.
type Selector struct {
	Label     string     `json:"label,omitempty" scalar:"true" minLength:"1"`
	Text      string     `json:"text,omitempty" minLength:"1"`
	Desc      string     `json:"desc,omitempty" minLength:"1"`
	Hint      string     `json:"hint,omitempty" minLength:"1"`
	ID        string     `json:"id,omitempty" minLength:"1"`
	Type      string     `json:"type,omitempty" minLength:"1"`
	TestID    string     `json:"testId,omitempty" minLength:"1"`
	CSS       string     `json:"css,omitempty" minLength:"1" format:"selector"`
	XPath     string     `json:"xpath,omitempty" minLength:"1" format:"xpath"`
	OCR       string     `json:"ocr,omitempty" minLength:"1"`
	Image     string     `json:"image,omitempty" minLength:"1" format:"file"`
	Describe  string     `json:"describe,omitempty" minLength:"1"`
	Point     *Point     `json:"point,omitempty"`
	Match     MatchMode  `json:"match,omitempty" enum:"exact,words,prefix,contains,regex,maestro"`
	Index     *int       `json:"index,omitempty"`
	First     bool       `json:"first,omitempty"`
	Enabled   *bool      `json:"enabled,omitempty"`
	Checked   *bool      `json:"checked,omitempty"`
	Selected  *bool      `json:"selected,omitempty"`
	Focused   *bool      `json:"focused,omitempty"`
	Clickable *bool      `json:"clickable,omitempty"`
	Traits    []string   `json:"traits,omitempty" minLength:"1"`
	Size      *Size      `json:"size,omitempty"`
	Not       *Selector  `json:"not,omitempty"`
	Below     *Selector  `json:"below,omitempty"`
	Above     *Selector  `json:"above,omitempty"`
	LeftOf    *Selector  `json:"leftOf,omitempty"`
	RightOf   *Selector  `json:"rightOf,omitempty"`
	Near      *Selector  `json:"near,omitempty"`
	Inside    *Selector  `json:"inside,omitempty"`
	Contains  []Selector `json:"contains,omitempty"`
	Child     *Selector  `json:"child,omitempty"`
	Fallback  string     `json:"fallback,omitempty" enum:"ocr"`
}

// Size is how large an element is on the screen.
type Size struct {
	Width     *int `json:"width,omitempty" minimum:"0"`
	Height    *int `json:"height,omitempty" minimum:"0"`
	Tolerance int  `json:"tolerance,omitempty" minimum:"0"`
}

func (Size) rules() []Rule {
	return []Rule{atLeastOne("width height").says(`"%s" says neither a width nor a height`,
		"for example: size: {width: 96, height: 48, tolerance: 4}")}
}

// MatchMode is how a text is compared.
type MatchMode string

// The match modes; the empty one compares whole texts as a reader would.
const (
	MatchWhole    MatchMode = ""
	MatchExact    MatchMode = "exact"
	MatchWords    MatchMode = "words"
	MatchPrefix   MatchMode = "prefix"
	MatchContains MatchMode = "contains"
	MatchRegex    MatchMode = "regex"
	// MatchMaestro finds elements by the rules of Maestro: a pattern or the text itself, the first of several, relations
	// by corners.
	MatchMaestro MatchMode = "maestro"
)

// Names reports whether the selector says what its element is called, shows or is, and not only where it is or in what
// state.
func (s Selector) Names() bool {
	return s.Label != "" || s.Text != "" || s.Desc != "" || s.Hint != "" || s.ID != "" || s.TestID != "" || s.CSS != "" ||
		s.XPath != ""
}

// Relations returns the selectors that this one relates its element to.
func (s Selector) Relations() []*Selector {
	var list []*Selector
	for _, r := range []*Selector{s.Below, s.Above, s.LeftOf, s.RightOf, s.Near, s.Inside} {
		if r != nil {
			list = append(list, r)
		}
	}
	for i := range s.Contains {
		list = append(list, &s.Contains[i])
	}
	return list
}

// Supplements are the keys of a selector that say nothing without another one.
func Supplements() []string { return []string{"index", "first", "match", "fallback", "not"} }

// Seen are the keys of what is looked for in the pixels; elements have nothing to do with it.
func Seen() []string { return []string{"ocr", "image", "describe"} }

// Relations are the keys that relate an element to another one.
func Relations() []string {
	return []string{"below", "above", "leftOf", "rightOf", "near", "inside", "contains"}
}

// TextKeys are the keys of a selector that are compared with the texts of an element.
func TextKeys() []string { return []string{"label", "text", "desc", "hint"} }

// TextOf returns what a key says that is compared with texts.
func (s Selector) TextOf(key string) (string, bool) {
	text := map[string]string{"label": s.Label, "text": s.Text, "desc": s.Desc, "hint": s.Hint, "id": s.ID}[key]
	return text, text != ""
}
