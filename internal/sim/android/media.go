package androidsim

import (
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Gallery lists the files that apps find in the media index.
func (p *Phone) Gallery() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.media))
}

// scan puts a file into the media index. Phone.mu is held.
func (p *Phone) scan(name string) {
	name = resolve("/", strings.TrimPrefix(name, "file://"))
	if _, err := p.files.stat(name); err == nil && strings.HasPrefix(name, "/sdcard/") {
		p.media["/storage/emulated/0"+strings.TrimPrefix(name, "/sdcard")] = 1000 + len(p.media)
	}
}

var dataIs = lazyregexp.New(`^_data='([^']*)'$`)

// cmdContent is the shell's way to content providers, of which there is one.
func cmdContent(c *call) int {
	verb, options := "", map[string]string{}
	if len(c.args) > 1 {
		verb = c.args[1]
	}
	for i := 2; i+1 < len(c.args); i += 2 {
		options[c.args[i]] = c.args[i+1]
	}
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	if !strings.HasPrefix(options["--uri"], "content://media") {
		c.errorf("[ERROR] Could not find provider: %s\n", options["--uri"])
		return 0
	}
	where := ""
	if m := dataIs.FindStringSubmatch(options["--where"]); m != nil {
		where = m[1]
	}
	switch verb {
	case "call":
		if c.phone.prof.api >= 30 && options["--method"] == "scan_file" {
			c.phone.scan(options["--arg"])
		}
		c.printf("Result: null\n")
	case "query":
		id, ok := c.phone.media[where]
		if !ok {
			c.printf("No result found.\n")
			break
		}
		c.printf("Row: 0 _id=%d\n", id)
	case "delete":
		delete(c.phone.media, where)
	default:
		return c.fail(1, "[ERROR] Unsupported command: %s", verb)
	}
	return 0
}
