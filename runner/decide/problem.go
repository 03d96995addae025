package decide

// problemError is a problem that ends a search within it.
type problemError struct{ Problem }

func (e *problemError) Error() string { return e.Message }
