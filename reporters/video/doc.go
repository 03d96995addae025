// Package video turns parts of a film, or pictures, into one mp4 file that every browser plays, by running ffmpeg.
package video
