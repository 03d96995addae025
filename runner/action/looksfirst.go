package action

import "github.com/taproot-dev/taproot/dsl"

// LooksFirst reports whether an action sees the screen, and calls Session.Saw with it, before it changes anything, or
// that does nothing on the device at all.
func LooksFirst(args any) bool {
	if wait, is := args.(dsl.WaitFor); is && (wait.Text != "" || wait.URL != "") {
		return false // it reads no tree
	}
	def := dsl.DefOf(args)
	return def != nil && def.ReadsFirst
}

// Acts reports whether an action does something on the device, which may harm the app.
func Acts(args any) bool {
	def := dsl.DefOf(args)
	return def == nil || def.Acts()
}
