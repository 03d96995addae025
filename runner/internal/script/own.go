package script

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"github.com/taproot-dev/taproot/internal/source"
)

// Give sets a variable of any type: nil, bool, int, float64, a number of any size, string, []any or map[string]any.
func (e *Engine) Give(name string, x any) error {
	data, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("the parameter %q: %w", name, err)
	}
	parse, _ := goja.AssertFunction(e.vm.Get("json"))
	v, err := parse(goja.Undefined(), e.vm.ToValue(string(data)))
	if err != nil {
		return fmt.Errorf("the parameter %q: %w", name, err)
	}
	if e.given == nil {
		e.given = map[string]goja.Value{}
	}
	e.given[name] = v
	return nil
}

// maxOutput is the largest result of a script, as JSON.
const maxOutput = 1 << 20

// Output returns what scripts have put into output, with numbers as they are.
func (e *Engine) Output(ctx context.Context, at Where) (any, error) {
	e.ctx = ctx
	e.watch = startWatch(ctx, e.vm, time.Second, nil)
	defer e.watch.end()
	value, err := e.vm.RunString("JSON.stringify(output)")
	if err != nil {
		return nil, e.failure(ctx, err, at)
	}
	text := value.String()
	if len(text) > maxOutput {
		return nil, &Error{File: at.File, Message: fmt.Sprintf("output is larger than %d bytes", maxOutput)}
	}
	clean, src, bad := source.Readable("output", []byte(text))
	if bad != nil {
		return nil, bad
	}
	values, err := source.Read(clean, src)
	if err != nil || len(values) != 1 {
		return nil, &Error{File: at.File, Message: "output is not a value that JSON knows"}
	}
	return values[0].Go(), nil
}
