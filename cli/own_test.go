package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// ownActions writes a project with own actions, and a test that uses all of them.
func (l *lab) ownActions(url string) {
	l.t.Helper()
	for _, dir := range []string{"actions", "suites", "scripts"} {
		if err := os.MkdirAll(filepath.Join(l.dir, dir), 0o700); err != nil {
			l.t.Fatal(err)
		}
	}
	l.write("actions/signIn.yaml", `description: Sign in as a user.
params:
  user: {type: text, required: true, description: login name}
  role: {type: one of, values: [admin, guest], default: guest}
  where: {type: selector, default: Payments}
steps:
  - launch: {package: com.example.list, force: true}
  - note: {text: "${user} is ${role}"}
  - assert: ${where}
  - set: {result: "${user}:${role}"}
`)
	l.write("actions/note.yaml", "params: {text: {type: text, required: true}}\nsteps:\n  - log: ${text}\n"+
		"  - run: ../blocks/more.yaml\n")
	if err := os.MkdirAll(filepath.Join(l.dir, "blocks"), 0o700); err != nil {
		l.t.Fatal(err)
	}
	l.write("taproot.yaml", "exclude: [blocks]\n")
	l.write("blocks/more.yaml", "steps:\n  - log: noted\n")
	l.write("actions/total.yaml", totalAction)
	l.write("scripts/total.js", `var sum = 0
for (var i = 0; i < prices.length; i++) sum += prices[i]
output.sum = sum
output.tax = sum * rate
output.status = http.get("`+url+`/rate").status
console.log("the sum is", sum)
`)
	l.write("suites/shop.yaml", `id: shop
platform: android
steps:
  - signIn: {user: ada, as: who}
  - signIn: {user: bob, role: admin, where: {text: Payments, first: true}}
  - total: {prices: [1, 2.5, 4], as: bill}
  - assertTrue: who == "ada:guest"
  - assertTrue: bill.sum == 7.5 and bill.tax == 3.75 and bill.status == 200
`)
}

const totalAction = `params:
  prices: {type: list, required: true}
  rate: {type: number, default: 0.5}
run: ../scripts/total.js
`

func rateServer(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	return server.URL
}

// nestedSteps checks that the steps of own actions are reported as parts of them.
func (l *lab) nestedSteps() {
	l.t.Helper()
	var text string
	for _, dir := range l.packs() {
		text += read(l.t, dir, "run.md")
	}
	has(l.t, "run.md", text, "(signIn user: ada)", "(signIn user: bob, role: admin", "ada is guest", "bob is admin",
		"› note text: ada is guest", "run ../blocks/more.yaml", "total")
}

// Own actions are actions as any others: in a run, in validation, in reports, in taproot actions.
func TestOwnActions(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.ownActions(rateServer(t))
	l.taproot("validate").exits(t, 0)
	l.taproot("run").exits(t, 0)
	l.nestedSteps()
	e := l.taproot("actions", "signIn")
	e.exits(t, 0)
	has(t, "actions signIn", e.stdout, "Sign in as a user.", "login name", "`admin`, `guest`", "`result`")
	has(t, "actions", l.taproot("actions").stdout, "Own actions of this project:", "sign-in", "Sign in as a user")
	has(t, "completion", l.taproot("__complete", "actions", "").stdout, "signIn", "total")
	has(t, "schema", l.taproot("schema").stdout, "login name", `"signIn"`)
	for _, c := range []struct{ file, from, to, want string }{
		{"suites/shop.yaml", "user: ada", "usr: ada", `suites/shop.yaml:4:14: unknown key "usr" in "signIn"`},
		{"suites/shop.yaml", "role: admin", "role: boss", `suites/shop.yaml:5:31: "role" cannot be "boss"`},
		{"suites/shop.yaml", "signIn: {user: ada", "singIn: {user: ada", `did you mean "signIn"?`},
		{"actions/signIn.yaml", "${user} is", "${usr} is", "actions/signIn.yaml:8:19: the variable ${usr} is not defined"},
		{"actions/signIn.yaml", "- assert:", "- asert:", `actions/signIn.yaml:9:5: unknown action "asert"`},
		{"actions/note.yaml", "- log: ${text}", "- signIn: {user: \"${text}\"}", "signIn → note → signIn"},
		{"scripts/total.js", "output.sum = sum", "output.sum = = sum", "scripts/total.js:3:14: the script has a mistake"},
	} {
		text := read(t, l.dir, c.file)
		l.write(c.file, strings.Replace(text, c.from, c.to, 1))
		for _, command := range []string{"validate", "run"} {
			e := l.taproot(command)
			e.exits(t, 2)
			has(t, command, e.stdout+e.stderr, c.want)
		}
		l.write(c.file, text)
	}
	l.write("actions/tap.yaml", "steps: [{assert: Payments}]\n")
	for _, command := range []string{"validate", "run"} {
		e := l.taproot(command)
		e.exits(t, 2)
		has(t, command, e.stdout+e.stderr, `actions/tap.yaml:1:1: Taproot itself has an action "tap"`)
	}
	l.quiet()
}

// A script that computes for too long, uses too much memory, throws, or has no network ends its step alone.
func TestOwnScriptLimits(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.ownActions(rateServer(t))
	l.write("suites/shop.yaml", "id: shop\nplatform: android\nsteps:\n  - total: {prices: [1], as: bill}\n")
	for _, c := range []struct{ script, more, want string }{
		{"var a = prices, b = rate; while (true) {}", "timeout: 200ms\n", "the script exceeded its time limit: 200ms"},
		{"var a = [prices, rate]; while (true) a.push({n: a.length})", "timeout: 2m\n", // a busy machine needs longer
			"the script uses too much memory: more than 64 MiB"},
		{"var a = [prices, rate]; for (var i = 0; i < 100000; i++) a.push({n: i}); throw new Error('enough')", "",
			"Error: enough"},
		{"output.a = prices + rate\nmissing.call()", "", "scripts/total.js:2:"},
		{"output.self = output; prices; rate", "", "circular"},
		{"output.a = [prices, rate, typeof require, typeof process].join(); throw output.a", "", "1,0.5,undefined,undefined"},
	} {
		l.write("scripts/total.js", c.script)
		l.write("actions/total.yaml", totalAction+c.more)
		e := l.taproot("run")
		e.exits(t, 1)
		has(t, c.script, e.stdout, c.want)
	}
	l.quiet()
}

// Own actions run in all processes of Ginkgo, and those in Go are actions of its suite.
func TestOwnActionsUnderGinkgo(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 2)
	l.dir = t.TempDir()
	l.ownActions(rateServer(t))
	l.write("suites/pay.yaml", `id: pay
platform: android
steps:
  - launch: {package: com.example.list, force: true}
  - pay: {amount: 12.50, to: {text: Payments}, notes: [a, 7]}
`)
	l.write("suites/broke.yaml", "id: broke\nplatform: android\nsteps:\n"+
		"  - launch: {package: com.example.list, force: true}\n  - pay: {amount: 1000}\n")
	l.ginkgo(program, "android").exits(t, 1)
	if got := fmt.Sprint(l.results()); got != "map[broke:fail pay:pass shop:pass]" {
		t.Error(got)
	}
	l.nestedSteps()
	for _, dir := range l.packs() {
		switch text := read(t, dir, "run.md"); filepath.Base(dir) {
		case "pay":
			has(t, "pay", text, "(pay amount: 12.50, to:", "paid 12.5 by visa: [a 7]")
		case "broke":
			has(t, "broke", text, "1000 is too much")
		}
	}
	l.write("suites/pay_test.go", "package suites_test\n\nvar _ = runner.Action[PayArgs](\n\t\"pay\", payBy)\n")
	for _, command := range []string{"validate", "run"} {
		e := l.taproot(command)
		e.exits(t, 2)
		has(t, command, e.stdout+e.stderr, `suites/broke.yaml:5:5: unknown action "pay"`,
			"suites/pay_test.go:3 defines it in Go", "run the tests with ginkgo or go test")
	}
}

// Own actions reach the hosts of a farm with the archive of the run.
func TestOwnActionsOnAFarm(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	host := f.join("--token", f.token("--pool", "lab"), "--allow-private")
	defer f.leave(host)
	eventually(t, "the phones are there", func() bool { return f.device("SIM1") == "free" && f.device("SIM2") == "free" })
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key)
	l.ownActions(rateServer(t))
	l.taproot("run", "--hub", f.serve.url).exits(t, 0)
	l.nestedSteps()
	if got := l.results()["shop"]; got != event.Pass {
		t.Error(got)
	}
}

// A change of an own action, its script or a block that it runs is one of the tests that use it.
func TestOwnActionsChanged(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.ownActions(rateServer(t))
	l.write("suites/other.yaml", "id: other\nplatform: android\nsteps:\n  - log: hello\n")
	l.git("init", "-q")
	l.git("add", ".")
	l.git("commit", "-q", "-m", "first")
	for _, file := range []string{"actions/note.yaml", "scripts/total.js", "blocks/more.yaml"} {
		text := read(t, l.dir, file)
		l.write(file, text+"\n")
		e := l.taproot("run", "--only-changed")
		e.exits(t, 0)
		has(t, file, e.stdout, "PASS shop")
		if strings.Contains(e.stdout, "other") {
			t.Errorf("%s: a test that does not use it was run", file)
		}
		l.write(file, text)
	}
}

// An own action is a word of the shell.
func TestOwnActionInTheShell(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.ownActions(rateServer(t))
	defer l.taproot("close", "--all")
	l.command(0, "open", "com.example.list")
	has(t, "sign-in", l.command(0, "sign-in", "ada", "--role", "admin"), "ok")
	has(t, "do", l.command(0, "do", "signIn: {user: bob}"), "ok")
	has(t, "sign-in", l.command(2, "sign-in", "ada", "--role", "boss"), `"role" cannot be "boss"`)
	l.command(0, "save", "suites/saved.yaml")
	has(t, "saved", read(t, l.dir, "suites/saved.yaml"), "- signIn: {user: ada, role: admin}", "- signIn: {user: bob}")
}
