package dsl

// Input is the argument of input: a text, or random data.
type Input struct {
	Text    string    `json:"text,omitempty" scalar:"true" doc:"The text to type, after what the field already holds, or where keys have put the cursor; what is selected is replaced."`
	Into    *Selector `json:"into,omitempty" tool:"-" doc:"The field to type into: it is tapped first. Default: the field that has the focus. On iOS also a wheel of a picker, which is turned to the text, or a slider, which goes to a part of its way: \"30%\"."`
	Replace bool      `json:"replace,omitempty" doc:"Empties the field first."`
	PerKey  bool      `json:"perKey,omitempty" doc:"Types key by key, for fields that react to each one; slower."`
	Verify  *bool     `json:"verify,omitempty" tool:"-" doc:"Whether the field must then show the text, apart from case, spaces and marks that it adds itself. false: whatever it makes of it. Default: true."`
	Random  string    `json:"random,omitempty" enum:"email,name,number,text,phone,word,city,country,color" tool:"Types random data of this kind instead of a text." doc:"Types random data of this kind instead of a text; as: saves it, and the report records its seed."`
	Seed    int       `json:"seed,omitempty" minimum:"1" maximum:"9007199254740991" tool:"-" doc:"With random: the same seed gives the same data again. Default: another one in each run, which the report records."`
	Length  int       `json:"length,omitempty" minimum:"1" maximum:"1000" tool:"-" doc:"How many characters a random number or text has. Default: 8 digits, 20 characters."`
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
	Count int `json:"count,omitempty" scalar:"true" minimum:"1" maximum:"10000" doc:"How many characters before the cursor. Default: everything that the field holds."`
}

// CopyText is the argument of copyText.
type CopyText struct {
	Selector
}

// Paste is the argument of paste.
type Paste struct{}

// SetClipboard is the argument of setClipboard.
type SetClipboard struct {
	Text string `json:"text" required:"true" scalar:"true" doc:"What the clipboard holds afterwards."`
}
