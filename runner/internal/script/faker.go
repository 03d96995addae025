package script

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Faker makes data of persons and places that do not exist. The names are those of datafaker that flows use: group,
// kind.
type Faker struct{ *rand.Rand }

// NewFaker makes a Faker; the seed 0 makes different data each time.
func NewFaker(seed uint64) Faker {
	if seed == 0 {
		seed = rand.Uint64()
	}
	return Faker{rand.New(rand.NewPCG(seed, 0))}
}

func (f Faker) of(list string) string {
	all := strings.Split(list, ",")
	return all[f.IntN(len(all))]
}

func (f Faker) letters(from string, n int) string {
	var b strings.Builder
	for range min(max(n, 0), 10_000) {
		b.WriteByte(from[f.IntN(len(from))])
	}
	return b.String()
}

const (
	digits = "0123456789"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	givens = "Ada,Alan,Anna,Ben,Clara,David,Elena,Emil,Eva,Felix,Grace,Hugo,Ida,Ivan,Jane,Karl,Lena,Luis," +
		"Maria,Max,Nina,Omar,Paula,Rosa,Sven,Tara,Uma,Victor,Wei,Yara"
	families = "Adler,Baker,Brown,Costa,Diaz,Evans,Fischer,Garcia,Hansen,Ito,Jones,Keller,Lopez,Meyer,Nowak," +
		"Olsen,Patel,Quinn,Rossi,Silva,Smith,Taylor,Ueda,Vogel,Weber,Young,Zhang"
	cities = "Berlin,Lagos,Lima,Osaka,Oslo,Porto,Quito,Tunis,Utrecht,Cairo,Dublin,Geneva,Hanoi,Izmir,Jaipur," +
		"Kyoto,Lyon,Madrid,Nairobi,Prague"
	countries = "Brazil,Canada,Finland,Ghana,India,Japan,Kenya,Mexico,Nepal,Spain,Austria,Chile,Denmark,Estonia," +
		"France,Greece,Iceland,Norway,Peru,Vietnam"
	colors = "red,green,blue,yellow,orange,purple,pink,brown,black,white,gray,cyan,magenta,lime,maroon,navy," +
		"olive,teal,violet,indigo"
	streets = "Oak Street,Main Street,Hill Road,Lake Avenue,Park Lane,Mill Road,Station Road,Church Street,Garden " +
		"Way,River Walk"
	latin = "lorem,ipsum,dolor,sit,amet,consectetur,adipiscing,elit,sed,do,eiusmod,tempor,incididunt,ut," +
		"labore,et,dolore,magna,aliqua"
	companies = "Acme,Borealis,Cobalt,Delta,Everest,Fjord,Granite,Harbor,Indigo,Juniper"
	products  = "Chair,Table,Lamp,Shirt,Watch,Bottle,Keyboard,Shoes,Bag,Gloves"
	materials = "Wooden,Steel,Cotton,Granite,Rubber,Plastic,Leather,Paper,Silk,Copper"
	jobs      = "Engineer,Teacher,Nurse,Designer,Architect,Analyst,Manager,Technician,Chemist,Lawyer"
	titles    = "The Long Road,A Quiet Sea,Winter Light,The Glass House,Northern Wind,Paper Boats,The Last Train,Silver " +
		"River"
)

// Name is a given name and a family name.
func (f Faker) Name() string { return f.of(givens) + " " + f.of(families) }

// Email is an address in a domain that is reserved for examples.
func (f Faker) Email() string {
	return strings.ToLower(f.of(givens)+"."+f.of(families)) + f.letters(digits, 4) + "@example.com"
}

// City is the name of a city.
func (f Faker) City() string { return f.of(cities) }

// Country is the name of a country.
func (f Faker) Country() string { return f.of(countries) }

// Color is the name of a color.
func (f Faker) Color() string { return f.of(colors) }

// Text is n characters of a-z, A-Z and 0-9.
func (f Faker) Text(n int) string { return f.letters(lowers+strings.ToUpper(lowers)+digits, n) }

// Digits is a number of n digits that does not start with zero.
func (f Faker) Digits(n int) string { return f.letters(digits[1:], 1) + f.letters(digits, n-1) }

func (f Faker) words(n int) string {
	all := make([]string, min(max(n, 0), 1000))
	for i := range all {
		all[i] = f.of(latin)
	}
	return strings.Join(all, " ")
}

func (f Faker) sentence() string {
	text := f.words(6)
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (f Faker) between(low, high int64) int64 {
	if high <= low {
		return low
	}
	return low + f.Int64N(high-low)
}

type fake = func(args []int64) any

// at is an argument, or its default.
func at(args []int64, i int, otherwise int64) int64 {
	if i < len(args) {
		return args[i]
	}
	return otherwise
}

// kinds are the groups with their kinds and functions.
func (f Faker) kinds() map[string]map[string]fake {
	text := func(make func() string) fake { return func([]int64) any { return make() } }
	list := func(words string) fake { return func([]int64) any { return f.of(words) } }
	sized := func(make func(int) string, usual int64) fake {
		return func(args []int64) any { return make(int(at(args, 0, usual))) }
	}
	between := func(args []int64) any { return f.between(at(args, 0, 0), at(args, 1, 1<<31-1)) }
	digit := func([]int64) any { return f.letters(digits, 1) }
	user := func([]int64) any { return strings.ToLower(f.of(givens) + "." + f.of(families)) }
	domain := func([]int64) any { return strings.ToLower(f.of(companies)) + ".example.com" }
	phone := text(func() string { return "+120255501" + f.letters(digits, 2) })
	return map[string]map[string]fake{
		"name": {"firstName": list(givens), "lastName": list(families), "fullName": text(f.Name), "name": text(f.Name),
			"username": user,
			"prefix":   list("Mr.,Ms.,Dr."), "suffix": list("Jr.,Sr.,II"), "title": list(jobs)},
		"internet": {"emailAddress": text(f.Email), "safeEmailAddress": text(f.Email), "username": user, "domainName": domain,
			"domainWord": list("acme,delta,fjord"),
			"url":        text(func() string { return "https://" + strings.ToLower(f.of(companies)) + ".example.com/" }),
			"password":   func(args []int64) any { return f.Text(int(f.between(at(args, 0, 8), at(args, 1, 16)+1))) },
			"uuid": text(func() string {
				const hex = "0123456789abcdef"
				return f.letters(hex, 8) + "-" + f.letters(hex, 4) + "-4" + f.letters(hex, 3) + "-a" + f.letters(hex, 3) + "-" +
					f.letters(hex, 12)
			}),
			"ipV4Address": text(func() string { return fmt.Sprintf("192.0.2.%d", f.IntN(255)) })},
		"address": {"cityName": text(f.City), "city": text(f.City), "country": text(f.Country), "streetName": list(streets),
			"buildingNumber": sized(f.Digits, 2),
			"streetAddress":  text(func() string { return f.Digits(2) + " " + f.of(streets) }),
			"fullAddress":    text(func() string { return f.Digits(2) + " " + f.of(streets) + ", " + f.City() }),
			"zipCode":        sized(f.Digits, 5), "postcode": sized(f.Digits, 5),
			"countryCode": list("BR,CA,FI,GH,IN,JP,KE,MX,NP,ES"),
			"state":       list("Ohio,Texas,Maine,Utah,Iowa"), "stateAbbr": list("OH,TX,ME,UT,IA"),
			"latitude":  text(func() string { return fmt.Sprintf("%.6f", f.Float64()*180-90) }),
			"longitude": text(func() string { return fmt.Sprintf("%.6f", f.Float64()*360-180) })},
		"phoneNumber": {"cellPhone": phone, "phoneNumber": phone, "phoneNumberInternational": phone},
		"number": {"digit": digit, "digits": sized(func(n int) string { return f.letters(digits, n) }, 1),
			"numberBetween": between,
			"randomDigit":   func([]int64) any { return f.IntN(10) }, "randomDigitNotZero": func([]int64) any {
				return 1 + f.IntN(9)
			},
			"randomNumber": func([]int64) any { return f.Int64N(1 << 50) }, "positive": func([]int64) any {
				return 1 + f.Int64N(1<<31-1)
			},
			"negative": func([]int64) any { return -1 - f.Int64N(1<<31-1) },
			"randomDouble": func(args []int64) any {
				return float64(f.between(at(args, 1, 0)*100, at(args, 2, 100)*100)) / 100
			}},
		"random": {"nextInt": between, "hex": sized(func(n int) string { return f.letters("0123456789abcdef", n) }, 8)},
		"lorem": {"word": list(latin), "words": sized(f.words, 3), "sentence": text(f.sentence),
			"paragraph":  text(func() string { return f.sentence() + " " + f.sentence() + " " + f.sentence() }),
			"characters": sized(f.Text, 255), "fixedString": sized(f.Text, 10)},
		"text":    {"text": sized(f.Text, 10)},
		"company": {"name": list(companies), "industry": list("Energy,Retail,Finance,Software")},
		"color":   {"name": text(f.Color), "hex": text(func() string { return "#" + f.letters("0123456789abcdef", 6) })},
		"commerce": {"productName": text(func() string { return f.of(materials) + " " + f.of(products) }),
			"department": list("Books,Garden,Music,Toys"), "material": list(materials),
			"price": text(func() string { return fmt.Sprintf("%.2f", float64(f.IntN(10000))/100) })},
		"job":    {"title": list(jobs), "position": list(jobs), "field": list("Education,Design,Sales")},
		"book":   {"title": list(titles), "author": text(f.Name), "publisher": list(companies)},
		"bool":   {"bool": func([]int64) any { return f.IntN(2) == 1 }},
		"animal": {"name": list("cat,dog,horse,lion,otter,tiger,zebra")},
		"food": {"dish": list("Pasta,Pizza,Risotto,Salad,Soup"), "fruit": list("Apple,Banana,Cherry,Plum"),
			"ingredient": list("Rice,Salt,Oil,Beans")},
		"country": {"name": text(f.Country), "capital": text(f.City), "countryCode2": list("br,ca,fi,gh,in")},
	}
}

// faker is the object of scripts: faker.name().firstName().
func (e *Engine) faker() *goja.Object {
	f := NewFaker(e.o.Seed)
	o := e.vm.NewObject()
	kinds := f.kinds()
	_ = o.Set("expression", func(call goja.FunctionCall) goja.Value {
		return e.vm.ToValue(expression(kinds, call.Argument(0).String()))
	})
	for group, members := range kinds {
		inner := e.vm.NewObject()
		for name, make := range members {
			_ = inner.Set(name, func(call goja.FunctionCall) goja.Value {
				args := []int64{}
				for _, a := range call.Arguments {
					args = append(args, a.ToInteger())
				}
				return e.vm.ToValue(make(args))
			})
		}
		_ = o.Set(group, func(goja.FunctionCall) goja.Value { return inner })
	}
	return o
}

var expressionPlace = lazyregexp.New(`#\{\s*([A-Za-z]+)\.([A-Za-z_]+)((?:[\s,]+'[^']*')*)\s*\}`)

// expression fills in #{group.kind 'argument' …}; a kind may be written with underscores.
func expression(kinds map[string]map[string]fake, text string) string {
	return expressionPlace.ReplaceAllStringFunc(text, func(place string) string {
		m := expressionPlace.FindStringSubmatch(place)
		name := ""
		for i, word := range strings.Split(m[2], "_") {
			if i > 0 && word != "" {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			name += word
		}
		make, known := kinds[strings.ToLower(m[1][:1])+m[1][1:]][name]
		if !known {
			return place
		}
		var args []int64
		for _, quoted := range strings.Split(m[3], "'") {
			if n, err := strconv.ParseInt(quoted, 10, 64); err == nil {
				args = append(args, n)
			}
		}
		return fmt.Sprint(make(args))
	})
}
