package sqlstore

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// queries returns the statements of queries.go by name.
func queries(t *testing.T) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "queries.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("sqlstore", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		text := constant.StringVal(pkg.Scope().Lookup(name).(*types.Const).Val())
		if name != "runColumns" {
			found[name] = strings.Join(strings.Fields(text), " ")
		}
	}
	if len(found) < 15 {
		t.Fatalf("only %d statements found", len(found))
	}
	return found
}

// TestEveryStatementNamesOwner keeps any statement from reaching the data of another owner.
func TestEveryStatementNamesOwner(t *testing.T) {
	scoped := regexp.MustCompile(`WHERE tenant = \$1 AND subject = \$2 AND |WHERE tenant = \$1 AND subject = \$2 ORDER BY|^INSERT INTO \w+ \(tenant, subject, .*\) VALUES \(\$1, \$2, `)
	everybody := map[string]bool{"selectLiveRuns": true, "writeHealth": true}
	for name, text := range queries(t) {
		if !everybody[name] && !scoped.MatchString(text) {
			t.Errorf("%s is not about one owner: %s", name, text)
		}
		if strings.Contains(text, " OR ") {
			t.Errorf("%s has an OR, which could undo its owner: %s", name, text)
		}
	}
}

// TestEveryStatementUsesIndex keeps statements from becoming slow with the number of rows.
func TestEveryStatementUsesIndex(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, text := range queries(t) {
		args := make([]any, strings.Count(text, "$"))
		err := s.reading.each(t.Context(), "EXPLAIN QUERY PLAN "+text, args, func(r row) error {
			var id, parent, unused int
			var step string
			err := r.Scan(&id, &parent, &unused, &step)
			if name != "selectLiveRuns" && (strings.HasPrefix(step, "SCAN") || strings.Contains(step, "TEMP B-TREE")) {
				err = errors.New(step)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
