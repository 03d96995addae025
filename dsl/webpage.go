package dsl

// WebPage is the argument of webPage: exactly one of url, title, index and close.
type WebPage struct {
	URL   string `json:"url,omitempty" scalar:"true" minLength:"1" format:"address"`
	Title string `json:"title,omitempty" minLength:"1"`
	Index *int   `json:"index,omitempty"`
	Close bool   `json:"close,omitempty" only:"true"`
}

func (WebPage) rules() []rule { return []rule{exactlyOne("url title index close")} }

// WebDialog is the argument of webDialog.
type WebDialog struct {
	Answer string `json:"answer" required:"true" scalar:"true" enum:"accept,dismiss,wait"`
	Text   string `json:"text,omitempty"`
}

func (WebDialog) rules() []rule {
	return []rule{belongs("text", "answer=accept").says("", "remove it, or accept")}
}

// WebDrag is the argument of webDrag.
type WebDrag struct {
	Selector string  `json:"selector" required:"true" minLength:"1" format:"selector"`
	To       string  `json:"to,omitempty" minLength:"1" format:"selector"`
	By       *Offset `json:"by,omitempty"`
	Frame    string  `json:"frame,omitempty" minLength:"1" format:"selector"`
}

func (WebDrag) rules() []rule { return []rule{exactlyOne("to by")} }
