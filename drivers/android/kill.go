package android

import (
	"context"
	"fmt"
)

// Kill ends the process of an app in the background, as a system short of memory does.
func (d *Device) Kill(ctx context.Context, app string) error {
	pkg, err := d.packageOf(app)
	if err != nil {
		return err
	}
	o, err := d.run(ctx, command{name: "am kill", line: "am kill " + pkg})
	if err == nil && (o.failed()) {
		err = fmt.Errorf("device %s: kill %s: %s", d.link.serial, pkg, d.why(o))
	}
	return err
}
