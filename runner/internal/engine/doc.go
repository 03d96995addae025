// Package engine runs one case on one device: it takes a planned case and an open device, and sends events and
// screenshots to a sink as they happen. It does not depend on Ginkgo, on other cases, or on the format of reports.
package engine
