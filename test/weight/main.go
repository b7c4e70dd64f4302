// Weight prints how much there is of the product: lines by kind, how deep packages import each
// other, and the types that know too much.
//
//	go run ./test/weight
//
// It counts the files that git knows, with their comments.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

const module = "github.com/pageside/pageside"

func main() {
	if err := report(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "weight:", err)
		os.Exit(1)
	}
}

func report(w io.Writer) error {
	files, err := tracked()
	if err != nil {
		return err
	}
	lines, err := count(files)
	if err != nil {
		return err
	}
	chain, err := deepest()
	if err != nil {
		return err
	}
	known, err := typesOf(files)
	if err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(w, "%7d %s\n", lines[kind], kind)
	}
	fmt.Fprintf(w, "%7d imports deep: %s\n", len(chain)-1, strings.Join(chain, " → "))
	fmt.Fprintf(w, "%7d error types\n", known.errors)
	for _, t := range known.large() {
		fmt.Fprintf(w, "%7d methods, %d fields: %s\n", t.methods, t.fields, t.name)
	}
	return nil
}

// tracked returns the files that git knows.
func tracked() ([]string, error) {
	listed, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the files: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(listed)), "\n"), nil
}

// deepest returns the longest chain of imports of this module, internal packages apart.
func deepest() ([]string, error) {
	listed, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the imports: %w", err)
	}
	return longest(importsOf(string(listed))), nil
}

// importsOf reads lines of a package and what it imports.
func importsOf(listed string) map[string][]string {
	imports := map[string][]string{}
	for line := range strings.Lines(listed) {
		names := slices.DeleteFunc(strings.Fields(line), func(name string) bool {
			return !strings.HasPrefix(name, module+"/") || strings.Contains(name, "/internal/")
		})
		for i, name := range names {
			names[i] = strings.TrimPrefix(name, module+"/")
		}
		if len(names) > 0 {
			imports[names[0]] = names[1:]
		}
	}
	return imports
}

// longest returns the longest path; imports have no circles.
func longest(imports map[string][]string) []string {
	paths := map[string][]string{}
	var from func(name string) []string
	from = func(name string) []string {
		if paths[name] == nil {
			paths[name] = append([]string{name}, longer(imports[name], from)...)
		}
		return paths[name]
	}
	return longer(slices.Sorted(maps.Keys(imports)), from)
}

// longer returns the first of the longest paths from some packages.
func longer(names []string, from func(string) []string) (best []string) {
	for _, name := range names {
		if path := from(name); len(path) > len(best) {
			best = path
		}
	}
	return best
}
