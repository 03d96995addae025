// Package inspector has the WebViews of a simulated iPhone, and the Web Inspector that lists and opens their pages.
package inspector
