package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// choices are the values a field may have, by struct and field name. The first is the default;
// those of a list are what it may hold.
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
	"Permission.then":          {"allow", "ask", "deny"},
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

// SchemaURL is the JSON Schema dialect of Schema.
const SchemaURL = "https://json-schema.org/draft/2020-12/schema"

// Schema returns the JSON Schema of pageside.yaml, for editors.
func Schema() (json.RawMessage, error) {
	s, err := jsonschema.For[File](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Duration](): {Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$`},
		reflect.TypeFor[Object]():   {Types: []string{"object", "string"}},
	}})
	if err != nil {
		return nil, fmt.Errorf("infer the schema of the configuration: %w", err)
	}
	s.Schema, s.Title = SchemaURL, "pageside.yaml"
	choose(s, reflect.TypeFor[File]())
	return json.MarshalIndent(s, "", "  ")
}

// choose adds the choices of a type's fields to its schema, and drops the null that inference
// allows for arrays.
func choose(s *jsonschema.Schema, t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		if t.Kind() != reflect.Pointer && len(s.Types) == 2 && s.Types[0] == "null" {
			s.Type, s.Types = s.Types[1], nil
		}
		switch t.Kind() {
		case reflect.Slice:
			s = s.Items
		case reflect.Map:
			s = s.AdditionalProperties
		}
		if t = t.Elem(); s == nil { // any object
			return
		}
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for name, field := range fields(t) {
		p := s.Properties[name]
		if p == nil {
			continue
		}
		chosen := p
		if field.Kind() == reflect.Slice {
			chosen = p.Items
		}
		for _, v := range choices[t.Name()+"."+name] {
			chosen.Enum = append(chosen.Enum, v)
		}
		choose(p, field)
	}
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
