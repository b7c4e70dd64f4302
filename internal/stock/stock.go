// Package stock runs the published JavaScript packages of AG-UI, for tests that compare with them.
// They are installed with the web packages.
package stock

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Run runs a script in the folder of the web packages and returns its output. It skips the test if
// node or the package is not installed. root is the path of the repository's root.
func Run(t testing.TB, root, needs, script string, stdin []byte) []byte {
	t.Helper()
	web := filepath.Join(root, "web")
	if _, err := os.Stat(filepath.Join(web, "node_modules", filepath.FromSlash(needs))); err != nil {
		t.Skipf("%s is not installed: run npm ci in web", needs)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	cmd := exec.CommandContext(t.Context(), node, "--input-type=module", "--eval", script)
	cmd.Dir, cmd.Stdin, cmd.Stderr = web, bytes.NewReader(stdin), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

//go:embed schema.mjs
var schemaScript string

var schemas struct {
	sync.Mutex
	text []byte // of all of them, by name
}

// Schema compiles a schema of AG-UI as @ag-ui/core has it: Event, Message, RunAgentInput or
// AgentCapabilities.
func Schema(t testing.TB, root, name string) *jsonschema.Schema {
	t.Helper()
	schemas.Lock()
	defer schemas.Unlock()
	if schemas.text == nil {
		schemas.text = Run(t, root, "@ag-ui/core", schemaScript, nil)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(schemas.text, &all); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(all[name]))
	if err != nil {
		t.Fatalf("read the schema %s: %v", name, err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(name)
	if err != nil {
		t.Fatalf("compile the schema %s: %v", name, err)
	}
	return schema
}
