// Package touch touches pages with a mouse or with fingers, and proves that a touch met what it was aimed at.
package touch
