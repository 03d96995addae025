// Package geometry knows the measures of a device's screen: points of the app and pixels of screenshots go in, the
// other ones come out, and the bars that belong to the system.
package geometry
