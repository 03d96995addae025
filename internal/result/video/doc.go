// Package video turns the parts of a recording, or screenshots, into one mp4 file that every browser plays, by running
// ffmpeg.
package video
