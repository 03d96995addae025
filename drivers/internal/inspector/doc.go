// Package inspector speaks with the Web Inspector of iOS, as Safari on a Mac does: it lists the pages that apps let be
// inspected, and sends commands of WebKit's inspector protocol to one of them.
package inspector
