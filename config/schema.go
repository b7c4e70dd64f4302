package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pageside/pageside/auth/oidc"
)

// choices are the values a field may have, by struct and field name. The first is the default;
// those of a list or a map are what it may hold.
var choices = map[string][]string{
	"A2AAgent.effect":          effects,
	"A2AAgent.approval":        approvals,
	"Agent.protocol":           {"1.0", "0.x"},
	"Auth.mode":                {"none"},
	"File.personal":            {"a2a", "mcp"},
	"File.askInWords":          {"ai-sdk", "chat", "copilotkit", "openai", "opensearch"},
	"File.dropIns":             {"a2a", "ai-sdk", "chat", "copilotkit", "mcp", "openai", "opensearch"},
	"Forward.answer":           {"json", "headers"},
	"Model.payloads":           {"auto", "marker", "tool"},
	"Model.effort":             {"none", "minimal", "low", "medium", "high", "xhigh", "max"},
	"InstructionPolicy.client": {"guidance", "data", "ignore"},
	"Tool.effect":              effects,
	"Tool.approval":            approvals,
	"PageTool.effect":          pageEffects,
	"Approvals.pageTools":      {"page", "write"},
	"Approvals.ask":            {"interrupt", "words"},
	"PageTool.approval":        approvals,
	"Tool.method":              {"GET", "POST", "PUT", "PATCH", "DELETE"},
	"MCPServer.effect":         effects,
	"MCPServer.approval":       approvals,
	"Payload.source":           {"tool", "llm"},
	"Action.handler":           {"client", "server"},
	"MCPServer.effects":        effects,
	"OIDC.algorithms":          oidc.Algorithms,
	"Permission.admin":         keys(adminKinds),
	"Permission.effects":       effects,
	"Permission.then":          {"allow", "ask", "deny"},
	"Permission.verbs":         {"offer", "use", "read", "write"},
	"Agent.whenBusy":           whenBusy,
	"Runs.whenBusy":            whenBusy,
	"Runs.onDisconnect":        {"detach", "cancel"},
}

var (
	effects     = []string{"write", "read", "idempotent", "exfil", "destructive"}
	pageEffects = []string{"page", "write", "read", "idempotent", "exfil", "destructive"}
	approvals   = []string{"policy", "never", "always"}
	whenBusy    = []string{"auto", "queue", "reject", "supersede"}
)

// grammar is the schema of the file, with the Go names of the types that its objects and secrets
// are read into.
type grammar struct {
	root  *jsonschema.Schema
	names map[*jsonschema.Schema]string
}

// secretType is the name of the type of secrets.
const secretType = "Secret"

// fileGrammar returns the grammar of File.
var fileGrammar = sync.OnceValues(func() (grammar, error) {
	s, err := jsonschema.For[File](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Duration](): {Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$`},
		reflect.TypeFor[Object]():   {Types: []string{"object", "string"}},
	}})
	if err != nil {
		return grammar{}, fmt.Errorf("infer the schema of the configuration: %w", err)
	}
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "pageside.yaml"
	g := grammar{s, map[*jsonschema.Schema]string{}}
	g.choose(s, reflect.TypeFor[File]())
	return g, nil
})

// Schema returns the JSON Schema of pageside.yaml, for editors. The reader of files goes by it too.
func Schema() (json.RawMessage, error) {
	g, err := fileGrammar()
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(g.root, "", "  ")
}

// choose adds the choices of a type's fields to its schema, and drops the null that inference
// allows for arrays and pointers.
func (g grammar) choose(s *jsonschema.Schema, t reflect.Type) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[Secret]():
		g.names[s] = secretType
	case t.Kind() == reflect.Slice && s.Items != nil:
		g.choose(s.Items, t.Elem())
	case t.Kind() == reflect.Map && s.AdditionalProperties != nil:
		g.choose(s.AdditionalProperties, t.Elem())
	case t.Kind() == reflect.Struct:
		g.names[s] = t.Name()
		for name, field := range fields(t) {
			p := s.Properties[name]
			for _, v := range choices[t.Name()+"."+name] {
				value := elementOf(p)
				value.Enum = append(value.Enum, v)
			}
			g.choose(p, field)
		}
	}
}

// elementOf returns the schema of a list's items or a map's values, and of another value itself.
func elementOf(s *jsonschema.Schema) *jsonschema.Schema {
	return cmp.Or(s.Items, s.AdditionalProperties, s)
}

// fields returns a struct's fields, including those of embedded structs, by their names in the
// file.
func fields(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for name, inner := range fields(f.Type) {
				all[name] = inner
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all[name] = f.Type
	}
	return all
}
