package android

import (
	"context"
	"fmt"
	"strings"
)

// Kill ends the process of an app in the background, as a system short of memory does.
func (d *Device) Kill(ctx context.Context, app string) error {
	pkg, err := d.packageOf(app)
	if err != nil {
		return err
	}
	o, err := d.run(ctx, command{name: "am kill", line: "am kill " + pkg})
	if err == nil && (o.code != 0 || strings.Contains(o.text(), "Error")) {
		err = fmt.Errorf("device %s: kill %s: %s", d.link.serial, pkg, o.reason())
	}
	return err
}
