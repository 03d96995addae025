package dsl

// WebType is the argument of webType.
type WebType struct {
	Selector string `json:"selector" required:"true" minLength:"1" format:"selector" doc:"CSS selector of the field; text=, xpath= and Playwright's other engines work too."`
	Text     string `json:"text" required:"true" tool:"The text that the field shall hold afterwards; of a list the entry to choose, of a file field the path of a file below the server's folder." doc:"The text that the field shall hold afterwards."`
	Frame    string `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`
}

// WebClick is the argument of webClick.
type WebClick struct {
	Selector string `json:"selector" required:"true" scalar:"true" minLength:"1" format:"selector" doc:"CSS selector of the element; text=, xpath= and Playwright's other engines work too."`
	Button   string `json:"button,omitempty" enum:"left,right,middle" default:"left" doc:"Which button of the mouse."`
	Count    int    `json:"count,omitempty" minimum:"1" maximum:"10" default:"1" doc:"How often; 2 is a double click."`
	Frame    string `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`

	Modifiers []string `json:"modifiers,omitempty" minLength:"1" format:"modifier" tool:"-" example:"modifiers: [Control]" doc:"Keys that are held meanwhile: Control, Shift, Alt, Meta."`
}

// WebPress is the argument of webPress.
type WebPress struct {
	Key      string `json:"key" required:"true" scalar:"true" minLength:"1" doc:"A key by Playwright's name: Enter, Tab, ArrowDown, Control+A."`
	Selector string `json:"selector,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the element that gets the focus first. Default: the one that has it."`
	Frame    string `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`
}

// WebSelect is the argument of webSelect.
type WebSelect struct {
	Selector string   `json:"selector" required:"true" minLength:"1" format:"selector" doc:"CSS selector of the list."`
	Value    []string `json:"value,omitempty" minItems:"1" doc:"The entry with this value; of a list that takes several, all of them."`
	Label    []string `json:"label,omitempty" minItems:"1" minLength:"1" doc:"The entry that shows this text, or all of them."`
	Index    []int    `json:"index,omitempty" minItems:"1" minimum:"0" doc:"The entry at this place, from 0, or all of them."`
	Frame    string   `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`
}

func (WebSelect) rules() []rule { return []rule{exactlyOne("value label index")} }

// WebCheck is the argument of webCheck.
type WebCheck struct {
	Selector string `json:"selector" required:"true" scalar:"true" minLength:"1" format:"selector" doc:"CSS selector of the check box, radio button or switch."`
	Checked  bool   `json:"checked,omitempty" default:"true" doc:"Whether it is checked afterwards."`
	Frame    string `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`
}

// WebHover is the argument of webHover.
type WebHover struct {
	Selector string `json:"selector" required:"true" scalar:"true" minLength:"1" format:"selector" doc:"CSS selector of the element that the mouse goes over."`
	Frame    string `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`
}

// WebUpload is the argument of webUpload.
type WebUpload struct {
	Selector string   `json:"selector" required:"true" minLength:"1" format:"selector" doc:"CSS selector of the file field, of the button that opens the file chooser, or of the zone on which files are dropped."`
	Files    []string `json:"files" required:"true" minLength:"1" format:"file" doc:"The files, relative to the test's folder; for a field that takes a folder, that one."`
	Drop     bool     `json:"drop,omitempty" example:"drop: true" doc:"Drops the files on the element, as they are dragged from a folder, instead of choosing them."`
	Frame    string   `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`
}

// WebDownload is the argument of webDownload. as: saves the path of the file.
type WebDownload struct {
	Selector string `json:"selector" required:"true" scalar:"true" minLength:"1" format:"selector" doc:"CSS selector of what is clicked to start the download."`
	Name     string `json:"name,omitempty" minLength:"1" doc:"The name under which the report keeps the file; also what reports call the step. Default: the name that the page gives."`
	Frame    string `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`
}

// WebWait is the argument of webWait: exactly one of selector, url, load, request and response.
type WebWait struct {
	Selector string `json:"selector,omitempty" scalar:"true" minLength:"1" format:"selector" doc:"Until the element is in the state."`
	State    string `json:"state,omitempty" enum:"visible,hidden,attached,detached" default:"visible" doc:"The state of the element."`
	URL      string `json:"url,omitempty" minLength:"1" format:"address" doc:"Until the page has this address: whole, with * and ** for any part, or a regular expression between slashes."`
	Load     string `json:"load,omitempty" enum:"load,domcontentloaded,networkidle" doc:"Until the page has come that far."`
	Request  string `json:"request,omitempty" minLength:"1" format:"address" doc:"Until the page has sent a request to this address, written as in url."`
	Response string `json:"response,omitempty" minLength:"1" format:"address" doc:"Until the page has got an answer from this address, written as in url."`
	Frame    string `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`
}

func (WebWait) rules() []rule {
	return []rule{exactlyOne("selector url load request response"), belongs("state frame", "selector")}
}

// WebAssert is the argument of webAssert: an element and what must be true of it, by default that it is visible; or the
// page's address, title or console.
type WebAssert struct {
	Selector        string  `json:"selector,omitempty" scalar:"true" minLength:"1" format:"selector" doc:"CSS selector of the element; text=, xpath= and Playwright's other engines work too."`
	Visible         *bool   `json:"visible,omitempty" doc:"true: at least one match is visible; false: none is."`
	Text            *string `json:"text,omitempty" minLength:"1" doc:"Text that a visible match must show, as whole words, white space and case aside."`
	Value           *string `json:"value,omitempty" doc:"What the field must hold, exactly."`
	Count           *int    `json:"count,omitempty" minimum:"0" doc:"How many matches there must be."`
	URL             string  `json:"url,omitempty" minLength:"1" format:"address" doc:"The page's address: whole, with * and ** for any part, or a regular expression between slashes."`
	Title           string  `json:"title,omitempty" minLength:"1" doc:"The page's title, white space and case aside."`
	NoConsoleErrors bool    `json:"noConsoleErrors,omitempty" doc:"The page has written no error to its console since it was opened."`
	Frame           string  `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds the element."`
}

func (WebAssert) rules() []rule {
	return []rule{
		atLeastOne("selector url title noConsoleErrors").says(`"webAssert" needs "selector"`,
			"for example: webAssert: {selector: h1, text: Welcome}; or give url, title or noConsoleErrors"),
		belongs("visible text value count frame", "selector"),
		cannotStand("text value", "visible=false").says("", "what is hidden shows no text: remove one of the two"),
	}
}
