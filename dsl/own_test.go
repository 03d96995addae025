package dsl_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// ownFiles are the own actions in a folder of texts.
func ownFiles(files map[string]string) *dsl.Own {
	read := func(name string) ([]byte, error) {
		text, is := files[name]
		if !is {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	return &dsl.Own{
		Find: func(name string) (string, []byte, error) {
			text, err := read("actions/" + name + ".yaml")
			return "actions/" + name + ".yaml", text, err
		},
		List: func() (names []string) {
			for _, file := range slices.Sorted(maps.Keys(files)) {
				if strings.HasSuffix(file, ".yaml") && path.Dir(file) == "actions" {
					names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
				}
			}
			return names
		},
		Read: read,
	}
}

const signInFile = `description: Sign in as a user.
params:
  user: {type: text, required: true, description: login name}
  role: {type: one of, values: [admin, guest, "a, b"], default: guest}
  where: {type: selector, default: Sign in}
  wait: {type: duration, default: 5s}
  again: {type: boolean, default: false}
  count: number
  rows: list
steps:
  - input: {into: User, text: "${user} ${role}", timeout: "${wait}"}
  - if: {cond: again, then: [{tap: {label: "${where}", timeout: 1s}}]}
  - tap: ${where}
  - forEach: {in: rows, steps: [{log: "${item} of ${count}"}]}
  - set: {result: "${user}!"}
`

// checkedWith parses, links and checks a test.
func checkedWith(own *dsl.Own, steps string) (*dsl.Test, error) {
	tests, err := dsl.Parse("suites/a.yaml", []byte("id: a\nplatform: web\nvars: {NAME: ada}\nsteps:\n"+steps), own)
	if err != nil {
		return nil, err
	}
	if err := dsl.Link(tests[0], own.Read); err != nil {
		return nil, err
	}
	scope, err := dsl.NewScope(tests[0], nil, nil)
	if err != nil {
		return nil, err
	}
	return tests[0], dsl.CheckVars(tests[0], scope)
}

// A step that is an own action is checked as any other, at its line and column.
func TestOwnActionCalls(t *testing.T) {
	t.Parallel()
	own := ownFiles(map[string]string{"actions/signIn.yaml": signInFile,
		"actions/menu.yaml": "params: {where: selector}\nsteps: [{tap: \"${where}\"}]\n"})
	for steps, want := range map[string]string{
		"  - signIn: {user: ada}\n":                                                        "",
		"  - signIn: {user: \"${NAME}\", as: who}\n  - log: ${who}\n":                      "",
		"  - signIn: {user: ada, where: {id: go, below: Password}, rows: [1, 2]}\n":        "",
		"  - signIn: {user: ada, role: \"a, b\", wait: 1m, again: true, count: 12.5}\n":    "",
		"  - menu: Settings\n  - menu: {where: {id: x}}\n  - menu: {where: \"${NAME}\"}\n": "",
		"  - signIn:\n":                                           `5:5: "signIn" needs "user"`,
		"  - signIn: {user: ada, rol: admin}\n":                   `5:25: unknown key "rol" in "signIn"`,
		"  - signIn: {user: ada, role: boss}\n":                   `5:31: "role" cannot be "boss"`,
		"  - signIn: {user: ada, wait: soon}\n":                   `5:31: "wait" must be a time`,
		"  - signIn: {user: ada, again: maybe}\n":                 `5:32: "again" must be true or false`,
		"  - signIn: {user: ada, count: many}\n":                  `5:32: "count" must be a number`,
		"  - signIn: {user: ada, where: {idd: go}}\n":             `5:33: unknown key "idd" in "where"`,
		"  - signIn: {user: \"${NAM}\"}\n":                        `5:21: the variable ${NAM} is not defined`,
		"  - sigIn: {user: ada}\n":                                `5:5: unknown action "sigIn"`,
		"  - menu: {where: Menu, as: x}\n":                        `5:25: "menu" has no result that "as" could save`,
		"  - signIn: {user: ada, screenshot: false}\n":            `5:25: "signIn" has no screenshot of its own`,
		"  - signIn: {user: ada}\n  - log: ${user}\n":             `6:10: the variable ${user} is not defined`,
		"  - menu: Menu\n    timeout: 5s\n":                       `6:5: a step has one action`,
		"  - repeat: {times: 2, steps: [{signIn: {usr: ada}}]}\n": `unknown key "usr"`,
	} {
		_, err := checkedWith(own, steps)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s\n%v", steps, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: want %s in\n%v", steps, want, err)
		}
	}
}

// The file of an own action is checked at its line and column.
func TestOwnActionFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, want string }{
		{"steps: [{tap: Go}]\n", ""},
		{"run: ../scripts/ok.js\nparams: {n: number}\n", ""},
		{"vars: {PASS: \"${PASS:-none}\"}\nsteps: [{input: \"${PASS}\"}]\n", ""},
		{"params: {user: text}\nsteps: [{tap: Go}]\n", `1:10: the parameter "user" is unused`},
		{"params: {user: text}\nsteps: [{tap: \"${usr}\"}, {tap: \"${user}\"}]\n",
			"2:16: the variable ${usr} is not defined"},
		{"steps: [{assertTrue: total > 1}]\n", "the variable total is not defined"},
		{"params: {user: string}\nsteps: [{tap: \"${user}\"}]\n", `1:16: "type" cannot be "string"`},
		{"params: {user: {type: one of}}\nsteps: [{tap: \"${user}\"}]\n", `1:10: "one of" needs "values"`},
		{"params: {user: {type: text, values: [a]}}\nsteps: [{tap: \"${user}\"}]\n",
			`1:29: "values" belongs to the type "one of"`},
		{"params: {user: {type: text, required: true, default: a}}\nsteps: [{tap: \"${user}\"}]\n",
			"a required parameter has no default"},
		{"params: {n: {type: number, default: many}}\nsteps: [{log: \"${n}\"}]\n", `1:37: "default" must be a number`},
		{"params: {n: {type: duration, default: soon}}\nsteps: [{log: \"${n}\"}]\n", `1:39: "default" must be a time`},
		{"params: {n: {type: one of, values: [a], default: b}}\nsteps: [{log: \"${n}\"}]\n", `"default" cannot be "b"`},
		{"params: {timeout: duration}\nsteps: [{log: \"${timeout}\"}]\n", `1:10: "timeout" is an option of every step`},
		{"params: {platform: text}\nsteps: [{log: \"${platform}\"}]\n",
			`1:10: the variable "platform" has a meaning of its own`},
		{"steps: [{tapp: Go}]\n", `1:10: unknown action "tapp"`},
		{"steps: [{x: {}}]\n", `1:10: the actions use each other in a circle: x → x`},
		{"steps: [{y: {}}]\n", `x → y → x`},
		{"step: [{tap: Go}]\n", `1:1: unknown key "step" in "the file"`},
		{"description: Nothing.\n", `the action needs either "steps" or "run"`},
		{"steps: [{tap: Go}]\nrun: a.js\n", `"run" cannot be combined with "steps"`},
		{"steps: [{tap: Go}]\ntimeout: 5s\n", `2:1: "timeout" belongs to "run"`},
		{"run: none.js\n", `1:6: "none.js" cannot be run`},
		{"run: none.sh\n", `1:6: "none.sh" is not a script`},
		{"run: ../scripts/ok.js\nparams: {n: number, other: text}\n", `2:21: the parameter "other" is unused`},
		{"run: ../scripts/ok.js\nparams: {n: number, output: text}\n",
			`2:21: "output" has a meaning of its own in scripts`},
		{"params: {w: selector}\nsteps: [{tap: \"go ${w}\"}]\n", `2:15: "w" is an element, and cannot be a part of one`},
		{"params: {w: selector}\nsteps: [{tap: {id: \"${w}\"}}]\n", `"w" is an element, and cannot be a part of one`},
		{"params: {w: selector}\nsteps: [{assertTrue: w == 1}]\n", `"w" is an element, and has no value in an expression`},
		{"params: {w: selector}\nsteps: [{if: {visible: \"${w}\", then: [{tap: {below: \"${w}\", label: Go}}]}}]\n", ""},
		{"- tap: Go\n", "1:1:"},
		{"a: [\n", "actions/x.yaml:"},
	} {
		own := ownFiles(map[string]string{"actions/x.yaml": c.file, "scripts/ok.js": "output.twice = 2 * n",
			"actions/y.yaml": "steps: [{x: {}}]\n"})
		err := own.Check("x")
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s\n%v", c.file, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: want %s in\n%v", c.file, c.want, err)
		}
	}
	own := ownFiles(map[string]string{"actions/tap.yaml": "steps: [{assert: Go}]\n",
		"actions/sign-in.yaml": "steps: [{tap: a}]"})
	err := fmt.Sprint(own.Problems())
	for _, want := range []string{`actions/tap.yaml:1:1: Taproot itself has an action "tap"`,
		`actions/sign-in.yaml:1:1: "sign-in" cannot be the name of an action`} {
		if !strings.Contains(err, want) {
			t.Errorf("want %s in\n%s", want, err)
		}
	}
}

// An element takes the place of a parameter, with what is around it.
func TestOwnActionElements(t *testing.T) {
	t.Parallel()
	own := ownFiles(map[string]string{"actions/touch.yaml": `params: {what: {type: selector, required: true}}
steps:
  - tap: ${what}
  - assertElement: {label: "${what}", visible: true}
  - tap: {label: Save, below: "${what}"}
  - inner: {label: "${what}"}
`, "actions/inner.yaml": "params: {label: {type: selector}}\nsteps: [{tap: \"${label}\"}]\n"})
	test, err := checkedWith(own, "  - touch: {what: {id: go, first: true}}\n")
	if err != nil {
		t.Fatal(err)
	}
	scope, err := dsl.NewScope(test, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	args, _, err := dsl.Bind(test.Steps[0], scope)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := scope.Action(test.Steps[0].Block, args.(interface{ Params() map[string]any }).Params())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, step := range test.Steps[0].Block.Steps {
		args, _, err := dsl.Bind(step, inner)
		if err != nil {
			t.Fatal(err)
		}
		switch a := args.(type) {
		case dsl.Tap:
			got = append(got, fmt.Sprint(a.ID, a.Label, a.First, a.Below != nil && a.Below.ID == "go"))
		case dsl.AssertElement:
			got = append(got, fmt.Sprint(a.ID, a.Label, a.First))
		}
	}
	want := "[gotruefalse gotrue Savefalsetrue]"
	if strings.ReplaceAll(fmt.Sprint(got), " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("%v, want %s", got, want)
	}
}

// Own actions are in the schema and the reference.
func TestOwnActionsAreDescribed(t *testing.T) {
	t.Parallel()
	own := ownFiles(map[string]string{"actions/signIn.yaml": signInFile})
	text, known := dsl.ReferenceOf("signIn", own)
	for _, want := range []string{"Sign in as a user.", "signIn: {user: ada}", "**`user`**", "login name",
		"`admin`, `guest`",
		"default `5s`", "actions/signIn.yaml", "`result`"} {
		if !known || !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if schema := fmt.Sprint(dsl.Schema(own)); !strings.Contains(schema, "login name") {
		t.Error("the schema does not know the action")
	}
}
