package web

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// identifyLimit bounds the question what the page is: one that hangs must not hold the test up.
const identifyLimit = time.Second

// identifyScript reads the title of the page and the meta elements by which builds are commonly marked.
const identifyScript = `() => {
  const meta = document.querySelector(['version', 'app-version', 'build', 'revision', 'commit', 'git-commit'].map(n ` +
	`=> 'meta[name="' + n + '" i]').join(','));
  return [location.origin === 'null' ? location.protocol + '//' : location.origin, document.title.slice(0, 200), ` +
	`meta ? meta.content.slice(0, 100) : ''];
}`

// Identify queries the open page for its title and its version.
func (sc *Scripts) Identify(ctx context.Context) (*drivers.Identity, error) {
	value, err := sc.Eval(ctx, identifyScript, identifyLimit)
	if errors.Is(err, drivers.ErrPage) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	id, texts := &drivers.Identity{}, [3]string{}
	if list, ok := value.([]any); ok && len(list) == len(texts) {
		for i := range texts {
			texts[i], _ = list[i].(string) // what is not a text is unknown
		}
	}
	id.ID, id.Title, id.Version = texts[0], texts[1], texts[2]
	return id, nil
}
