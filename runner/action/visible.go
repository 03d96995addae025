package action

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

// conditionTime is how long a condition looks for something that is not there; what is there costs one look.
const conditionTime = time.Second

// Visible tells whether a label is on the screen, for conditions: that it is not is an answer, not a failure.
func Visible(ctx context.Context, s *Session, label string) (bool, error) {
	asked := *s
	asked.Detail = &event.Detail{} // looking for a condition is no part of any step
	_, err := newScreenReader(&asked).locate(ctx, dsl.Selector{Label: label}, conditionTime)
	if errors.Is(err, errWait) {
		return false, nil
	}
	return err == nil, err
}
