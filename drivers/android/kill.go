package android

import (
	"context"
	"fmt"
)

// Kill ends the process of an app in the background, as a system short of memory does.
func (a *apps) Kill(ctx context.Context, app string) error {
	pkg, err := a.packages.packageOf(app)
	if err != nil {
		return err
	}
	o, err := a.phone.run(ctx, command{name: "am kill", line: "am kill " + pkg})
	if err == nil && (o.failed()) {
		err = fmt.Errorf("device %s: kill %s: %s", a.phone.link.serial, pkg, a.phone.why(o))
	}
	return err
}
