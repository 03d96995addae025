// Package replay decides the steps of report packs again, on the recorded frames, and evaluates other questions on
// these. A report pack goes in, results come out. No device, network or clock is used.
package replay
