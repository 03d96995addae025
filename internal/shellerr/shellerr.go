// Package shellerr finds the line in the output of a shell command that explains why the command failed.
package shellerr

import (
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const maxLine = 300

// How well a line explains a failure. Among equally good lines the first one counts.
const (
	noise   = iota // a stack frame, a headline of what follows, a part of the usage
	plain          // any other line
	failure        // the tool's own message: "Error: …", "Failure […]", "not found"
	thrown         // an exception
	refused        // an exception or a sentence about a permission that the caller does not have
)

var (
	frame = lazyregexp.New(`^(?:at [\w$.<>/]+\(.*|\.\.\. \d+ more)$`)
	// headline announces an exception that follows, or repeats the request.
	headline = lazyregexp.New(
		`^(?:Exception occurred while |Remote stack trace|WARNING: linker|Starting: Intent|Stopping: |` +
			`Performing |pkg: /|(?:bash )?arg: |args: \[|Warning: |\d[\d ]*$|(?i:usage: ))`)
	exception = lazyregexp.New(
		`(?:^|[\s:(])(?:[a-z][\w]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable|Failure)(?::\s*(.*))?$`)
	permission = lazyregexp.New(
		`SecurityException: \S|^Security exception: |(?i:permission deni)|(?i:operation not (?:allowed|permitted))`)
	words = lazyregexp.New(
		`^(?:\* ?)?(?i:error\b|failure\b|failed\b|fatal\b|unknown\b|invalid\b|bad\b|unable\b|\*\* ` +
			`|killed$|aborted$|segmentation )|` +
			`(?i:not found|no such |cannot|can't|could not|does not exist|refused|unable to|denied|didn't)`)
	errorType = lazyregexp.New(`^Error type \d+$`) // a message follows
)

// Line returns the line of a shell's output that best explains why a command failed, shortened, or "" when there is
// none. It prefers an exception to a headline above it such as "Exception occurred while executing 'clear':", the cause
// to the exception, and a refused permission to everything else.
func Line(output string) string {
	best, grade := "", -1
	inTrace := false // the previous line belongs to the exception that is the best so far
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		now := grading(line)
		cause := strings.HasPrefix(line, "Caused by: ")
		if now > grade || inTrace && cause && now == grade && hasMessage(line) {
			best, grade, inTrace = strings.TrimPrefix(line, "Caused by: "), now, now >= thrown
			continue
		}
		inTrace = inTrace && (cause || now == noise)
	}
	return phrase.LimitBytes(best, maxLine)
}

// Refused reports whether a shell's output says that a permission is missing.
func Refused(output string) bool {
	for line := range strings.Lines(output) {
		if grading(strings.TrimSpace(line)) == refused {
			return true
		}
	}
	return false
}

func grading(line string) int {
	switch {
	case frame.MatchString(line), headline.MatchString(line):
		return noise
	case permission.MatchString(line):
		return refused
	case exception.MatchString(line) && !strings.HasSuffix(line, "stack trace:"):
		return thrown
	case errorType.MatchString(line):
		return plain
	case words.MatchString(line):
		return failure
	}
	return plain
}

// hasMessage reports whether an exception has a message in addition to its class.
func hasMessage(line string) bool {
	m := exception.FindStringSubmatch(line)
	return m != nil && m[1] != "" && !exception.MatchString(m[1])
}
