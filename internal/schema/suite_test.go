package schema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/schema"
	"github.com/pageside/pageside/test/must"
)

// group is one of JSON Schema's own test suite: values with a schema that they fit or not.
type group struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// TestSuite checks what JSON Schema's own test suite checks, which lies beside a library of ours,
// but for the schemas that the linter refuses: those with other schemas inside or elsewhere.
func TestSuite(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Skipf("go cannot say where the suite lies: %v", err)
	}
	for draft, least := range map[string]int{"draft2020-12": 940, "draft7": 820} {
		files := must.Get(filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "jsonschema", "testdata", draft, "*.json")))(t)
		ran := 0
		for _, file := range files {
			var groups []group
			must.Be(t, json.Unmarshal(must.Get(os.ReadFile(file))(t), &groups), nil, "%s", file)
			for _, g := range groups {
				ran += g.run(t, draft)
			}
		}
		if ran < least {
			t.Errorf("%s: %d tests, want at least %d", draft, ran, least)
		}
	}
}

// run checks a group, and returns how many values that were.
func (g *group) run(t *testing.T, draft string) int {
	s, err := schema.Compile(g.asMember(t, draft))
	if err != nil {
		if !strings.Contains(err.Error(), "cannot be used") {
			t.Errorf("%s: %s: %v", draft, g.Description, err)
		}
		return 0
	}
	for _, tt := range g.Tests {
		if err := s.Validate(fmt.Appendf(nil, `{"x":%s}`, tt.Data)); (err == nil) != tt.Valid {
			t.Errorf("%s: %s: %s: %v\n%s", draft, g.Description, tt.Description, err, g.Schema)
		}
	}
	return len(g.Tests)
}

// asMember returns the schema of an object whose member x has the group's schema: ours are of
// objects.
func (g *group) asMember(t *testing.T, draft string) json.RawMessage {
	whole := map[string]json.RawMessage{}
	if draft == "draft7" {
		whole["$schema"] = json.RawMessage(`"http://json-schema.org/draft-07/schema#"`)
	}
	member := string(g.Schema)
	var keywords map[string]json.RawMessage
	if json.Unmarshal(g.Schema, &keywords) == nil {
		delete(keywords, "$schema")
		for _, name := range []string{"$defs", "definitions"} {
			if defs, ok := keywords[name]; ok {
				whole[name] = defs
				delete(keywords, name)
			}
		}
		member = string(must.Get(json.Marshal(keywords))(t))
		member = strings.ReplaceAll(member, `"#/properties`, `"#/properties/x/properties`)
	}
	whole["properties"] = json.RawMessage(`{"x":` + member + `}`)
	return must.Get(json.Marshal(whole))(t)
}
