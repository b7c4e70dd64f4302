package agent

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// layers are the files of the package, the topmost first. A file may use what those behind it
// declare, and nothing of those before it. Why they are no packages: docs/adr/0072-*.
var layers = []string{
	// agents that answer in place of the loop
	"guest_run.go", "guest_events.go", "guest.go",
	// the loop, and how it is put together
	"run.go", "start.go", "title.go", "query.go", "capabilities.go", "disclosure.go", "describe.go",
	// the calls of a step: what becomes of them
	"resume.go", "judge.go", "executor.go", "loopguard.go", "journal.go",
	// model calls: what is sent, and how
	"repair.go", "compact.go", "warnings.go", "model_input.go", "results.go", "ask.go", "trace.go",
	// what the model says in a step
	"step_listen.go", "step_calls.go", "step_end.go", "payload.go", "step.go", "continuation.go", "payload_types.go",
	// the shared state
	"callhost.go", "predict.go", "shared.go", "emitter.go",
	// which calls wait for a person
	"audit.go", "approvals.go", "access.go", "taint.go", "askuser.go",
	// what all of it is about
	"shown.go", "sources.go", "call.go", "toolset.go", "agent.go", "choice.go", "schemas.go",
}

// TestFilesPointDown: a file can be read without those above it.
func TestFilesPointDown(t *testing.T) {
	fset := token.NewFileSet()
	parsed := parse(t, fset)
	for _, f := range parsed {
		if name := fileOf(fset, f.Pos()); name != "doc.go" && !slices.Contains(layers, name) {
			t.Errorf("%s is not in the list of layers_test.go: say there what it may use", name)
		}
	}
	for _, a := range arrows(t, fset, parsed) {
		if slices.Index(layers, a.from) > slices.Index(layers, a.to) {
			t.Errorf("%s must not use %s of %s: that file is above it (see layers_test.go)", a.from, a.name, a.to)
		}
	}
}

// arrow says that a file uses a name which another one declares.
type arrow struct{ from, to, name string }

func arrows(t *testing.T, fset *token.FileSet, parsed []*ast.File) []arrow {
	t.Helper()
	uses := map[*ast.Ident]types.Object{}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", exports(t))}
	pkg, err := config.Check("agent", fset, parsed, &types.Info{Uses: uses})
	if err != nil {
		t.Fatalf("check the types: %v", err)
	}
	var list []arrow
	for id, o := range uses {
		from, to := fileOf(fset, id.Pos()), fileOf(fset, o.Pos())
		if o.Pkg() == pkg && from != to {
			list = append(list, arrow{from, to, id.Name})
		}
	}
	slices.SortFunc(list, func(a, b arrow) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return slices.Compact(list)
}

func fileOf(fset *token.FileSet, pos token.Pos) string {
	return filepath.Base(fset.Position(pos).Filename)
}

func parse(t *testing.T, fset *token.FileSet) (list []*ast.File) {
	t.Helper()
	names := must.Get(filepath.Glob("*.go"))(t)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f := must.Get(parser.ParseFile(fset, name, nil, parser.SkipObjectResolution))(t)
		list = append(list, f)
	}
	return list
}

// exports finds the compiled form of imported packages.
func exports(t *testing.T) func(string) (io.ReadCloser, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".").Output()
	if err != nil {
		t.Fatalf("list the imported packages: %v", err)
	}
	paths := map[string]string{}
	for line := range bytes.Lines(out) {
		name, path, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		paths[name] = path
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(paths[path]) }
}
