package vocabulary

// WebType is the argument of webType.
type WebType struct {
	Selector string `json:"selector" required:"true" minLength:"1" format:"selector"`
	Text     string `json:"text" required:"true"`
	Frame    string `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

// WebClick is the argument of webClick.
type WebClick struct {
	Selector string `json:"selector" required:"true" scalar:"true" minLength:"1" format:"selector"`
	Button   string `json:"button,omitempty" enum:"left,right,middle" default:"left"`
	Count    int    `json:"count,omitempty" minimum:"1" maximum:"10" default:"1"`
	Frame    string `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`

	Modifiers []string `json:"modifiers,omitempty" minLength:"1" format:"modifier" tool:"-"`
}

// WebPress is the argument of webPress.
type WebPress struct {
	Key      string `json:"key" required:"true" scalar:"true" minLength:"1"`
	Selector string `json:"selector,omitempty" minLength:"1" format:"selector"`
	Frame    string `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

// WebSelect is the argument of webSelect.
type WebSelect struct {
	Selector string   `json:"selector" required:"true" minLength:"1" format:"selector"`
	Value    []string `json:"value,omitempty" minItems:"1"`
	Label    []string `json:"label,omitempty" minItems:"1" minLength:"1"`
	Index    []int    `json:"index,omitempty" minItems:"1" minimum:"0"`
	Frame    string   `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

func (WebSelect) rules() []Rule { return []Rule{exactlyOne("value label index")} }

// WebCheck is the argument of webCheck.
type WebCheck struct {
	Selector string `json:"selector" required:"true" scalar:"true" minLength:"1" format:"selector"`
	Checked  bool   `json:"checked,omitempty" default:"true"`
	Frame    string `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

// WebHover is the argument of webHover.
type WebHover struct {
	Selector string `json:"selector" required:"true" scalar:"true" minLength:"1" format:"selector"`
	Frame    string `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

// WebUpload is the argument of webUpload.
type WebUpload struct {
	Selector string   `json:"selector" required:"true" minLength:"1" format:"selector"`
	Files    []string `json:"files" required:"true" minLength:"1" format:"file"`
	Drop     bool     `json:"drop,omitempty"`
	Frame    string   `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

// WebDownload is the argument of webDownload. as: saves the path of the file.
type WebDownload struct {
	Selector string `json:"selector" required:"true" scalar:"true" minLength:"1" format:"selector"`
	Name     string `json:"name,omitempty" minLength:"1"`
	Frame    string `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

// WebWait is the argument of webWait: exactly one of selector, url, load, request and response.
type WebWait struct {
	Selector string `json:"selector,omitempty" scalar:"true" minLength:"1" format:"selector"`
	State    string `json:"state,omitempty" enum:"visible,hidden,attached,detached" default:"visible"`
	URL      string `json:"url,omitempty" minLength:"1" format:"address"`
	Load     string `json:"load,omitempty" enum:"load,domcontentloaded,networkidle"`
	Request  string `json:"request,omitempty" minLength:"1" format:"address"`
	Response string `json:"response,omitempty" minLength:"1" format:"address"`
	Frame    string `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

func (WebWait) rules() []Rule {
	return []Rule{exactlyOne("selector url load request response"), belongs("state inside", "selector")}
}

// WebAssert is the argument of webAssert: an element and what must be true of it, by default that it is visible; or the
// page's address, title or console.
type WebAssert struct {
	Selector        string    `json:"selector,omitempty" scalar:"true" minLength:"1" format:"selector"`
	Visible         *bool     `json:"visible,omitempty"`
	Text            *string   `json:"text,omitempty" minLength:"1"`
	Match           MatchMode `json:"match,omitempty" enum:"exact,words,prefix,contains,regex"`
	Value           *string   `json:"value,omitempty"`
	Count           *int      `json:"count,omitempty" minimum:"0"`
	URL             string    `json:"url,omitempty" minLength:"1" format:"address"`
	Title           string    `json:"title,omitempty" minLength:"1"`
	NoConsoleErrors bool      `json:"noConsoleErrors,omitempty"`
	Frame           string    `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

func (WebAssert) rules() []Rule {
	return []Rule{
		atLeastOne("selector url title noConsoleErrors").says(`"webAssert" needs "selector"`,
			"for example: webAssert: {selector: h1, text: Welcome}; for a text alone, assert: Welcome; or give url, title or "+
				"noConsoleErrors"),
		belongs("visible text value count inside", "selector"),
		belongs("match", "text").says("", "it says how to compare text: add text, or remove match"),
		exclude("text value", "visible=false").says("", "what is hidden shows no text: remove one of the two"),
	}
}

// WebTab is the argument of webTab: exactly one of url, title, index and close.
type WebTab struct {
	URL   string `json:"url,omitempty" scalar:"true" minLength:"1" format:"address"`
	Title string `json:"title,omitempty" minLength:"1"`
	Index *int   `json:"index,omitempty"`
	Close bool   `json:"close,omitempty" only:"true"`
}

func (WebTab) rules() []Rule { return []Rule{exactlyOne("url title index close")} }

// WebDialog is the argument of webDialog.
type WebDialog struct {
	Answer string `json:"answer" required:"true" scalar:"true" enum:"accept,dismiss,wait"`
	Text   string `json:"text,omitempty"`
}

func (WebDialog) rules() []Rule {
	return []Rule{belongs("text", "answer=accept").says("", "remove it, or accept")}
}

// WebDrag is the argument of webDrag.
type WebDrag struct {
	Selector string  `json:"selector" required:"true" minLength:"1" format:"selector"`
	To       string  `json:"to,omitempty" minLength:"1" format:"selector"`
	By       *Offset `json:"by,omitempty"`
	Frame    string  `json:"inside,omitempty" spelling:"frame" minLength:"1" format:"container"`
}

func (WebDrag) rules() []Rule { return []Rule{exactlyOne("to by")} }
