package dsl

// Launch is the argument of launch.
type Launch struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1" doc:"App identifier: an Android package or an iOS bundle id."`
	Force   bool   `json:"force,omitempty" doc:"Stop the app first when it is running, so that it starts afresh."`
}
