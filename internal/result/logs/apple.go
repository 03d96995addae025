package logs

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// The lines of Apple's logs: those of `log stream --style compact` have a type and no time zone, those of `--style
// syslog` have a zone and no type, and those of an iPhone's own syslog have neither a year nor a zone.
var (
	compactLine = lazyregexp.New(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ (Db|I|Df|A|E|F) +(.+?)\[(\d+):[0-9a-fA-F]+\] (.*)$`)
	syslogLine  = lazyregexp.New(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+[+-]\d{4} +\S+ (.+?)\[(\d+)\](?: <(\w+)>)?: ?(.*)$`)
	phoneLine   = lazyregexp.New(
		`^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? .*? ([^\s\[(]+)(?:\([^)]*\))?\[(\d+)\] <(\w+)>: ?(.*)$`)
	sender = lazyregexp.New(`^(?:\([^)]*\) )?(?:\[[\w.-]+:[^\]]*\] )?`) // library and subsystem, before the text
	// processOf is the system's name for the process of an app: [app<com.example.shop>:4711].
	processOf   = lazyregexp.New(`<(?:application\.)?([A-Za-z0-9.-]+?)(?:\.\d+\.\d+)?(?:\(\S*\))?>:(\d+)\]`)
	terminating = lazyregexp.New(
		`\*\*\* Terminating app due to uncaught exception|terminating (due to|with) uncaught exception|(^|: )(Fatal ` +
			`error|Precondition failed|Assertion failed): |^Fatal error\b|\*\*\* Assertion failure in`)
	appleThrew = lazyregexp.New(`\bNS[A-Z]\w*Exception\b|[Uu]ncaught (exception|error)|Unhandled (error|JS Exception)`)
	throwStack = lazyregexp.New(
		`^(\*\*\* First throw call stack|\(?\s*0x[0-9a-f]+ |\t?\d+\s+\S+\s+0x[0-9a-f]+|libc\+\+abi)`)
	processEnded = lazyregexp.New(`(?:Process exited|exited due to|termination reported|Corpse failure|Formulating fatal)`)
)

// appleEntry is a line of one of these logs.
type appleEntry struct{ level, process, pid, text string }

// appleOf reads a line; the level is E for an error, F for a fault, and otherwise "", also where it is unknown.
func appleOf(line string) (e appleEntry, ok bool) {
	if m := compactLine.FindStringSubmatch(line); m != nil {
		e = appleEntry{m[1], m[2], m[3], m[4]}
	} else if m := syslogLine.FindStringSubmatch(line); m != nil {
		e = appleEntry{m[3], m[1], m[2], m[4]}
	} else if m := phoneLine.FindStringSubmatch(line); m != nil {
		e = appleEntry{m[3], m[1], m[2], m[4]}
	} else {
		return e, false
	}
	switch e.level {
	case "E", "Error":
		e.level = "E"
	case "F", "Fault", "Critical", "Emergency", "Alert":
		e.level = "F"
	default:
		e.level = ""
	}
	return e, true
}

// apple reads a line of an iPhone's or a simulator's log: the end of the app, its exceptions, its errors and faults.
func (r *reader) apple(e appleEntry, at time.Time, windows []Window) {
	if m := processOf.FindStringSubmatch(e.text); m != nil && slices.Contains(r.app.Names, m[1]) {
		r.pids[m[2]] = true
		if processEnded.MatchString(e.text) && !r.pids[e.pid] {
			r.open = r.open[:0]
			if crashed.MatchString(e.text) {
				r.begin(at, event.Incident{Kind: event.IncidentCrash, Text: e.process + ": " + e.text, Cause: true}, windows)
			}
			return
		}
	}
	if !r.pids[e.pid] && !r.named(e.process) {
		r.open = r.open[:0]
		return
	}
	whose, text := e.pid+" "+e.process, e.text[len(sender.FindString(e.text)):]
	same := whose == r.source
	r.source = whose
	switch {
	case same && len(r.open) > 0 && throwStack.MatchString(text):
		r.more(text)
	case terminating.MatchString(text):
		r.begin(at, event.Incident{Kind: event.IncidentCrash, Text: text, Cause: true}, windows)
	case appleThrew.MatchString(text) && e.level != "":
		r.begin(at, event.Incident{Kind: event.IncidentException, Text: text, Cause: true}, windows)
	case e.level != "":
		r.begin(at, event.Incident{Kind: event.IncidentLog, Text: e.level + "/" + e.process + ": " + e.text,
			Cause: e.level == "F" && !ofTheSystem.MatchString(e.text)}, windows)
	default:
		r.open = r.open[:0]
	}
}

var (
	// crashed matches ends of a process that were not requested.
	crashed = lazyregexp.New(`(?i)signal|crash|watchdog|0x8badf00d|jetsam|abort|corpse`)
	// ofTheSystem matches errors and faults that the system's own libraries write in the app's name: every app has
	// some.
	ofTheSystem = lazyregexp.New(`^(?:\([^)]*\) )?\[com\.apple\.`)
	unnamed     = lazyregexp.New(`[^A-Za-z0-9]`)
)

// named reports whether the name of a process is the end of an app's identifier: Shop and com.example.shop.
func (r *reader) named(process string) bool {
	process = strings.ToLower(unnamed.ReplaceAllString(process, ""))
	return slices.ContainsFunc(r.app.Names, func(name string) bool {
		return process != "" &&
			process == strings.ToLower(unnamed.ReplaceAllString(strings.TrimPrefix(path.Ext(name), "."), ""))
	})
}
