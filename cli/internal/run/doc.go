// Package run is taproot run: flags become the runner's configuration, the cases run here or on a farm, and an exit
// code comes out.
package run
