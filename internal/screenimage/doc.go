// Package screenimage writes and reads images of screens. It writes PNG files in a quarter of the time of image/png: it
// uses one filter instead of trying five, and compresses parts of an image in parallel. The files have about the same
// size. It reads the video streams of agents on phones: multipart/x-mixed-replace with two deviations. The boundary
// starts with hyphens that are not doubled in the body, and an image may precede the header.
package screenimage
