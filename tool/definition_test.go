package tool_test

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func hashOf(t *testing.T, raw string) string {
	t.Helper()
	return must.Get(tool.Hash(json.RawMessage(raw)))(t)
}

// TestHash: what differs only in how it is written is the same, what a handler could tell apart is
// not.
func TestHash(t *testing.T) {
	const written = `{"a":1,"b":["é",{"c":null,"d":"x/y"}]}`
	for _, same := range []string{
		`{"b":["é",{"d":"x/y","c":null}],"a":1}`, " {\n\"a\" : 1,\t\"b\":[ \"\\u00e9\", {\"c\":null,\"d\":\"x\\/y\"}]} ", `{"\u0061":1,"b":["é",{"c":null,"d":"x/y"}]}`,
	} {
		must.Be(t, hashOf(t, same), hashOf(t, written), "the hash of %s and of %s", same, written)
	}
	others := []string{
		written, `{"a":"1","b":["é",{"c":null,"d":"x/y"}]}`, `{"a":1,"b":[{"c":null,"d":"x/y"},"é"]}`, `{"a":1,"b":["e\u0301",{"c":null,"d":"x/y"}]}`,
		`{"a":1,"b":["é",{"d":"x/y"}]}`, `{"A":1,"b":["é",{"c":null,"d":"x/y"}]}`, `{}`, `[]`, `{"a":{}}`, `{"a":[]}`, `{"a":null}`, `{"a":false}`, `{"a":0}`, `{"a":""}`,
		`{"a":9007199254740992}`, `{"a":9007199254740993}`, `{"a":-9007199254740993}`, `{"a":18446744073709551615}`, `{"a":18446744073709551616}`,
		`{"a":0.1}`, `{"a":0.10000000000000000001}`, `{"a":1e400}`, `{"a":1e401}`, `{"a":"\u200b"}`, `{"a":" "}`,
	}
	seen := map[string]string{}
	for _, raw := range others {
		hash := hashOf(t, raw)
		if other, taken := seen[hash]; taken {
			t.Errorf("%s and %s are one", raw, other)
		}
		seen[hash] = raw
	}
}

func TestHashRefuses(t *testing.T) {
	for _, raw := range []string{``, `{`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, "\"\xff\"", `"\ud800"`, `{} {}`} {
		must.Fail(t, must.Err(tool.Hash(json.RawMessage(raw))), "", "%q", raw)
	}
}

// TestHashLeavesItsInput: who hashes arguments still has them as they were written.
func TestHashLeavesItsInput(t *testing.T) {
	raw := json.RawMessage(`{ "b": 1, "a": 2 }`)
	must.Get(tool.Hash(raw))(t)
	must.Be(t, string(raw), `{ "b": 1, "a": 2 }`, "what was hashed")
}

func TestDefinition(t *testing.T) {
	base := tool.Tool{Name: "send", Description: "Sends.", InputSchema: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string"}}}`), Effect: tool.Write}
	was := base.Definition()
	if was == "" {
		t.Fatal("it has none")
	}
	respelled := base
	respelled.InputSchema = json.RawMessage(`{ "properties": {"to":{"type":"string"}}, "type": "object" }`)
	respelled.Category, respelled.Policy.Sequential = "mail", true
	must.Be(t, respelled.Definition(), was, "with a schema written otherwise, and what is no part of the definition")
	for name, change := range map[string]func(*tool.Tool){
		"name":        func(t *tool.Tool) { t.Name = "send2" },
		"description": func(t *tool.Tool) { t.Description = "Sends now." },
		"schema":      func(t *tool.Tool) { t.InputSchema = json.RawMessage(`{"type":"object"}`) },
		"effect":      func(t *tool.Tool) { t.Effect = tool.Destructive },
		"approval":    func(t *tool.Tool) { t.Policy.Approval = tool.ApprovalAlways },
		"target":      func(t *tool.Tool) { t.Target = "elsewhere" },
	} {
		other := base
		change(&other)
		must.Be(t, other.Definition() == was, false, "with another %s it is the same", name)
	}
	bare, empty := tool.Tool{Name: "now"}, tool.Tool{Name: "now", InputSchema: json.RawMessage("")}
	must.Be(t, bare.Definition() == "", false, "a tool without arguments has none")
	must.Be(t, bare.Definition(), empty.Definition(), "a tool without arguments")
	broken := base
	broken.InputSchema = json.RawMessage(`{`)
	must.Be(t, broken.Definition(), "", "the definition of a broken schema")
}
