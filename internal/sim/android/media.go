package androidsim

import (
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

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
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
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
		if c.sys.prof.api >= 30 && options["--method"] == "scan_file" {
			c.sys.scan(options["--arg"])
		}
		c.printf("Result: null\n")
	case "query":
		id, ok := c.sys.media[where]
		if !ok {
			c.printf("No result found.\n")
			break
		}
		c.printf("Row: 0 _id=%d\n", id)
	case "delete":
		delete(c.sys.media, where)
	default:
		return c.fail(1, "[ERROR] Unsupported command: %s", verb)
	}
	return 0
}
