package toolchain

import (
	"regexp"
	"strconv"
	"strings"
)

// versionPatterns find the version in the output of a program; the first group that matches is the version.
type versionPatterns []*regexp.Regexp

func patterns(exprs ...string) versionPatterns {
	var out versionPatterns
	for _, e := range exprs {
		out = append(out, regexp.MustCompile(e))
	}
	return out
}

// parse returns "" when no pattern matches: a program with another output is not the wanted one.
func (p versionPatterns) parse(output []byte) string {
	for _, re := range p {
		if m := re.FindSubmatch(output); m != nil {
			return string(m[1])
		}
	}
	return ""
}

// atLeast compares the numbers at the start of two versions. A version without a number, as ffmpeg's nightly builds
// have ("N-109542-g…"), counts as new.
func atLeast(version, minimum string) bool {
	have, want := numbers(version), numbers(minimum)
	if len(have) == 0 {
		return true
	}
	for i, w := range want {
		if i >= len(have) {
			return false
		}
		if have[i] != w {
			return have[i] > w
		}
	}
	return true
}

func numbers(version string) []int {
	var out []int
	for part := range strings.SplitSeq(strings.TrimLeft(version, "nv"), ".") {
		end := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		whole := end < 0
		if whole {
			end = len(part)
		}
		n, err := strconv.Atoi(part[:end])
		if err != nil {
			return out
		}
		out = append(out, n)
		if !whole {
			return out
		}
	}
	return out
}

// majorOf returns the first number of a version.
func majorOf(version string) string {
	major, _, _ := strings.Cut(version, ".")
	return major
}
