package filetree

import "path/filepath"

// StateDir is the folder of a name for what outlives the processes of a user: below $XDG_STATE_HOME, otherwise in the
// user's own folder for state, otherwise in another one of the user's.
func StateDir(getenv func(string) string, otherwise, name string) string {
	state := getenv("XDG_STATE_HOME")
	if home := getenv("HOME"); !filepath.IsAbs(state) && filepath.IsAbs(home) {
		state = filepath.Join(home, ".local", "state")
	}
	if filepath.IsAbs(state) {
		return filepath.Join(state, "taproot", name)
	}
	return filepath.Join(otherwise, name)
}
