package vocabulary

import (
	"cmp"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/source"
)

// BlockFile is the top level of a file that holds a block and no test.
type BlockFile struct {
	Vars   Vars         `json:"vars,omitempty"`
	Steps  source.Value `json:"steps,omitempty"`
	Blocks BlockTable   `json:"blocks,omitempty"`
}

func (BlockFile) rules() []Rule {
	return []Rule{atLeastOne("steps blocks").says(`the file holds neither "steps" nor "blocks"`,
		`write "steps:" and under it the actions`)}
}

// NamedBlock is one of the blocks under blocks:, when it has vars.
type NamedBlock struct {
	Vars  Vars         `json:"vars,omitempty"`
	Steps source.Value `json:"steps" required:"true"`
}

// BlockTable is a map that is read later, when it is known what its steps may do.
type BlockTable struct{}

// Config is a suite's taproot.yaml.
type Config struct {
	Include      []string
	Exclude      []string
	Order        []string
	Vars         []expr.Var
	Tags         []string
	TimeoutMs    *int
	Retries      *int
	Secrets      []string // names of variables of the suite
	Before       Steps
	OnFailure    Steps
	After        Steps
	Environments map[string]Environment
	// PreferSelector is what of an element goes first into a step that is recorded: "text" or "id"; "" is text.
	PreferSelector string
	BaseURL        Template // the site that the path in openBrowser belongs to; empty: none
	Start          []StartServer
	Evidence       Evidence
	Remotes        map[string]Remote
}

// Evidence says what reports keep of a test: on, off, or failed (only of attempts that did not pass). Empty: on.
type Evidence struct {
	Video       string `json:"video,omitempty" enum:"on,off,failed"`
	Trace       string `json:"trace,omitempty" enum:"on,off,failed"`
	Screenshots string `json:"screenshots,omitempty" enum:"on,off,failed"`
}

func (Evidence) rules() []Rule {
	return []Rule{atLeastOne("").says(`"evidence" is empty`, "for example: evidence: {video: failed}")}
}

// Or returns what e says, and where it says nothing, what other says.
func (e Evidence) Or(other Evidence) Evidence {
	return Evidence{Video: cmp.Or(e.Video, other.Video), Trace: cmp.Or(e.Trace, other.Trace),
		Screenshots: cmp.Or(e.Screenshots, other.Screenshots)}
}

// Environment is what a suite says of one of the places that its tests run against.
type Environment struct {
	Vars      []expr.Var
	Tags      []string
	TimeoutMs *int
	Retries   *int
	BaseURL   Template
}

// Suite is the top level of a taproot.yaml.
type Suite struct {
	Include        []string                    `json:"include,omitempty" minLength:"1" format:"glob"`
	Exclude        []string                    `json:"exclude,omitempty" minLength:"1" format:"glob"`
	Order          []string                    `json:"order,omitempty" minLength:"1"`
	Vars           Vars                        `json:"vars,omitempty"`
	Tags           []string                    `json:"tags,omitempty" format:"tag"`
	TimeoutMs      *int                        `json:"timeout,omitempty" spelling:"timeoutMs" format:"duration" minimum:"0" maximum:"3600000"`
	Retries        *int                        `json:"retries,omitempty" minimum:"0" maximum:"10"`
	Secrets        []string                    `json:"secrets,omitempty" minLength:"1"`
	Before         source.Value                `json:"before,omitempty"`
	OnFailure      source.Value                `json:"onFailure,omitempty"`
	After          source.Value                `json:"after,omitempty"`
	Environments   map[string]SuiteEnvironment `json:"environments,omitempty"`
	PreferSelector string                      `json:"preferSelector,omitempty" enum:"text,id"`
	BaseURL        Template                    `json:"baseUrl,omitempty" format:"http"`
	Start          []StartServer               `json:"start,omitempty"`
	Evidence       Evidence                    `json:"evidence,omitempty"`
	Remotes        map[string]Remote           `json:"remotes,omitempty"`
}

// SuiteEnvironment is one of a suite's environments.
type SuiteEnvironment struct {
	Vars      Vars     `json:"vars,omitempty"`
	Tags      []string `json:"tags,omitempty" format:"tag"`
	TimeoutMs *int     `json:"timeout,omitempty" spelling:"timeoutMs" format:"duration" minimum:"0" maximum:"3600000"`
	Retries   *int     `json:"retries,omitempty" minimum:"0" maximum:"10"`
	BaseURL   Template `json:"baseUrl,omitempty" format:"http"`
}

func (SuiteEnvironment) rules() []Rule {
	return []Rule{atLeastOne("").says(`the environment "%s" says nothing`,
		`for example: %s: {vars: {URL: "https://staging.example.com"}}`)}
}

// Header is the top level of a test. A new key is a new field.
type Header struct {
	ID          string                 `json:"id" required:"true" format:"id"`
	Name        string                 `json:"name,omitempty" minLength:"1"`
	Description string                 `json:"description,omitempty" minLength:"1"`
	Platform    Platform               `json:"platform,omitempty"`
	Browsers    []string               `json:"browsers,omitempty" enum:"chromium,firefox,webkit"`
	Tags        []string               `json:"tags,omitempty" format:"tag"`
	Owner       string                 `json:"owner,omitempty" minLength:"1"`
	Links       []string               `json:"links,omitempty" minLength:"1" format:"webLink"`
	Properties  Properties             `json:"properties,omitempty"`
	Skip        string                 `json:"skip,omitempty" minLength:"1"`
	Needs       []string               `json:"needs,omitempty" format:"id"`
	Fails       Fails                  `json:"fails,omitempty"`
	Vars        Vars                   `json:"vars,omitempty"`
	Secrets     []string               `json:"secrets,omitempty" minLength:"1"`
	Device      Need                   `json:"device,omitempty"`
	Devices     map[string]DeviceEntry `json:"devices,omitempty" minItems:"1"`
	TimeoutMs   *int                   `json:"timeout,omitempty" spelling:"timeoutMs" format:"duration" minimum:"0" maximum:"3600000"`
	Retries     *int                   `json:"retries,omitempty" minimum:"0" maximum:"10"`
	Data        Data                   `json:"data,omitempty"`
	Before      source.Value           `json:"before,omitempty"`
	Steps       source.Value           `json:"steps" required:"true"`
	OnFailure   source.Value           `json:"onFailure,omitempty"`
	After       source.Value           `json:"after,omitempty"`
	Blocks      BlockTable             `json:"blocks,omitempty"`
}

func (Header) rules() []Rule {
	return []Rule{exclude("platform device browsers", "devices").says("",
		"each entry under devices says what it is: {platform: web, browser: firefox}")}
}

// Fails marks a test that is known to fail.
type Fails struct {
	Because string `json:"because" required:"true" minLength:"1"`
	Until   string `json:"until,omitempty" format:"date"`
}

// Vars reads the map of variables in the order of the file.
type Vars []expr.Var

// Properties reads a map of texts in the order of the file.
type Properties []Property
