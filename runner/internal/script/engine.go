package script

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	// DefaultLimit is how long one script may compute. Waiting for a response of http does not count.
	DefaultLimit = 10 * time.Second
	// maxHeap is the largest growth of the process's memory while a script runs.
	maxHeap = 512 << 20
	// maxStack is the largest depth of function calls.
	maxStack = 2000
	// watchPace is the interval at which time and memory are checked.
	watchPace = 20 * time.Millisecond
	// maxCode is the largest script.
	maxCode = 1 << 20
)

// Options configure an engine.
type Options struct {
	Platform string        // android, ios, web
	Limit    time.Duration // of one script; 0: DefaultLimit
	Client   *http.Client  // of http; nil: scripts have no network access
	// Open returns the real path of a file that a multipart form names; nil: scripts cannot name files.
	Open func(name string) (string, error)
	// Log receives the texts of console.log; may be nil.
	Log func(text string)
	// Lookup returns variables that are not set in the engine; may be nil.
	Lookup func(name string) (string, bool)
	// Seed of faker's data; 0: another one each time.
	Seed uint64
	// Memory is how many bytes the values of a script may take; 0: maxHeap, of the whole process.
	Memory uint64
}

// Engine holds the values that outlive a script: output, the clipboard, and the variables in scope. It belongs to one
// run of one flow and to one goroutine.
type Engine struct {
	o      Options
	vm     *goja.Runtime
	env    map[string]string
	given  map[string]goja.Value // variables of any type; see Give
	outer  []map[string]string
	own    map[string]goja.Value // variables that the running script has assigned
	copied *goja.Object          // the object maestro
	watch  *watch
	ctx    context.Context
	dir    string // of the script's file
	read   bool   // the text of the running script was read
}

// New makes an engine.
func New(o Options) *Engine {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	e := &Engine{o: o, vm: goja.New(), env: map[string]string{}}
	e.vm.SetMaxCallStackSize(maxStack)
	e.prepare()
	return e
}

// Error is an error of a script.
type Error struct {
	Message   string
	File      string // "": the script is part of a command
	Line, Col int    // in the script, from 1; 0: unknown
}

func (e *Error) Error() string {
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Message)
	case e.File != "":
		return e.File + ": " + e.Message
	}
	return "script: " + e.Message
}

// Set sets a variable in the innermost scope.
func (e *Engine) Set(name, value string) { e.env[name] = value }

// Enter starts a scope: variables that are set in it end with Leave.
func (e *Engine) Enter() { e.outer = append(e.outer, maps.Clone(e.env)) }

// Leave ends the innermost scope.
func (e *Engine) Leave() {
	if n := len(e.outer); n > 0 {
		e.env, e.outer = e.outer[n-1], e.outer[:n-1]
	}
}

// SetCopied sets the clipboard's text for scripts.
func (e *Engine) SetCopied(text string) { _ = e.copied.Set("copiedText", text) }

// Where is the place of a script, for its errors and for relative file names.
type Where struct {
	File string // "": it is part of a command
	Dir  string
}

// Run runs a script and returns the spelling of its last value. The error is an *Error, or that of the context.
func (e *Engine) Run(ctx context.Context, code string, at Where) (string, error) {
	if len(code) > maxCode {
		return "", &Error{Message: fmt.Sprintf("the script is larger than %d bytes", maxCode), File: at.File}
	}
	e.own, e.ctx, e.dir, e.read = map[string]goja.Value{}, ctx, at.Dir, false
	_ = e.vm.Set(codeName, code)
	var memory *allowance
	if e.o.Memory > 0 {
		memory = allow(e.o.Memory)
		defer memory.end()
	}
	e.watch = startWatch(ctx, e.vm, e.o.Limit, memory)
	defer e.watch.end()
	var value goja.Value
	var err error
	memory.run(func() { value, err = e.vm.RunString(wrapped) })
	if err != nil {
		return "", e.failure(ctx, err, at)
	}
	text, err := e.spell(value)
	if err != nil {
		return "", e.failure(ctx, err, at)
	}
	return text, nil
}

// codeName holds the text of the running script; scripts cannot read it.
const (
	codeName  = "$taproot$code"
	scopeName = "$taproot$scope"
	// wrapped keeps var and let within the script, makes undeclared names undefined, and returns the last value.
	wrapped = "with (" + scopeName + ") { (function () { return eval(" + codeName + ") })() }"
)

// prepare sets the globals.
func (e *Engine) prepare() {
	vm := e.vm
	global := vm.GlobalObject()
	e.copied = vm.NewObject()
	_ = e.copied.Set("platform", e.o.Platform)
	_ = e.copied.Set("copiedText", goja.Undefined())
	_ = vm.Set("output", vm.NewObject())
	_ = vm.Set("maestro", e.copied)
	_ = vm.Set("console", e.console())
	_ = vm.Set("http", e.http())
	_ = vm.Set("faker", e.faker())
	scope := vm.NewProxy(vm.NewObject(), &goja.ProxyTrapConfig{
		Has: func(_ *goja.Object, name string) bool {
			if name == codeName { // eval reads it once
				hidden := e.read
				e.read = true
				return hidden
			}
			return true
		},
		HasSym: func(*goja.Object, *goja.Symbol) bool { return false },
		Get: func(_ *goja.Object, name string, _ goja.Value) goja.Value {
			if v, assigned := e.own[name]; assigned {
				return v
			}
			if v, is := e.given[name]; is {
				return v
			}
			if text, is := e.env[name]; is && !permanent(name) {
				return vm.ToValue(text)
			}
			if v := global.Get(name); v != nil && name != scopeName && name != codeName {
				return v
			}
			if e.o.Lookup != nil {
				if text, set := e.o.Lookup(name); set {
					return vm.ToValue(text)
				}
			}
			return goja.Undefined()
		},
		GetSym: func(*goja.Object, *goja.Symbol, goja.Value) goja.Value { return goja.Undefined() },
		Set: func(_ *goja.Object, name string, value, _ goja.Value) bool {
			e.own[name] = value
			return true
		},
	})
	_ = vm.Set(scopeName, scope)
	if _, err := vm.RunString(prelude); err != nil {
		panic(err) // the prelude is a constant
	}
}

// permanent names cannot be replaced by variables.
func permanent(name string) bool {
	switch name {
	case "http", "faker", "output", "maestro", "json", "relativePoint":
		return true
	}
	return false
}

// prelude defines the functions of scripts, and limits those that can make a text of any size at once.
const prelude = `
var json
function relativePoint(x, y) { return Math.ceil(x * 100) + '%,' + Math.ceil(y * 100) + '%' }
(function () {
	var max = 16777216
	// Whole numbers that a Number cannot hold become BigInts, which keep their digits in texts and in JSON.
	var parse = JSON.parse, stringify = JSON.stringify, mark = '\u0000exact:'
	BigInt.prototype.toJSON = function () { return mark + this }
	JSON.stringify = function (value, replacer, space) {
		var text = stringify(value, replacer, space)
		return text === undefined ? text : text.replace(/"\\u0000exact:(-?\d+)"/g, '$1')
	}
	json = function (text) {
		var value = parse(text), large = false
		var marked = String(text).replace(/"(?:\\.|[^"\\])*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, function (part) {
			if (!/^-?\d{16,}$/.test(part) || Number.isSafeInteger(Number(part))) return part
			large = true
			return '"\\u0000exact:' + part + '"'
		})
		if (!large) return value
		return parse(marked, function (key, value) {
			return typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value
		})
	}
	var repeat = String.prototype.repeat, start = String.prototype.padStart, end = String.prototype.padEnd
	function bound(n) { if (n > max) throw new RangeError('the text would be longer than ' + max + ' characters') }
	String.prototype.repeat = function (n) { bound(String(this).length * n); return repeat.call(this, n) }
	String.prototype.padStart = function (n, fill) { bound(n); return start.call(this, n, fill) }
	String.prototype.padEnd = function (n, fill) { bound(n); return end.call(this, n, fill) }
	var join = Array.prototype.join
	Array.prototype.join = function (sep) {
		if (this && this.length > 1000000) throw new RangeError('the list is longer than 1000000')
		return join.call(this, sep)
	}
})()
`

func (e *Engine) console() *goja.Object {
	c := e.vm.NewObject()
	log := func(call goja.FunctionCall) goja.Value {
		var parts []string
		for _, a := range call.Arguments {
			text, err := e.spell(a)
			if err != nil {
				panic(e.vm.NewGoError(err))
			}
			parts = append(parts, text)
		}
		if e.o.Log != nil {
			e.o.Log(clip(strings.Join(parts, " "), 10_000))
		}
		return goja.Undefined()
	}
	for _, name := range []string{"log", "info", "debug", "warn", "error"} {
		_ = c.Set(name, log)
	}
	return c
}

func clip(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

var syntaxPlace = lazyregexp.New(`^SyntaxError: (?:SyntaxError: )?<eval>: Line (\d+):(\d+) (.*)`)

// failure describes what went wrong and where.
func (e *Engine) failure(ctx context.Context, err error, at Where) error {
	out := &Error{Message: clip(err.Error(), 1000), File: at.File}
	var stopped *goja.InterruptedError
	var thrown *goja.Exception
	switch {
	case errors.As(err, &stopped):
		if why, ok := stopped.Value().(error); ok {
			if ctx.Err() != nil {
				return why
			}
			out.Message = why.Error()
		}
		e.vm.ClearInterrupt()
	case errors.As(err, &thrown):
		out.Message = clip(strings.TrimSpace(thrown.Value().String()), 1000)
		for _, frame := range thrown.Stack() {
			if frame.SrcName() == "<eval>" {
				out.Line, out.Col = frame.Position().Line, frame.Position().Column
				break
			}
		}
		if m := syntaxPlace.FindStringSubmatch(out.Message); m != nil {
			out.Line, _ = strconv.Atoi(m[1])
			out.Col, _ = strconv.Atoi(m[2])
			out.Message = "SyntaxError: " + m[3]
		}
	}
	var deep *goja.StackOverflowError
	if errors.As(err, &deep) {
		out.Message = "the functions call each other too deeply"
	}
	return out
}

// watch ends a script that computes too long or uses too much memory.
type watch struct {
	vm    *goja.Runtime
	own   *allowance // nil: maxHeap counts
	stop  chan struct{}
	done  chan struct{}
	pause chan bool
}

var (
	errTime   = errors.New("the script exceeded its time limit")
	errMemory = errors.New("the script uses too much memory")
)

func startWatch(ctx context.Context, vm *goja.Runtime, limit time.Duration, own *allowance) *watch {
	w := &watch{vm: vm, own: own, stop: make(chan struct{}), done: make(chan struct{}), pause: make(chan bool)}
	go w.run(ctx, limit)
	return w
}

func (w *watch) run(ctx context.Context, limit time.Duration) {
	defer close(w.done)
	tick := time.NewTicker(watchPace)
	defer tick.Stop()
	before, spent, last, waiting := heap(), time.Duration(0), time.Now(), false
	for {
		select {
		case <-w.stop:
			return
		case <-ctx.Done():
			w.vm.Interrupt(context.Cause(ctx))
			<-w.stop
			return
		case waits := <-w.pause:
			if !waiting {
				spent += time.Since(last)
			}
			last, waiting = time.Now(), waits
		case <-tick.C:
			if !waiting {
				spent += time.Since(last)
			}
			last = time.Now()
			if spent > limit {
				w.vm.Interrupt(fmt.Errorf("%w: %s", errTime, limit))
			} else if heap() > before+w.own.most() || w.own.exceeded() {
				w.vm.Interrupt(w.own.refusal())
			}
		}
	}
}

// waits pauses the time limit while the script waits for a response, and resumes it.
func (w *watch) waits(yes bool) {
	select {
	case w.pause <- yes:
	case <-w.done:
	}
}

func (w *watch) end() {
	close(w.stop)
	<-w.done
	w.vm.ClearInterrupt()
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
