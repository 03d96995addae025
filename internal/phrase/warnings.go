package phrase

import "sync"

// Warnings are what the caller of a device should know although a call has succeeded: those that were not taken yet.
// The zero value is empty; several goroutines may use it.
type Warnings struct {
	mu   sync.Mutex
	list []string
	once map[string]bool // texts that AddOnce was called with
}

// Add adds a warning.
func (w *Warnings) Add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, text)
}

// AddOnce adds a warning unless it was called with the same text before, and reports whether it did.
func (w *Warnings) AddOnce(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.once[text] {
		return false
	}
	if w.once == nil {
		w.once = map[string]bool{}
	}
	w.once[text] = true
	w.list = append(w.list, text)
	return true
}

// Take returns the warnings since the last call.
func (w *Warnings) Take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.list
	w.list = nil
	return list
}
