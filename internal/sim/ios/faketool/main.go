// Command faketool is xcrun, ios or ios_webkit_debug_proxy, as it is called: it hands its arguments to the lab of the
// test that built it.
package main

import (
	"os"

	"github.com/taproot-dev/taproot/internal/sim/ios/host"
)

func main() { os.Exit(host.Tool(os.Args, os.Environ())) }
