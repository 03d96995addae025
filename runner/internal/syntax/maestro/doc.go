// Package maestro reads test flows of Maestro: YAML bytes go in, tests of Taproot's step tree come out, of which the
// steps hold the commands with their texts as they are written, or all errors of the files at line and column. What a
// command means is done by the engine and by the performers of package action; nothing is translated into text on the
// way.
package maestro
