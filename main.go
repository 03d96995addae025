// Command taproot tests what runs on phones and in browsers.
package main

import (
	"os"

	"github.com/taproot-dev/taproot/cli"
)

func main() { os.Exit(cli.Main(cli.SystemEnv())) }
