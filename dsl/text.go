package dsl

// Input is the argument of input.
type Input struct {
	Text string `json:"text" required:"true" scalar:"true" doc:"The text to type, after what the field already holds."`
}
