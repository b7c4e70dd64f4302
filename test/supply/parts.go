package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"runtime/debug"
	"slices"
	"strings"
)

// At most this many dependencies: each one is code that somebody else may change.
const (
	maxDirectGo = 40
	maxNPM      = 25
)

// parts is what the product consists of.
type parts struct {
	info *debug.BuildInfo
	// The SHA-256 of the binary, as hex.
	digest string
	// Modules in the binary, without our own.
	modules []module
	// Packages that our packages and pages bring to a browser.
	packages []npmPackage
	directGo int
}

// module is a Go module in the binary.
type module struct {
	Path, Version, Sum string
	// Its folder in the module cache.
	Dir      string
	Licences []string `json:"-"`
}

// npmPackage is a package as package-lock.json has it.
type npmPackage struct {
	Name         string
	Version      string
	License      string
	Integrity    string
	Link         bool
	Resolved     string
	Dependencies map[string]string
}

// read reads the binary, the module cache and web/package-lock.json.
func read(binary string) (*parts, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("read what %s is built from: %w", binary, err)
	}
	modules, err := modulesOf(info)
	if err != nil {
		return nil, err
	}
	lock, err := os.Open("web/package-lock.json")
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	packages, err := shipped(lock)
	if err != nil {
		return nil, err
	}
	direct, err := directModules()
	if err != nil {
		return nil, err
	}
	digest, err := digestOf(binary)
	return &parts{info: info, digest: digest, modules: modules, packages: packages, directGo: direct}, err
}

// modulesOf returns the modules of a binary with their folders, which it downloads where they are
// not in the cache.
func modulesOf(info *debug.BuildInfo) ([]module, error) {
	args := []string{"mod", "download", "-json"}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			return nil, fmt.Errorf("module %s is replaced by %s: its origin is unclear", dep.Path, dep.Replace.Path)
		}
		args = append(args, dep.Path+"@"+dep.Version)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("find the modules of the binary: %w", explained(err))
	}
	var modules []module
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m module
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return modules, nil
		} else if err != nil {
			return nil, fmt.Errorf("read what go mod download says: %w", err)
		}
		modules = append(modules, m)
	}
}

// explained adds what a command wrote to its standard error.
func explained(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}

// directModules counts the modules that go.mod requires directly.
func directModules() (int, error) {
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err != nil {
		return 0, fmt.Errorf("read go.mod: %w", explained(err))
	}
	var mod struct {
		Require []struct{ Indirect bool }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return 0, fmt.Errorf("read go.mod: %w", err)
	}
	direct := 0
	for _, required := range mod.Require {
		if !required.Indirect {
			direct++
		}
	}
	return direct, nil
}

// shipped returns what our packages and pages depend on, with all that those need, by name. Peers
// are the application's own choice, and what only builds or tests is not shipped.
func shipped(lock io.Reader) ([]npmPackage, error) {
	var file struct{ Packages map[string]npmPackage }
	if err := json.NewDecoder(lock).Decode(&file); err != nil {
		return nil, fmt.Errorf("read package-lock.json: %w", err)
	}
	found := map[string]npmPackage{}
	var visit func(from string) error
	visit = func(from string) error {
		for _, name := range slices.Sorted(maps.Keys(file.Packages[from].Dependencies)) {
			at, ok := resolve(file.Packages, from, name)
			if !ok {
				return fmt.Errorf("package-lock.json: %s needs %s, which is not there", from, name)
			}
			p := file.Packages[at]
			if _, seen := found[at]; seen || p.Link {
				continue
			}
			p.Name = name
			found[at] = p
			if err := visit(at); err != nil {
				return err
			}
		}
		return nil
	}
	for _, at := range slices.Sorted(maps.Keys(file.Packages)) {
		if ours(at) {
			if err := visit(at); err != nil {
				return nil, err
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b npmPackage) int {
		return strings.Compare(a.Name+"@"+a.Version, b.Name+"@"+b.Version)
	}), nil
}

// ours reports whether a folder is a package or a page of ours.
func ours(at string) bool {
	folder := path.Dir(at)
	return folder == "packages" || folder == "apps"
}

// resolve finds a package as Node does: beside what asks for it, else further up.
func resolve(packages map[string]npmPackage, from, name string) (string, bool) {
	for {
		at := path.Join(from, "node_modules", name)
		if _, ok := packages[at]; ok {
			return at, true
		}
		if from == "" {
			return "", false
		}
		if from = path.Dir(from); from == "." {
			from = ""
		}
	}
}

// count holds the limits on the number of dependencies.
func count(p *parts) (string, error) {
	said := fmt.Sprintf("Go: %d direct of %d, %d modules in the binary; npm: %d of %d",
		p.directGo, maxDirectGo, len(p.modules), len(p.packages), maxNPM)
	if p.directGo > maxDirectGo || len(p.packages) > maxNPM {
		return "", errors.New("too many: " + said)
	}
	return said, nil
}
