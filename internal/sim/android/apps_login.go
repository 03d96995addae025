package androidsim

import "time"

// The account that com.example.login knows.
const (
	LoginEmail    = "ada@example.com"
	LoginPassword = "lovelace"
	// LoginCrash crashes the app when it signs in.
	LoginCrash = "crash@example.com"
)

// login is com.example.login: loading, form, spinner, welcome.
type login struct {
	screen   *screen
	act      *activity
	email    *field
	password *field
	wrong    bool
	asked    time.Time // when "Sign in" was tapped; zero: not signing in
	inside   bool
}

func newLogin(o opening) page {
	l, ok := o.process.app.(*login)
	if !ok {
		l = &login{screen: o.screen, email: &field{}, password: &field{password: true}}
		l.password.onEnter = l.signIn
		o.process.app = l
	}
	l.act = o.act
	if o.data != nil && *o.data == "login://form" {
		l.act.started = l.act.started.Add(-o.screen.opts.LoginLoading)
	}
	return l
}

func (l *login) dialog(metrics) *view { return nil }

func (l *login) back() bool { return false }

func (l *login) view(m metrics) *view {
	root := m.page(0xfefbff)
	if !l.asked.IsZero() && m.now.Sub(l.asked) >= l.screen.opts.LoginSpinner {
		l.answer()
	}
	switch {
	case l.inside:
		return l.welcome(m, root)
	case !l.asked.IsZero():
		return spinner(m, root, "Signing in…")
	case m.now.Sub(l.act.started) < l.screen.opts.LoginLoading:
		return spinner(m, root, "Loading…")
	default:
		return l.form(m, root)
	}
}

// spinner turns on the screen; accessibility services receive nothing of it.
func spinner(m metrics, root *view, text string) *view {
	b := m.rect(m.width()/2-24, 260, 48, 48)
	bar := &view{class: classBar, b: b, id: "com.example.login:id/progress"}
	side := b.Dx() / 3
	step := int(m.now.UnixMilli()/80) % 8
	spots := [8][2]int{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}
	dot := b
	dot.Min = b.Min.Add(b.Size().Div(3))
	dot.Min.X = b.Min.X + spots[step][0]*side
	dot.Min.Y = b.Min.Y + spots[step][1]*side
	dot.Max = dot.Min.Add(b.Size().Div(3))
	bar.paint(&view{class: classBar, b: dot, fill: rgb(0x6750a4)})
	label := m.label(text, m.rect(16, 320, m.width()-32, 40))
	label.center = true
	return root.add(bar, label)
}

func (l *login) form(m metrics, root *view) *view {
	w := m.width() - 48
	root.add(
		m.title("Login"),
		m.edit(l.email, "E-mail", LoginPackage+":id/email", m.rect(24, 90, w, 56)),
		m.edit(l.password, "Password", LoginPackage+":id/password", m.rect(24, 162, w, 56)),
		m.button("Sign in", LoginPackage+":id/sign_in", m.rect(24, 240, w, 52), l.signIn),
	)
	if l.wrong {
		t := m.label("Wrong e-mail or password", m.rect(24, 304, w, 40))
		t.id, t.ink = LoginPackage+":id/error", rgb(0xb3261e)
		root.add(t)
	}
	return root
}

func (l *login) signIn() {
	if l.email.text == LoginCrash {
		l.screen.crash(LoginPackage, "java.lang.IllegalStateException: no session for crash@example.com")
		return
	}
	l.asked = time.Now()
	l.wrong = false
	l.screen.focus, l.screen.keyboard = nil, false
	l.screen.appLog(LoginPackage, "Login", "signing in as %s", l.email.text)
}

func (l *login) answer() {
	l.asked = time.Time{}
	l.inside = l.email.text == LoginEmail && l.password.text == LoginPassword
	l.wrong = !l.inside
	l.password.text = ""
	if l.inside {
		l.screen.appLog(LoginPackage, "Login", "welcome %s", l.email.text)
		return
	}
	l.screen.log.write(logLine{pid: l.screen.apps[LoginPackage].pid, pri: 'W', tag: "Login",
		text: "wrong e-mail or password"})
}

func (l *login) welcome(m metrics, root *view) *view {
	w := m.width() - 48
	welcome := m.label("Welcome, Ada", m.rect(24, 90, w, 48))
	welcome.id, welcome.size = LoginPackage+":id/welcome", m.dp(24)
	status := m.label("Status: Unpaid", m.rect(24, 150, w, 40))
	status.id = LoginPackage + ":id/status"
	return root.add(m.title("Home"), welcome, status,
		m.button("Log out", LoginPackage+":id/log_out", m.rect(24, 220, w, 52), func() {
			l.inside = false
			l.email.text, l.password.text = "", ""
			l.screen.appLog(LoginPackage, "Login", "logged out")
		}))
}
