package vocabulary

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// pageText holds what the page of each action says beyond its row: pages.txt explains its format.
//
//go:embed pages.txt
var pageText string

// Page is what the documentation says of an action beyond its row and the descriptions of its fields.
type Page struct {
	Element  []ElementState // what the action waits for of its element
	Of       string         // the key that names the element; empty: the selector of the action
	Until    string         // what else it waits for
	Verifies string         // what it checks after it has acted
	Examples []Example
	Fails    []Failing
	Related  []string // names of actions
	See      []string // pages of the documentation
}

// ElementState is a state of an element that an action waits for.
type ElementState string

// The states of elements.
const (
	Appears     ElementState = "appears"
	Gone        ElementState = "gone"
	InView      ElementState = "view"
	Still       ElementState = "still"
	EnabledOnly ElementState = "enabled"
	Reachable   ElementState = "touch"
)

// ElementStates are all states, in the order of tables.
func ElementStates() []ElementState {
	return []ElementState{Appears, InView, Still, EnabledOnly, Reachable, Gone}
}

// Example is a step that shows an action.
type Example struct {
	Step string     // without the leading "- "
	On   []Platform // where it works
}

// Failing is a message of an action, with … for what differs, and what to do.
type Failing struct{ Message, Do string }

// Page returns the page of an action; its first example is that of the row.
func (d *Def) Page() Page {
	p := pages()[d.Name]
	p.Examples = slices.Concat([]Example{{Step: d.Example, On: d.Platforms}}, p.Examples)
	for i, e := range p.Examples {
		if e.On == nil {
			p.Examples[i].On = d.Platforms
		}
	}
	return p
}

// pages returns the pages by the names of actions. A test makes sure that the file can be read.
var pages = sync.OnceValue(func() map[string]Page {
	all, _ := parsePages(pageText)
	return all
})

// parsePages reads pages.txt.
func parsePages(text string) (map[string]Page, error) {
	all := map[string]Page{}
	name := ""
	for _, entry := range descriptionEntries(text) {
		if strings.HasPrefix(entry, "[") {
			if name = strings.Trim(entry, "[]"); has(all, name) {
				return nil, fmt.Errorf("[%s] occurs twice", name)
			}
			all[name] = Page{}
			continue
		}
		head, value, found := strings.Cut(entry, ": ")
		if !found || name == "" {
			return nil, fmt.Errorf("%q is not a part of a page", entry)
		}
		p := all[name]
		if err := p.read(head, value, all); err != nil {
			return nil, fmt.Errorf("[%s]: %w", name, err)
		}
		all[name] = p
	}
	return all, nil
}

func has(all map[string]Page, name string) bool {
	_, known := all[name]
	return known
}

// read reads one entry of a page.
func (p *Page) read(head, value string, all map[string]Page) error {
	key, of, _ := strings.Cut(head, " ")
	switch key {
	case "element":
		if name, states, has := strings.Cut(value, ": "); has {
			p.Of, value = name, states
		}
		for word := range strings.FieldsSeq(value) {
			if !slices.Contains(ElementStates(), ElementState(word)) {
				return fmt.Errorf("%q is not a state of an element", word)
			}
			p.Element = append(p.Element, ElementState(word))
		}
	case "until":
		p.Until = value
	case "verifies":
		p.Verifies = value
	case "example":
		on, err := platformsOf(strings.Trim(of, "():"))
		if err != nil {
			return err
		}
		p.Examples = append(p.Examples, Example{Step: value, On: on})
	case "fails":
		if strings.HasPrefix(value, "@") {
			shared, known := all[value]
			if !known {
				return fmt.Errorf("there is no %s above", value)
			}
			p.Fails = append(p.Fails, shared.Fails...)
			break
		}
		message, do, has := strings.Cut(value, " => ")
		if !has {
			return fmt.Errorf("%q does not say what to do", value)
		}
		p.Fails = append(p.Fails, Failing{Message: message, Do: do})
	case "related":
		p.Related = strings.Fields(value)
	case "see":
		p.See = strings.Fields(value)
	default:
		return fmt.Errorf("%q is not a part of a page", head)
	}
	return nil
}

// platformsOf returns the platforms of an example; nil: those of its action.
func platformsOf(word string) ([]Platform, error) {
	switch word {
	case "":
		return nil, nil
	case "phones":
		return phones, nil
	case "web", "android", "ios":
		return []Platform{Platform(word)}, nil
	}
	return nil, fmt.Errorf("%q is not a platform of an example", word)
}
