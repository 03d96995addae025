package dsl

// Input is the argument of input: a text, or random data.
type Input struct {
	Text    string    `json:"text,omitempty" scalar:"true"`
	Into    *Selector `json:"into,omitempty" tool:"-"`
	Replace bool      `json:"replace,omitempty"`
	PerKey  bool      `json:"perKey,omitempty"`
	Verify  *bool     `json:"verify,omitempty" tool:"-"`
	Random  string    `json:"random,omitempty" enum:"email,name,number,text,phone,word,city,country,color"`
	Seed    int       `json:"seed,omitempty" minimum:"1" maximum:"9007199254740991" tool:"-"`
	Length  int       `json:"length,omitempty" minimum:"1" maximum:"1000" tool:"-"`
}

func (Input) rules() []rule {
	return []rule{
		exactlyOne("text random"),
		belongs("seed", "random").says("", "remove it"),
		belongs("length", "random=number random=text").says("", "remove it"),
	}
}

// Erase is the argument of erase.
type Erase struct {
	Count int `json:"count,omitempty" scalar:"true" minimum:"1" maximum:"10000"`
}

// CopyText is the argument of copyText.
type CopyText struct {
	Selector
}

// Paste is the argument of paste.
type Paste struct{}

// SetClipboard is the argument of setClipboard.
type SetClipboard struct {
	Text string `json:"text" required:"true" scalar:"true"`
}
