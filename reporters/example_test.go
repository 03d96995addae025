package reporters_test

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/reporters"
)

// tap is a reporter that is written outside of this module: it turns events into the Test Anything Protocol.
func tap(events []reporters.Event) string {
	result := reporters.Fold(events)
	line := "not ok"
	if result.Result == reporters.Pass {
		line = "ok"
	}
	line += " - " + result.Case.ID
	for _, step := range result.Steps {
		if step.Problem != nil {
			line += fmt.Sprintf("\n  # step %d: %s", step.N, step.Problem.Message)
		}
	}
	return line
}

func ExampleReadEvents() {
	const file = `{"time":"2026-03-04T05:06:07Z","event":"case_started","case":{"id":"login","pack":"login",` +
		`"platform":"web","solver":"dsl","steps":[{"n":1,"action":"tap","args":"Sign in"}]}}
{"time":"2026-03-04T05:06:08Z","event":"step_started","step":1}
{"time":"2026-03-04T05:06:18Z","event":"step_ended","step":1,"result":"fail","duration_ms":10000,` +
		`"problem":{"message":"\"Sign in\" is not on the screen"}}
{"time":"2026-03-04T05:06:19Z","event":"case_ended","result":"fail","duration_ms":12000}
`
	events, err := reporters.ReadEvents(strings.NewReader(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(events), events[0].Kind == reporters.CaseStarted)
	fmt.Println(tap(events))
	// Output:
	// 4 true
	// not ok - login
	//   # step 1: "Sign in" is not on the screen
}
