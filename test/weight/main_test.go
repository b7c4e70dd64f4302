package main

import (
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

func TestKinds(t *testing.T) {
	for name, want := range map[string]string{
		"run/run.go": "lines of Go", "run/run_test.go": "lines of Go tests", "test/weight/main.go": "lines of Go tests",
		"store/storetest/runs.go": "lines of Go tests", "demo/ask/rules.go": "lines of the demo's Go", "demo/demotest/page.go": "lines of Go tests",
		"bench/load/main.go": "", "docs/site/main.go": "", "docs/guide/go.md": "words of docs", "README.md": "",
		"web/packages/core/src/client.ts": "lines of web", "web/packages/core/test/client.test.ts": "lines of web tests",
		"web/scripts/size.mjs": "lines of web tests", "web/apps/demo/src/main.tsx": "", "web/package.json": "",
	} {
		must.Be(t, kindOf(name), want, "%s counts as", name)
	}
}

func TestWideLines(t *testing.T) {
	text := strings.Repeat("x", 120) + "\n\t" + strings.Repeat("x", 117) + "\n" + strings.Repeat("é", 120) + "\n"
	if got := wide(text); got != 1 {
		t.Errorf("%d wide lines, want the one with a tab", got)
	}
}

func TestTheLongestChainOfImports(t *testing.T) {
	got := longest(importsOf(`
github.com/pageside/pageside/a fmt github.com/pageside/pageside/c github.com/pageside/pageside/internal/x
github.com/pageside/pageside/b github.com/pageside/pageside/a
github.com/pageside/pageside/c io
github.com/pageside/pageside/d github.com/pageside/pageside/c
`))
	if want := []string{"b", "a", "c"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the longest chain is %v, want %v", got, want)
	}
}

func TestTypes(t *testing.T) {
	const source = `package p
type small struct { a, b int; c }
type large[T any] struct { a int }
func (l *large[T]) A() {}
func (e small) Error() string { return "" }
func f() {}
`
	file := must.Get(parser.ParseFile(token.NewFileSet(), "p.go", source, 0))(t)
	k := known{types: map[string]*goType{}}
	for _, decl := range file.Decls {
		k.take("p", decl)
	}
	if k.errors != 1 || *k.types["p.small"] != (goType{"p.small", 1, 3}) || k.types["p.large"].methods != 1 {
		t.Errorf("found %+v %+v", k.types["p.small"], k.types["p.large"])
	}
	if len(k.large()) > 0 {
		t.Errorf("large types: %v", k.large())
	}
	k.types["p.large"].methods = manyMethods + 1
	if got := k.large(); len(got) != 1 || got[0].name != "p.large" {
		t.Errorf("large types: %v", got)
	}
}
