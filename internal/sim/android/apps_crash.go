package androidsim

// crashPage breaks in the ways in which apps do, some time after a tap.
type crashPage struct{ listPage }

func (l *crashPage) view(m metrics) *view {
	root := m.page(0xfefbff).add(m.title("Crashes"))
	w, s := m.width()-32, l.screen
	for i, b := range []struct {
		text, id string
		do       func()
	}{
		{"Crash soon", "soon", func() { s.crash(ListPackage, "java.lang.IllegalStateException: the cart is gone") }},
		{"Crash in service", "service", func() { s.crashProcess(ListPackage+":remote", "java.io.IOException: sync broke") }},
		{"Crash natively", "native", func() { s.crashNative(ListPackage) }},
		{"Hang", "hang", func() { s.freeze(ListPackage) }},
		{"Crash another app", "another", func() { s.crashProcess("com.example.chat", "java.lang.Error: not ours") }},
	} {
		root.add(m.button(b.text, ListPackage+":id/"+b.id, m.rect(16, 66+i*58, w, 50), func() {
			l.status = "Working"
			s.later(s.opts.CrashAfter, b.do)
		}))
	}
	return root.add(l.footer(m, l.status))
}
