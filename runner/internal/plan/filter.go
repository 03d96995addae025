package plan

import (
	"fmt"
	"slices"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// filter combines the filters into one function.
func filter(o Options) (func(Case) bool, error) {
	for _, p := range o.Platform.Each() {
		if !slices.Contains([]dsl.Platform{dsl.Android, dsl.IOS, dsl.Web}, p) {
			return nil, &Usage{fmt.Sprintf("platform %q is not known: use android, ios, web or mobile, or several with commas",
				o.Platform)}
		}
	}
	switch {
	case o.Browser == AllBrowsers && len(o.Browsers) == 0:
		return nil, &Usage{"browser all: which browsers are installed is known on this machine only, not on a farm: name one"}
	case !slices.Contains([]string{"", AllBrowsers, dsl.Chromium, dsl.Firefox, dsl.WebKit}, o.Browser):
		return nil, &Usage{fmt.Sprintf("browser %q is not known: use chromium, firefox or webkit, or all", o.Browser)}
	}
	labels, err := parseLabels(o.Labels)
	if err != nil {
		return nil, &Usage{fmt.Sprintf("label filter %q: %v", o.Labels, err)}
	}
	return func(c Case) bool {
		if (!isFlow(c.Test) || len(o.Args) > 1) && !maestro.Tagged(c.Test.Tags, o.IncludeTags, o.ExcludeTags) {
			return false
		}
		return (o.Platform == "" || c.on(o.Platform)) && (o.Labels == "" || labels(c.Labels))
	}, nil
}

// on reports whether the case runs on a platform, or one of its devices is of it; of several, on any.
func (c Case) on(p dsl.Platform) bool {
	return p.Has(c.Platform) || slices.ContainsFunc(c.Devices, func(e dsl.Entry) bool { return p.Has(e.Platform) })
}
