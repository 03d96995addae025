package apps

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const universalWay = "bundletool build-apks --mode=universal builds an .apks for all phones"

// traits are what decides which parts of an app a phone needs.
type traits struct {
	abis    []string // the best one first
	density int      // 0 where the phone does not say
}

// oneApp reports why APKs are not the parts of one app.
func oneApp(parts []apkPart) error {
	seen := map[string]apkPart{}
	for _, p := range parts {
		twin, twice := seen[p.facts.Split]
		first := parts[0]
		switch {
		case p.facts.Package != first.facts.Package:
			return fmt.Errorf("%s is of the app %s, and %s of %s", first.name, first.facts.Package, p.name, p.facts.Package)
		case p.facts.VersionCode != first.facts.VersionCode:
			return fmt.Errorf("%s is of version %d, and %s of %d", first.name, first.facts.VersionCode, p.name,
				p.facts.VersionCode)
		case twice && p.facts.Split == "":
			return fmt.Errorf("%s and %s are both the app's base", twin.name, p.name)
		case twice:
			return fmt.Errorf("%s and %s are both the part %s", twin.name, p.name, p.facts.Split)
		}
		seen[p.facts.Split] = p
	}
	if _, has := seen[""]; !has {
		return errors.New("it has parts of an app, and not its base (base.apk)")
	}
	return nil
}

// choose returns the parts that a phone needs: those of all languages, and of processors and densities the best ones.
func choose(all []apkPart, phone traits) ([]apkPart, error) {
	all = withTheApp(firstVariants(all))
	if err := oneApp(all); err != nil {
		return nil, err
	}
	modules := map[string]*module{}
	for _, p := range all {
		name, config := splitName(p.facts.Split)
		if modules[name] == nil {
			modules[name] = &module{configs: map[string]apkPart{}}
		}
		if config != "" {
			modules[name].configs[config] = p
			continue
		}
		modules[name].master = p
		modules[name].whole = true
	}
	var chosen []apkPart
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		m := modules[name]
		switch {
		case !m.whole:
			return nil, fmt.Errorf("it has parts of the module %s, and not its base", name)
		case m.master.facts.Conditional:
			return nil, fmt.Errorf("its module %s is for some phones only, among which bundletool alone can choose: %s", name,
				universalWay)
		}
		own, err := m.choose(phone)
		if err != nil {
			return nil, err
		}
		chosen = append(append(chosen, m.master), own...)
	}
	return chosen, nil
}

// firstVariants leaves out what bundletool builds for newer Androids (base-master_2.apk next to base-master.apk): the
// first variant is for all of them.
func firstVariants(all []apkPart) []apkPart {
	shortest := map[string]int{}
	for _, p := range all {
		if n, has := shortest[p.facts.Split]; !has || len(p.name) < n {
			shortest[p.facts.Split] = len(p.name)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(p apkPart) bool {
		return len(p.name) > shortest[p.facts.Split] && variantName.MatchString(p.name)
	})
}

var variantName = lazyregexp.New(`/.*_[0-9]+\.apk$`)

// withTheApp leaves out the modules that apps ask for later. They may have versions of their own.
func withTheApp(all []apkPart) []apkPart {
	later := map[string]bool{}
	for _, p := range all {
		if name, config := splitName(p.facts.Split); config == "" && p.facts.OnDemand {
			later[name] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(p apkPart) bool {
		name, _ := splitName(p.facts.Split)
		return name != "" && later[name]
	})
}

// splitName takes the name of a part apart: config.xhdpi and camera.config.xhdpi are what the modules "" and camera
// have for a density.
func splitName(split string) (module, config string) {
	if config, is := strings.CutPrefix(split, "config."); is {
		return "", config
	}
	module, config, _ = strings.Cut(split, ".config.")
	return module, config
}

// module is one module of an app: its master, and what it has for some phones.
type module struct {
	master  apkPart
	whole   bool // the master is there
	configs map[string]apkPart
}

// languageName is a language, perhaps with a script or region. "atc" is a format of textures.
var languageName = lazyregexp.New(`^[a-z]{2,3}([_-]r?[A-Za-z]{2,4}|[_-][0-9]{3})*$`)

func (m *module) choose(phone traits) ([]apkPart, error) {
	abis, densities, languages := map[string]apkPart{}, map[string]apkPart{}, []apkPart(nil)
	known := knownDensities()
	for _, name := range slices.Sorted(maps.Keys(m.configs)) {
		p := m.configs[name]
		switch {
		case slices.Contains(knownABIs(), name):
			abis[name] = p
		case known[name] > 0:
			densities[name] = p
		case languageName.MatchString(name) && name != "atc":
			languages = append(languages, p)
		default:
			return nil, fmt.Errorf("%s is for some phones only (%s), among which bundletool alone can choose: %s", p.name, name,
				universalWay)
		}
	}
	var chosen []apkPart
	if len(abis) > 0 {
		best := slices.IndexFunc(phone.abis, func(abi string) bool { _, has := abis[abiName(abi)]; return has })
		if best < 0 {
			return nil, fmt.Errorf("its native code is for %s, and the phone's processor is %s",
				strings.Join(slices.Sorted(maps.Keys(abis)), ", "), cmp.Or(strings.Join(phone.abis, ", "), "unknown"))
		}
		chosen = append(chosen, abis[abiName(phone.abis[best])])
	}
	for _, name := range nearest(slices.Collect(maps.Keys(densities)), phone.density) {
		chosen = append(chosen, densities[name])
	}
	return append(chosen, languages...), nil
}

func abiName(abi string) string { return strings.ReplaceAll(abi, "-", "_") }

func knownABIs() []string {
	return []string{"arm64_v8a", "armeabi_v7a", "armeabi", "x86", "x86_64", "riscv64", "mips", "mips64"}
}

func knownDensities() map[string]int {
	return map[string]int{"ldpi": 120, "mdpi": 160, "tvdpi": 213, "hdpi": 240, "xhdpi": 320, "xxhdpi": 480, "xxxhdpi": 640}
}

// nearest returns the density that Android takes: the smallest that is enough, or else the largest. All, where the
// phone's is unknown.
func nearest(names []string, density int) []string {
	known := knownDensities()
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(known[a], known[b]) })
	if density <= 0 || len(names) == 0 {
		return names
	}
	i := slices.IndexFunc(names, func(name string) bool { return known[name] >= density })
	if i < 0 {
		i = len(names) - 1
	}
	return names[i : i+1]
}
