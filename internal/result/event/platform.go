package event

import (
	"slices"
	"strings"
)

// Platform is what a test runs on: android, ios or web; of a test's header also both, or several with commas between
// them.
type Platform string

// The platforms. Both is for a test's header only: one case on Android and one on iOS.
const (
	Android Platform = "android"
	IOS     Platform = "ios"
	Web     Platform = "web"
	Both    Platform = "both"
)

// PlatformOf is the platform of a test that runs on each of some: "android,web"; of android and ios it is Both.
func PlatformOf(each []Platform) Platform {
	var words []string
	for _, p := range []Platform{Android, IOS, Web} {
		if slices.Contains(each, p) {
			words = append(words, string(p))
		}
	}
	if all := Platform(strings.Join(words, ",")); all != "android,ios" {
		return all
	}
	return Both
}

// Each returns the single platforms.
func (p Platform) Each() []Platform {
	switch p {
	case "":
		return nil
	case Both, "mobile":
		return []Platform{Android, IOS}
	}
	var each []Platform
	for one := range strings.SplitSeq(string(p), ",") {
		each = append(each, Platform(one))
	}
	return each
}

// Has reports whether the platform is one, or one of several.
func (p Platform) Has(one Platform) bool { return slices.Contains(p.Each(), one) }

// Words names the platform in a sentence.
func (p Platform) Words() string {
	each := p.Each()
	if len(each) < 2 {
		return string(p)
	}
	words := make([]string, len(each))
	for i, one := range each {
		words[i] = string(one)
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
