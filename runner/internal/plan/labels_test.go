package plan

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
)

// Suites in YAML and in Go are chosen by one language: the parser says of every filter what Ginkgo's own says.
func TestLabelsAreChosenAsByGinkgo(t *testing.T) {
	words := []string{"smoke", "SLOW", "log in", "env:dev", "env:test", "&&", "&&", "||", ",", "!", "(", ")", "/^s/", "/o",
		"/(/", "&", "|", "env: containsAny {dev, prod}",
		"env: containsall dev", "Env: consistsOf {dev}", "env: isSubsetOf {dev,test,}", "env: isEmpty", "env: isempty x",
		"none: isEmpty", "env:", ": x", "env containsAny x", ":", "a:b:c", "{", "}"}
	sets := [][]string{nil, {"smoke"}, {"slow", "smoke"}, {"Log In", "env:dev"}, {"env:DEV", "env:test"},
		{"env: prod", "slow"}, {"a:b:c", "one"}}
	random := rand.New(rand.NewPCG(1, 2))
	good := 0
	for range 20000 {
		var parts []string
		for range 1 + random.IntN(6) {
			parts = append(parts, words[random.IntN(len(words))])
		}
		text := strings.Join(parts, []string{" ", ""}[random.IntN(2)])
		want, wantErr := types.ParseLabelFilter(text)
		got, err := parseLabels(text)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%q: %v, Ginkgo says %v", text, err, wantErr)
			continue
		}
		if err != nil {
			continue
		}
		good++
		for _, labels := range sets {
			if got(labels) != want(labels) {
				t.Errorf("%q chooses %q: %v; in Ginkgo: %v", text, labels, got(labels), want(labels))
			}
		}
	}
	if good < 1000 {
		t.Errorf("only %d filters were right", good)
	}
}

// A filter that is wrong says what is wrong with it.
func TestWrongLabels(t *testing.T) {
	for text, want := range map[string]string{
		"a &&": "ends where a label", "a & b": `did you mean "&&"`, "((smoke": "no ')'", "a)": "no '('",
		"a b || (c": "no ')'", "(a) b": "operator is missing",
		"|| a": "nothing before", "/(/": "missing closing", "env: has x": "not an operation",
		"env: isEmpty x":      "takes no value",
		"env: containsAny":    "needs a value",
		"env: containsAny {a": "no '}'", "env: containsAny {a,}": "not a value", "env containsAny a": "is a ':' missing",
	} {
		if _, err := parseLabels(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
