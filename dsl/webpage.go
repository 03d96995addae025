package dsl

// WebPage is the argument of webPage: exactly one of url, title, index and close.
type WebPage struct {
	URL   string `json:"url,omitempty" scalar:"true" minLength:"1" format:"address" doc:"The page with this address: whole, with * and ** for any part, or a regular expression between slashes."`
	Title string `json:"title,omitempty" minLength:"1" doc:"The page with this title, white space and case aside."`
	Index *int   `json:"index,omitempty" doc:"The page at this place in the order in which they were opened: 0 is the first, -1 the newest."`
	Close bool   `json:"close,omitempty" only:"true" doc:"Closes the page that the test is on; the one before it comes to the front."`
}

func (WebPage) rules() []rule { return []rule{exactlyOne("url title index close")} }

// WebDialog is the argument of webDialog.
type WebDialog struct {
	Answer string `json:"answer" required:"true" scalar:"true" enum:"accept,dismiss,wait" doc:"What becomes of dialogs from now on: accept or dismiss answers each at once; wait leaves it open for the step alert, and any other step dismisses it."`
	Text   string `json:"text,omitempty" doc:"With accept: what goes into a prompt."`
}

func (WebDialog) rules() []rule {
	return []rule{belongs("text", "answer=accept").says("", "remove it, or accept")}
}

// WebDrag is the argument of webDrag.
type WebDrag struct {
	Selector string  `json:"selector" required:"true" minLength:"1" format:"selector" doc:"CSS selector of the element that is dragged; text=, xpath= and Playwright's other engines work too."`
	To       string  `json:"to,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the element that it is dropped on."`
	By       *Offset `json:"by,omitempty" doc:"How far it is dragged, to the right and down: \"120,-40\" in pixels."`
	Frame    string  `json:"frame,omitempty" minLength:"1" format:"selector" doc:"CSS selector of the iframe that holds both."`
}

func (WebDrag) rules() []rule { return []rule{exactlyOne("to by")} }
