package apps

import (
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// The account that com.example.login knows.
const (
	LoginEmail    = "ada@example.com"
	LoginPassword = "lovelace"
	// LoginCrash crashes the app when it signs in.
	LoginCrash = "crash@example.com"
)

// login is com.example.login: loading, form, spinner, welcome.
type login struct {
	screen   *system.Screen
	act      *system.Activity
	email    *ui.Field
	password *ui.Field
	wrong    bool
	asked    time.Time // when "Sign in" was tapped; zero: not signing in
	inside   bool
}

func newLogin(o system.Opening) system.Page {
	l, ok := o.Process.App.(*login)
	if !ok {
		l = &login{screen: o.Screen, email: &ui.Field{}, password: &ui.Field{Password: true}}
		l.password.OnEnter = l.signIn
		o.Process.App = l
	}
	l.act = o.Act
	if o.Data != nil && *o.Data == "login://form" {
		l.act.Started = l.act.Started.Add(-o.Screen.Opts.LoginLoading)
	}
	return l
}

func (l *login) Dialog(ui.Metrics) *ui.View { return nil }

func (l *login) Back() bool { return false }

func (l *login) View(m ui.Metrics) *ui.View {
	root := m.Page(0xfefbff)
	if !l.asked.IsZero() && m.Now.Sub(l.asked) >= l.screen.Opts.LoginSpinner {
		l.answer()
	}
	switch {
	case l.inside:
		return l.welcome(m, root)
	case !l.asked.IsZero():
		return spinner(m, root, "Signing in…")
	case m.Now.Sub(l.act.Started) < l.screen.Opts.LoginLoading:
		return spinner(m, root, "Loading…")
	default:
		return l.form(m, root)
	}
}

// spinner turns on the screen; accessibility services receive nothing of it.
func spinner(m ui.Metrics, root *ui.View, text string) *ui.View {
	b := m.Rect(m.Width()/2-24, 260, 48, 48)
	bar := &ui.View{Class: ui.ClassBar, B: b, ID: "com.example.login:id/progress"}
	side := b.Dx() / 3
	step := int(m.Now.UnixMilli()/80) % 8
	spots := [8][2]int{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}
	dot := b
	dot.Min = b.Min.Add(b.Size().Div(3))
	dot.Min.X = b.Min.X + spots[step][0]*side
	dot.Min.Y = b.Min.Y + spots[step][1]*side
	dot.Max = dot.Min.Add(b.Size().Div(3))
	bar.Paint(&ui.View{Class: ui.ClassBar, B: dot, Fill: ui.RGB(0x6750a4)})
	label := m.Label(text, m.Rect(16, 320, m.Width()-32, 40))
	label.Center = true
	return root.Add(bar, label)
}

func (l *login) form(m ui.Metrics, root *ui.View) *ui.View {
	w := m.Width() - 48
	root.Add(
		m.Title("Login"),
		m.Edit(l.email, "E-mail", spec.LoginPackage+":id/email", m.Rect(24, 90, w, 56)),
		m.Edit(l.password, "Password", spec.LoginPackage+":id/password", m.Rect(24, 162, w, 56)),
		m.Button("Sign in", spec.LoginPackage+":id/sign_in", m.Rect(24, 240, w, 52), l.signIn),
	)
	if l.wrong {
		t := m.Label("Wrong e-mail or password", m.Rect(24, 304, w, 40))
		t.ID, t.Ink = spec.LoginPackage+":id/error", ui.RGB(0xb3261e)
		root.Add(t)
	}
	return root
}

func (l *login) signIn() {
	if l.email.Text == LoginCrash {
		l.screen.Crash(spec.LoginPackage, "java.lang.IllegalStateException: no session for crash@example.com")
		return
	}
	l.asked = time.Now()
	l.wrong = false
	l.screen.Focus, l.screen.Keyboard = nil, false
	l.screen.AppLog(spec.LoginPackage, "Login", "signing in as %s", l.email.Text)
}

func (l *login) answer() {
	l.asked = time.Time{}
	l.inside = l.email.Text == LoginEmail && l.password.Text == LoginPassword
	l.wrong = !l.inside
	l.password.Text = ""
	if l.inside {
		l.screen.AppLog(spec.LoginPackage, "Login", "welcome %s", l.email.Text)
		return
	}
	l.screen.Log.Write(kernel.LogLine{PID: l.screen.Apps[spec.LoginPackage].PID, Pri: 'W', Tag: "Login",
		Text: "wrong e-mail or password"})
}

func (l *login) welcome(m ui.Metrics, root *ui.View) *ui.View {
	w := m.Width() - 48
	welcome := m.Label("Welcome, Ada", m.Rect(24, 90, w, 48))
	welcome.ID, welcome.Size = spec.LoginPackage+":id/welcome", m.Dp(24)
	status := m.Label("Status: Unpaid", m.Rect(24, 150, w, 40))
	status.ID = spec.LoginPackage + ":id/status"
	return root.Add(m.Title("Home"), welcome, status,
		m.Button("Log out", spec.LoginPackage+":id/log_out", m.Rect(24, 220, w, 52), func() {
			l.inside = false
			l.email.Text, l.password.Text = "", ""
			l.screen.AppLog(spec.LoginPackage, "Login", "logged out")
		}))
}
