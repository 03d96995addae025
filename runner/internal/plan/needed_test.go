package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// chain is a project in which pay needs cart, and cart and order need login.
func chain(t *testing.T) string {
	return project(t, map[string]string{
		"suites/a/cart.yaml":  yaml("cart", "web", "needs: [login]\ntags: [shop]\n"),
		"suites/a/order.yaml": yaml("order", "android", "needs: login\n"),
		"suites/a/pay.yaml":   yaml("pay", "web", "needs: [cart]\ntags: [smoke]\n"),
		"suites/other.yaml":   yaml("other", "web", "tags: [smoke]\n"),
		"suites/z/login.yaml": "id: login\nplatform: web\nsteps:\n  - set: {token: abc}\n",
	})
}

// Ids, folders, tags, platforms, parts and reruns never leave out what a test needs, and it runs first, once.
func TestNeeds(t *testing.T) {
	dir := chain(t)
	want(t, packs(t, plan.Options{Dir: dir}), "login", "cart", "order", "pay", "other")
	want(t, packs(t, plan.Options{Dir: dir, Args: []string{"pay"}}), "login", "cart", "pay")
	want(t, packs(t, plan.Options{Dir: dir, Args: []string{"suites/a"}}), "login", "cart", "order", "pay")
	want(t, packs(t, plan.Options{Dir: dir, Labels: "smoke"}), "login", "cart", "pay", "other")
	want(t, packs(t, plan.Options{Dir: dir, Platform: dsl.Android}), "login", "order")
	want(t, packs(t, plan.Options{Dir: dir, Choice: plan.Choice{Only: map[string]bool{"pay": true}}}), "login", "cart",
		"pay")
	want(t, packs(t, plan.Options{Dir: dir, Labels: "smoke", Choice: plan.Choice{Repeat: 2}}),
		"login--rep-1", "cart--rep-1", "pay--rep-1", "other--rep-1", "login--rep-2", "cart--rep-2", "pay--rep-2",
		"other--rep-2")
	ran := map[string]int{}
	for i := range 3 {
		part := packs(t, plan.Options{Dir: dir, Choice: plan.Choice{Shard: plan.Shard{Index: i + 1, Count: 3}}})
		for _, name := range part {
			ran[name]++
		}
	}
	if fmt.Sprint(ran) != "map[cart:1 login:2 order:1 other:1 pay:1]" {
		t.Errorf("three parts run %v", ran)
	}
	for seed := range int64(20) {
		list := strings.Join(packs(t, plan.Options{Dir: dir, Choice: plan.Choice{Random: true, Seed: seed}}), " ")
		if strings.Index(list, "login") > strings.Index(list, "cart") || strings.Index(list, "cart") >
			strings.Index(list, "pay") || strings.Index(list, "login") > strings.Index(list, "order") {
			t.Errorf("the order %s", list)
		}
	}
}

// Needed cases are marked, and their rounds are kept apart.
func TestNeededCases(t *testing.T) {
	p, err := plan.Build(plan.Options{Dir: chain(t), Args: []string{"pay"}, Choice: plan.Choice{Repeat: 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Cases {
		if needed := c.Test.ID != "pay"; c.Needed != needed {
			t.Errorf("%s: needed %t", c.Pack, c.Needed)
		}
	}
	if got := fmt.Sprint(p.Cases[5].NeedsOf()); got != "[cart--rep-2]" {
		t.Errorf("%s needs %s", p.Cases[5].Pack, got)
	}
}

// What is wrong is refused with its place.
func TestNeedsThatAreWrong(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		words []string
	}{
		"unknown": {map[string]string{"a.yaml": yaml("a", "web", "needs: [b, logn]\n"), "b.yaml": yaml("b", "web"),
			"login.yaml": yaml("login", "web")},
			[]string{`a.yaml:3:12: no test has the id "logn"`, `did you mean "login"?`}},
		"cycle": {map[string]string{"a.yaml": yaml("a", "web", "needs: b\n"), "b.yaml": yaml("b", "web", "needs: [c]\n"),
			"c.yaml": yaml("c", "web", "needs:\n  - a\n")},
			[]string{"c.yaml:4:5: the tests need each other: a → b → c → a"}},
		"itself": {map[string]string{"a.yaml": yaml("a", "web", "needs: [a]\n")},
			[]string{"a.yaml:3:9: the tests need each other: a → a"}},
		"platforms": {map[string]string{"a.yaml": yaml("a", "web", "needs: [b]\n"), "b.yaml": yaml("b", "both")},
			[]string{`a.yaml:3:9: "b" has several cases: b--android, b--ios`, "one platform"}},
		"rows": {map[string]string{"a.yaml": yaml("a", "web", "needs: [b]\n"),
			"b.yaml": yaml("b", "web", "data: [{x: 1}]\n")}, []string{`"b" has several cases: b--row-1`}},
		"broken": {map[string]string{"a.yaml": yaml("a", "web", "needs: [b]\n"), "b.yaml": "id: b\nsteps:\n  - tapp: x\n"},
			[]string{`b.yaml:3:5: unknown action "tapp"`}},
		"value": {map[string]string{"a.yaml": "id: a\nplatform: web\nneeds: [login]\nsteps:\n" +
			"  - assert: ${needs.login.tokn}\n  - assertTrue: needs.login.token != \"\"\n",
			"login.yaml": "id: login\nplatform: web\nsteps:\n  - set: {token: abc}\n"},
			[]string{"a.yaml:5:13: ", "did you mean ${needs.login.token}?"}},
		"none": {map[string]string{"a.yaml": "id: a\nplatform: web\nsteps:\n  - assert: ${needs.login.token}\n"},
			[]string{"a.yaml:4:13: the variable ${needs} is not defined", "name them under needs"}},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, plan.Options{Dir: project(t, test.files), Args: []string{"a"}}, test.words...)
		})
	}
}
