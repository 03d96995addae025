// Package network follows what pages request, and changes what they receive.
package network
