package screen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Dated reports whether the value of a field of that kind is a date, a time or a part of them.
func Dated(picker string) bool { return ISOExample(picker) != "" }

// ISOExample is a value as fields of that kind spell it, whatever they show; "" for fields without a date or a time.
func ISOExample(picker string) string {
	return map[string]string{"date": "2026-11-22", "month": "2026-11", "week": "2026-W47", "time": "09:30",
		"datetime-local": "2026-11-22T09:30"}[picker]
}

// PickedValue is the value of a date, a time or the like that a text means: in its own spelling (2026-11-22, 09:30), or
// as it is written where the parts of a date are in the given order, such as "dmy". A text that means none, or of which
// that is not certain, returns false.
func PickedValue(picker, text, order string) (string, bool) {
	text = strings.TrimSpace(text)
	switch picker {
	case "date":
		return dateOf(text, order)
	case "time":
		return clockOf(text)
	case "month":
		return monthOf(text, order)
	case "week":
		return weekOf(text)
	case "datetime-local":
		return momentOf(text, order)
	}
	return "", false
}

var (
	isoDate  = lazyregexp.New(`^(\d{4,6})-(\d\d)-(\d\d)$`)
	isoMonth = lazyregexp.New(`^(\d{4,6})-(\d\d)$`)
	isoWeek  = lazyregexp.New(`(?i)^(\d{4,6})-?W(\d\d)$`)
	anyWeek  = lazyregexp.New(`(?i)^(?:week|w)?\s*(\d{1,2})\s*[,/ ]\s*(\d{4})$`)
	anyClock = lazyregexp.New(`(?i)^(\d{1,2})(?:[:.](\d\d)(?:[:.](\d\d(?:\.\d{1,3})?))?)?\s*([ap])?\.?(?:m\.?)?$`)
	runTimes = lazyregexp.New(`(?i)^(\d\d)(\d\d)\s*([ap])?\.?(?:m\.?)?$`)
)

func dateOf(text, order string) (string, bool) {
	if m := isoDate.FindStringSubmatch(text); m != nil {
		return realDate(m[1], m[2], m[3])
	}
	parts, named := dateParts(text)
	if len(parts) == 1 && len(parts[0]) == 8 && len(order) == 3 { // the keys alone
		parts = cutAs(parts[0], order)
	}
	if len(parts) != 3 {
		return "", false
	}
	if named >= 0 {
		return namedDate(parts, named)
	}
	if len(order) != 3 {
		return "", false
	}
	if len(parts[0]) >= 4 { // a leading year is followed by the month everywhere
		order = "ymd"
	}
	at := map[byte]string{order[0]: parts[0], order[1]: parts[1], order[2]: parts[2]}
	return realDate(at['y'], at['m'], at['d'])
}

// dateParts takes a date apart. named is the part that was the name of a month, -1 where none was.
func dateParts(text string) (parts []string, named int) {
	named = -1
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && (r < '0' || r > '9') })
	for _, word := range words {
		switch month := monthNamed(word); {
		case month > 0:
			named = len(parts)
			parts = append(parts, strconv.Itoa(month))
		case strings.Trim(word, "0123456789") == "":
			parts = append(parts, word)
		case strings.ContainsAny(word, "年月日년월일"):
			parts = append(parts, numbers(word)...)
		default:
			return nil, -1
		}
	}
	return parts, named
}

// monthNamed is the month of an English name, or of its first three characters; 0 for other words.
func monthNamed(word string) int {
	for month := time.January; month <= time.December; month++ {
		if name := month.String(); strings.EqualFold(word, name) || strings.EqualFold(word, name[:3]) {
			return int(month)
		}
	}
	return 0
}

// namedDate is a date with the name of a month: of the two numbers, the year has four digits.
func namedDate(parts []string, named int) (string, bool) {
	month := parts[named]
	rest := append(append([]string{}, parts[:named]...), parts[named+1:]...)
	switch {
	case len(rest[1]) == 4 && len(rest[0]) < 3:
		return realDate(rest[1], month, rest[0])
	case len(rest[0]) == 4 && len(rest[1]) < 3:
		return realDate(rest[0], month, rest[1])
	}
	return "", false
}

// cutAs cuts digits that run together into the parts of a date.
func cutAs(digits, order string) (parts []string) {
	for _, part := range order {
		n := 2
		if part == 'y' {
			n = 4
		}
		parts, digits = append(parts, digits[:n]), digits[n:]
	}
	return parts
}

// realDate is a date in its own spelling, if there is such a day.
func realDate(year, month, day string) (string, bool) {
	y, errY := strconv.Atoi(year)
	m, errM := strconv.Atoi(month)
	d, errD := strconv.Atoi(day)
	if errY != nil || errM != nil || errD != nil || len(year) < 4 || len(month) > 2 || len(day) > 2 {
		return "", false
	}
	date := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if date.Year() != y || int(date.Month()) != m || date.Day() != d {
		return "", false
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, d), true
}

func monthOf(text, order string) (string, bool) {
	if m := isoMonth.FindStringSubmatch(text); m != nil {
		value, ok := realDate(m[1], m[2], "1")
		return strings.TrimSuffix(value, "-01"), ok
	}
	parts, _ := dateParts(text)
	if len(parts) == 1 && len(parts[0]) == 6 && order != "" {
		parts = cutAs(parts[0], strings.ReplaceAll(order, "d", ""))
	}
	if len(parts) != 2 {
		return "", false
	}
	if len(parts[0]) < 4 {
		parts[0], parts[1] = parts[1], parts[0]
	}
	value, ok := realDate(parts[0], parts[1], "1")
	return strings.TrimSuffix(value, "-01"), ok
}

func weekOf(text string) (string, bool) {
	year, week := "", ""
	if m := isoWeek.FindStringSubmatch(text); m != nil {
		year, week = m[1], m[2]
	} else if m := anyWeek.FindStringSubmatch(text); m != nil {
		year, week = m[2], m[1]
	}
	n, err := strconv.Atoi(week)
	if err != nil || n < 1 || n > 53 {
		return "", false
	}
	return fmt.Sprintf("%s-W%02d", year, n), true
}

func clockOf(text string) (string, bool) {
	hour, minute, second, half := "", "00", "", ""
	if m := runTimes.FindStringSubmatch(text); m != nil {
		hour, minute, half = m[1], m[2], m[3]
	} else if m := anyClock.FindStringSubmatch(text); m != nil && (m[2] != "" || m[4] != "") {
		hour, second, half = m[1], m[3], m[4]
		if m[2] != "" {
			minute = m[2]
		}
	}
	h, err := strconv.Atoi(hour)
	n, _ := strconv.Atoi(minute)
	s, _ := strconv.ParseFloat(second, 64) // none is 0
	if err != nil || n > 59 || s >= 60 {
		return "", false
	}
	if half != "" {
		if h < 1 || h > 12 {
			return "", false
		}
		h %= 12
		if strings.EqualFold(half, "p") {
			h += 12
		}
	}
	value := fmt.Sprintf("%02d:%s", h, minute)
	if second != "" {
		value += ":" + second
	}
	return value, h < 24
}

func momentOf(text, order string) (string, bool) {
	if digits := regexp.MustCompile(`^(\d{8})\s*,?\s*(\d{4}\s*(?:[apAP][mM]?)?)$`).FindStringSubmatch(
		text); digits != nil {
		text = digits[1] + " " + digits[2]
	}
	// The time is what is behind the last space, T or comma that leaves a date before it.
	for at := 1; at < len(text); at++ {
		if text[at] != ' ' && text[at] != 'T' && text[at] != ',' {
			continue
		}
		date, ok := dateOf(strings.TrimRight(text[:at], " ,"), order)
		clock, well := clockOf(strings.TrimLeft(text[at:], " ,T"))
		if ok && well {
			return date + "T" + clock, true
		}
	}
	return "", false
}

// sameMoment compares the values of dates and times; seconds that are none may be left out.
func sameMoment(a, b string) bool {
	short := func(s string) string {
		if strings.Count(s, ":") == 2 {
			s = strings.TrimSuffix(strings.TrimRight(strings.TrimRight(s, "0"), "."), ":")
		}
		return s
	}
	return strings.EqualFold(short(a), short(b))
}
