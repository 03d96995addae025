package dsl

import (
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
)

// Secrets returns the values in a step's argument that no report may show, with the variables filled in that have
// values now.
func Secrets(step *Step, s *Scope) []string {
	if step.foreign != nil || len(SecretsIn(step.Args)) == 0 {
		return nil
	}
	f := filling{scope: s, source: step.source}
	return SecretsIn(f.arguments(step, false))
}

// SecretsIn is Secrets for an argument.
func SecretsIn(args source.Value) []string {
	if args.Kind != source.Map {
		return nil
	}
	credentials, ok := args.Get("httpCredentials")
	if !ok || credentials.Value.Kind != source.Map {
		return nil
	}
	password, _ := credentials.Value.Get("password")
	if strings.TrimSpace(password.Value.Text) == "" {
		return nil
	}
	return []string{password.Value.Text}
}
