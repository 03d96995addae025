package action

import (
	"math/rand/v2"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// largestSeed is the largest that every reader of a report takes as a whole number.
const largestSeed = 1<<53 - 1

// random makes data of a kind. They depend on nothing but the step and its seed, which is in the report.
func (s *Session) random(a dsl.Input) string {
	seed := uint64(a.Seed)
	if seed == 0 {
		seed = s.seed()
	}
	s.note("random %s; seed: %d makes it again", a.Random, seed)
	d := generator{rand.New(rand.NewPCG(seed, 0))}
	switch a.Random {
	case "email":
		return strings.ToLower(d.of(given())+"."+d.of(kindOfValue())) + "." + d.letters("0123456789", 6) + "@example.com"
	case "name":
		return d.of(given()) + " " + d.of(kindOfValue())
	case "city":
		return d.of([]string{"Berlin", "Lagos", "Lima", "Osaka", "Oslo", "Porto", "Quito", "Tunis", "Utrecht", "Zürich"})
	case "country":
		return d.of([]string{"Brazil", "Canada", "Finland", "Ghana", "India", "Japan", "Kenya", "Mexico", "Nepal", "Spain"})
	case "color":
		return "#" + d.letters("0123456789abcdef", 6)
	case "phone": // of the block that is kept free for fiction
		return "+1202555" + "01" + d.letters("0123456789", 2)
	case "word":
		const consonants, vowels = "bcdfghklmnprst", "aeiou"
		return d.letters(consonants, 1) + d.letters(vowels, 1) + d.letters(consonants, 1) + d.letters(vowels, 1) + d.letters(
			"lmnrst", 1)
	case "number":
		return d.letters("123456789", 1) + d.letters("0123456789", length(a, 8)-1)
	}
	return d.letters("abcdefghijklmnopqrstuvwxyz", length(a, 20))
}

// seed returns the next one: of the session's own, when it has one.
func (s *Session) seed() uint64 {
	if s.seeds == nil {
		first := s.Seed
		if first == 0 {
			first = rand.Uint64()
		}
		s.seeds = rand.New(rand.NewPCG(first, 0))
	}
	return s.seeds.Uint64N(largestSeed) + 1
}

func length(a dsl.Input, otherwise int) int {
	if a.Length > 0 {
		return a.Length
	}
	return otherwise
}

func given() []string {
	return []string{"Ada", "Grace", "Alan", "Barbara", "Edsger", "Frances", "Donald", "Margaret", "Niklaus", "Radia"}
}

func kindOfValue() []string {
	return []string{"Lovelace", "Hopper", "Turing", "Liskov", "Dijkstra", "Allen", "Knuth", "Hamilton", "Wirth", "Perlman"}
}

type generator struct{ *rand.Rand }

func (d generator) of(list []string) string { return list[d.IntN(len(list))] }

func (d generator) letters(from string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(from[d.IntN(len(from))])
	}
	return b.String()
}
