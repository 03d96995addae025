package console

// Routes lists the patterns of all routes.
func Routes() (list []string) {
	for _, r := range routes() {
		list = append(list, r.pattern)
	}
	return list
}
