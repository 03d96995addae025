package studio

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/server/internal/auth"
)

// wrongWord is a word of another tool, or an old name of an action, in a test of the editor.
type wrongWord struct {
	Text   string `json:"text"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// fix replaces one such word, as taproot fmt --fix does, and responds with the text.
func (s *Studio) fix(w http.ResponseWriter, r *http.Request, _ auth.Identity) {
	var in wrongWord
	if err := json.NewDecoder(io.LimitReader(r.Body, 2*maxTest)).Decode(&in); err != nil {
		http.Error(w, "The request is not JSON.", http.StatusBadRequest)
		return
	}
	text, _, _, err := dsl.FixWords("test.yaml", []byte(in.Text), source.Pos{Line: in.Line, Col: in.Column})
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(wrongWord{Text: string(text), Line: in.Line, Column: in.Column})
}
