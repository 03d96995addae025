package androidsim

import "fmt"

// fieldsPage has fields with hints that could be typed text, one of a password, one that is filled, and one
// without a hint.
type fieldsPage struct {
	listPage
	email, quantity, password, filled, bare *field
}

func newFieldsPage(b listPage) page {
	return &fieldsPage{listPage: b, email: &field{}, quantity: &field{}, password: &field{password: true},
		filled: &field{text: "Ada"}, bare: &field{}}
}

func (l *fieldsPage) view(m metrics) *view {
	root := m.page(0xfefbff).add(m.title("Order form"))
	w := m.width() - 32
	for i, f := range []struct {
		field    *field
		hint, id string
	}{
		{l.email, "you@example.com", "email"}, {l.quantity, "1", "quantity"}, {l.password, "Password", "password"},
		{l.filled, "Name", "name"}, {l.bare, "", "bare"},
	} {
		root.add(m.edit(f.field, f.hint, ListPackage+":id/"+f.id, m.rect(16, 60+i*48, w, 44)))
	}
	send := m.button("Send", ListPackage+":id/send", m.rect(m.width()-120, 6, 110, 44), func() {
		l.status = fmt.Sprintf("%s|%s|%s|%s|%s", l.email.text, l.quantity.text, l.password.text, l.filled.text, l.bare.text)
	})
	return root.add(send, l.footer(m, l.status))
}
