package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// imported are the packages that blocks of Go in the documentation may use by name.
var imported = map[string]string{
	"context": "context", "json": "encoding/json", "http": "net/http", "log": "log", "fmt": "fmt", "os": "os",
	"agent": "agent", "agui": "agui", "aguihttp": "protocol/agui", "auth": "auth", "condition": "policy/condition", "config": "config", "llm": "llm", "openai": "llm/openai", "page": "page", "policy": "policy", "run": "run", "server": "server", "sqlstore": "store/sqlstore", "store": "store", "tool": "tool", "web": "web",
}

// TestDocumentedGoCompiles: every block of Go in the documentation, as a file of its own or as
// statements of a function.
func TestDocumentedGoCompiles(t *testing.T) {
	found := blocks(t, "go")
	if len(found) < 3 {
		t.Fatalf("only %d were found: does the test still look at the documentation?", len(found))
	}
	must.Be(t, compile(t, found), "", "Go in the documentation does not compile")
	has(t, compile(t, map[string]string{"a page": "x := tool.Nonsense()\n"}), "tool.Nonsense")
}

// compile builds each block as a package that is nowhere on disk, and returns what the compiler
// says.
func compile(t *testing.T, blocks map[string]string) string {
	t.Helper()
	root := must.Get(filepath.Abs(repository))(t)
	folder, replace := t.TempDir(), map[string]string{}
	args := []string{"build", "-overlay", filepath.Join(folder, "overlay.json")}
	for place, code := range blocks {
		name := fmt.Sprintf("docs_block_%d", len(replace))
		file := filepath.Join(folder, name+".go")
		must.Do(t, os.WriteFile(file, []byte(asFile(place, code)), 0o600))
		replace[filepath.Join(root, "internal", name, "block.go")] = file
		args = append(args, "./internal/"+name)
	}
	overlay := must.Get(json.Marshal(map[string]any{"Replace": replace}))(t)
	must.Do(t, os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o600))
	build := exec.CommandContext(t.Context(), "go", args...)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return string(out)
	}
	return ""
}

// asFile returns a block as a whole file, with the imports that it uses. Statements become the body
// of a function.
func asFile(place, code string) string {
	if strings.HasPrefix(code, "package ") {
		return code
	}
	var imports []string
	for name, path := range imported {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(code) {
			if strings.Contains("agent agui auth config llm llm/openai page policy policy/condition protocol/agui run server store/sqlstore tool web", path) {
				path = "github.com/pageside/pageside/" + path
			}
			as := ""
			if !strings.HasSuffix(path, name) {
				as = name + " "
			}
			imports = append(imports, fmt.Sprintf("import %s%q", as, path))
		}
	}
	slices.Sort(imports)
	body := fmt.Sprintf("//line %s\n%s", place, code)
	for _, made := range regexp.MustCompile(`(?m)^(\w+(?:, \w+)*) :=`).FindAllStringSubmatch(code, -1) {
		for name := range strings.SplitSeq(made[1], ", ") {
			body += "_ = " + name + "\n"
		}
	}
	// what the blocks take from around them
	around := "var (\n\tctx       context.Context\n\truns      *run.Manager\n\tprincipal auth.Principal\n\tsignedIn  func(*http.Request) (auth.Principal, error)\n)\n"
	for _, needed := range []string{`import "context"`, `import "net/http"`, `import "github.com/pageside/pageside/auth"`, `import "github.com/pageside/pageside/run"`} {
		if !slices.Contains(imports, needed) {
			imports = append(imports, needed)
		}
	}
	return "package block\n" + strings.Join(imports, "\n") + "\n" + around + "func _() {\n" + body + "}\n"
}
