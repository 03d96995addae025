// Package check turns files into tests: it reads their steps, links their blocks, binds their variables, and checks
// tests against platforms and browsers.
package check
