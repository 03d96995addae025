// Package maestro reads flows of Maestro and writes them as YAML tests. The code is in runner/internal/syntax/maestro;
// this is what other folders need of it.
package maestro
