package pageside_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

const module = "github.com/pageside/pageside"

// allowed says which packages of this module a package may import. A package that is not listed
// fails the test: a new package is a decision about the layout, and is written down here.
var allowed = map[string][]string{
	"":                 {},
	"agui":             {"internal/jsonx", "internal/visible"},
	"auth":             {},
	"auth/claims":      {"auth"},
	"auth/oidc":        {"auth", "auth/claims", "internal/egress", "internal/visible"},
	"auth/apikey":      {"auth", "internal/strict", "internal/wholefile"},
	"auth/forward":     {"auth", "auth/claims", "internal/egress", "limit"},
	"auth/proxy":       {"auth"},
	"policy":           {"auth"},
	"policy/condition": {"policy", "internal/jsonx"},
	"audit":            {"auth", "internal/guard", "internal/jsonx", "internal/upstream", "internal/visible"},
	"limit":            {},
	"llm":              {"internal/jsonx", "internal/visible"},
	"llm/httpmodel":    {"llm", "internal/jsonx", "internal/sse", "internal/visible"},
	"llm/catalog":      {"llm", "internal/nearest"},
	"llm/openai":       {"llm", "llm/catalog", "llm/httpmodel", "internal/jsonx"},
	"llm/script":       {"llm", "internal/jsonx"},
	// no provider: it must not share a mistake with what it checks
	"llm/llmtest":          {"llm", "llm/httpmodel", "internal/jsonx", "test/chance", "test/must", "test/streams", "test/talk"},
	"llm/llmtest/dialects": {"llm", "llm/anthropic", "llm/bedrock", "llm/gemini", "llm/llmtest", "llm/openai"},
	"llm/anthropic":        {"llm", "llm/catalog", "llm/httpmodel", "internal/jsonx"},
	"llm/gemini":           {"llm", "llm/catalog", "llm/httpmodel", "internal/jsonx"},
	"llm/probe":            {"llm"},
	"llm/vertex":           {"llm", "llm/anthropic", "llm/gemini", "llm/httpmodel"},
	"llm/bedrock":          {"llm", "llm/catalog", "llm/httpmodel"},
	"payload":              {"agui", "internal/jsonx", "internal/registry", "internal/schema"},
	"tool/mcptool":         {"tool", "internal/egress", "internal/guard", "internal/jsonx", "internal/upstream", "internal/visible", "internal/wholefile"},
	"tool/a2atool":         {"tool", "internal/egress", "internal/jsonx", "internal/sse", "internal/upstream", "internal/visible"},
	"tool/httptool":        {"tool", "tool/httptool/signed", "internal/egress", "internal/jsonx", "internal/nearest", "internal/sse", "internal/upstream", "internal/visible"},
	"tool/httptool/signed": {}, // receivers import it: nothing else of ours
	"config":               {"agent", "sharedstate", "limit", "audit", "auth", "auth/apikey", "auth/claims", "auth/forward", "auth/oidc", "auth/proxy", "policy", "policy/condition", "llm", "page", "payload", "run", "run/remote", "tool", "tool/a2atool", "tool/httptool", "tool/mcptool", "internal/egress", "internal/guard", "internal/jsonx", "internal/nearest", "internal/upstream", "internal/visible"},
	"tool":                 {"auth", "limit", "internal/guard", "internal/jsonx", "internal/nearest", "internal/registry", "internal/schema", "internal/visible"},
	"page":                 {"payload", "tool", "internal/jsonx", "internal/registry", "internal/visible"},
	// what every door shares: it knows no agent, no run, no server and no protocol
	"calls":                  {"agui", "audit", "policy", "tool", "internal/jsonx", "internal/visible"},
	"sharedstate":            {"agui", "tool", "internal/jsonx"},
	"agent":                  {"agent/guest", "agent/pagetool", "agent/prompt", "agent/usage", "agui", "audit", "auth", "calls", "policy", "journal", "limit", "llm", "page", "payload", "sharedstate", "tool", "internal/guard", "internal/jsonx", "internal/nearest", "internal/visible"},
	"agent/guest":            {"agui", "auth", "page", "internal/guard"}, // pure: it sends nothing
	"agent/pagetool":         {"agui", "llm", "tool", "internal/visible"},
	"agent/usage":            {"agui", "limit", "llm", "internal/jsonx"},
	"agent/prompt":           {"agui", "llm", "page", "payload", "tool", "internal/jsonx", "internal/visible"},
	"journal":                {}, // what agent and store share: neither may import the other
	"store":                  {"agui", "journal", "limit", "store/words", "internal/visible"},
	"store/words":            {},
	"store/sqlstore":         {"store", "store/words", "agui", "audit", "journal", "internal/dbfile", "internal/guard", "internal/jsonx"},
	"store/storetest":        {"store", "agui", "audit", "auth", "journal", "test/chance", "test/must"},
	"store/storetest/temp":   {"store/sqlstore", "test/must"},
	"store/storetest/faulty": {"store", "agui", "journal"},
	"run":                    {"agent", "agent/guest", "agent/pagetool", "agent/usage", "agui", "audit", "auth", "calls", "policy", "internal/guard", "internal/jsonx", "journal", "limit", "llm", "page", "payload", "run/eventlog", "run/history", "run/meter", "run/refusal", "sharedstate", "store", "tool"},
	// it knows no agent and no store
	"run/eventlog": {"agui"},
	// it is pure: it reads no store
	"run/history": {"agui", "calls", "internal/egress", "internal/jsonx", "internal/visible", "llm", "page", "run/refusal"},
	"run/meter":   {"limit", "run/refusal", "store"},
	"run/refusal": {}, // of run and its parts, which doors translate
	"run/remote":  {"run", "agui", "tool", "tool/httptool/signed", "internal/egress", "internal/jsonx", "internal/sse", "internal/upstream", "internal/visible"},
	"inspect":     {"agent", "agui", "auth", "llm", "page", "internal/visible"},
	"server":      {"agui", "audit", "auth", "policy", "inspect", "internal/guard", "internal/strict", "limit", "page", "run", "run/refusal", "suggest"},
	// a protocol knows the server's entry for protocols, and what it translates: never another one
	"protocol/agui":         {"agui", "run", "server"},
	"protocol/a2a":          {"agui", "internal/egress", "internal/guard", "internal/jsonx", "internal/strict", "internal/upstream", "run", "run/refusal", "server", "store"},
	"protocol/aisdk":        {"agui", "internal/jsonx", "internal/sse", "run", "run/refusal", "server"},
	"protocol/chatv1":       {"agui", "internal/jsonx", "internal/sse", "page", "run", "server"},
	"protocol/copilotkit":   {"agui", "internal/sse", "page", "run", "run/refusal", "server", "suggest"},
	"protocol/mcp":          {"agui", "internal/guard", "run", "run/refusal", "server", "tool"},
	"protocol/openai":       {"agui", "internal/jsonx", "internal/sse", "page", "run", "run/refusal", "server", "tool"},
	"protocol/opensearch":   {"agui", "internal/jsonx", "run", "run/refusal", "server"},
	"protocol/protocoltest": {"*"}, // for tests
	"demo":                  {"agent", "demo/accesslog", "demo/ask", "demo/define", "demo/lines", "demo/ppl", "demo/refuse", "demo/research", "demo/rest", "demo/saved", "llm", "llm/script", "page", "payload", "tool", "internal/visible"},
	"demo/accesslog":        {"demo/lines", "internal/visible"},
	"demo/ask":              {"demo/ppl", "internal/nearest"},
	"demo/demotest":         {"*"}, // for tests
	"demo/saved":            {"demo/refuse", "internal/dbfile", "internal/visible"},
	"demo/define":           {"demo/refuse", "page", "payload", "tool"},
	"demo/refuse":           {}, // what every part of the demo refuses with
	"demo/rest":             {"demo/refuse", "internal/jsonx", "internal/strict"},
	"demo/ppl":              {"demo/refuse", "internal/nearest", "internal/visible"},
	"demo/research":         {"agent", "demo/define", "demo/refuse", "demo/research/library", "demo/research/pubmed", "demo/rest", "demo/saved", "llm", "llm/script", "page", "payload", "tool", "internal/visible"},
	"demo/research/library": {"demo/lines", "demo/refuse", "demo/research/pubmed", "internal/visible"},
	"demo/research/pubmed":  {"demo/refuse"},
	"demo/lines":            {},
	"web":                   {},
	"web/pack":              {}, // a program
	"bench/limit":           {},
	"bench/gate":            {}, // a test of the whole server; it has no code of its own
	"bench/load":            {},
	"bench/mockllm":         {},
	// it replays the demo
	"bench/prompts":       {"agent", "auth", "agui", "config", "demo", "llm", "llm/anthropic", "llm/bedrock", "llm/gemini", "llm/openai", "llm/script", "page", "run", "store", "store/sqlstore", "tool"},
	"bench/server":        {"agent", "audit", "auth", "limit", "llm/openai", "page", "protocol/agui", "run", "server", "store/sqlstore", "tool"},
	"cmd/pageside":        {"*"},
	"examples/gotemplate": {"*"}, // a program, like cmd
	"examples/embedded":   {"*"},
	"examples/plain":      {"*"},
	"test/conformance":    {"agui", "tool"}, // what the conformance build offers
	"test/faults":         {},               // programs written as tests; it has no code of its own
	"test/hostile":        {},               // programs written as tests
	"test/seeds":          {},               // programs written as tests
	"test/mutants":        {},
	"test/chance":         {}, // for tests
	"test/logged":         {}, // for tests
	"test/must":           {}, // for tests
	"test/skipped":        {},
	"test/weight":         {},
	"test/width":          {},
	"docs/site":           {},
	"test/streams":        {"test/must"}, // for tests
	"test/talk":           {"test/must"}, // for tests
	"test/supply":         {},

	"internal/dbfile":            {},
	"internal/egress":            {},
	"internal/egress/egresstest": {"test/must"}, // for tests
	"auth/oidc/oidctest":         {},            // for tests
	"internal/guard":             {},
	"internal/lazy":              {},
	"internal/jsonx":             {},
	"internal/schema":            {"internal/jsonx"},
	"internal/strict":            {"internal/jsonx"},
	"internal/visible":           {},
	"internal/wholefile":         {},
	"internal/upstream":          {"internal/jsonx"},
	"suggest":                    {"agent/usage", "internal/guard", "internal/schema", "limit", "llm", "page", "payload", "run/refusal"},
	"internal/leaktest":          {},
	"internal/nearest":           {},
	"internal/sse":               {},
	"internal/stock":             {}, // for tests
	"internal/registry":          {},
}

type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		may, listed := allowed[name]
		if !listed {
			t.Errorf("package %q is not in the table of imports_test.go: say there what it may import", name)
			continue
		}
		for _, imported := range p.Imports {
			target, ours := strings.CutPrefix(imported, module+"/")
			if ours && !permits(may, target) {
				t.Errorf("package %q must not import %q: it may import %v (see imports_test.go and the layout in AGENTS.md)", name, target, may)
			}
		}
	}
}

// TestWalls: a protocol stands on run and on the server, never on another protocol; what stands
// below protocols knows none of them; and the server knows threads and agents through run alone.
func TestWalls(t *testing.T) {
	for name, may := range allowed {
		i := slices.IndexFunc(may, func(target string) bool { return strings.HasPrefix(target, "protocol/") })
		if i >= 0 && name != "bench/server" {
			t.Errorf("package %q must not import %q: programs choose protocols, and nothing else knows one", name, may[i])
		}
	}
	for _, target := range []string{"tool", "calls", "agent", "store"} {
		if permits(allowed["server"], target) {
			t.Errorf("the server must not import %q: run is the one door to threads, agents and their tools", target)
		}
	}
}

// TestPropertyTestsAreSeeded: rapid by itself draws anew in each run.
func TestPropertyTestsAreSeeded(t *testing.T) {
	for _, p := range packages(t) {
		all := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
		if slices.Contains(all, "pgregory.net/rapid") && !slices.Contains(all, module+"/test/chance") && p.ImportPath != module+"/test/chance" {
			t.Errorf("package %q uses rapid without test/chance, which fixes its seed", p.ImportPath)
		}
	}
}

func permits(may []string, target string) bool {
	for _, m := range may {
		if m == target || m == "*" || target == "internal/lazy" { // no more than a part of regexp
			return true
		}
	}
	return false
}

// packages lists the module's packages with what they and their tests import.
func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		t.Fatalf("list the module's packages: %v", err)
	}
	var all []goPackage
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("decode the list of packages: %v", err)
		}
		all = append(all, p)
	}
}

// TestAgentsNamesFiles: AGENTS.md leads to files that are there. Beside a folder of the web part it
// names files by what follows that.
func TestAgentsNamesFiles(t *testing.T) {
	text := must.Get(os.ReadFile("AGENTS.md"))(t)
	for _, found := range filePath.FindAllSubmatch(text, -1) {
		name := string(found[1])
		folder, _, _ := strings.Cut(name, "/")
		if _, err := os.Stat(folder); err != nil || folder != "web" && path.Ext(name) != ".go" {
			continue
		}
		must.Be(t, must.Err(os.Stat(name)), nil, "AGENTS.md names %s", name)
	}
}

var filePath = regexp.MustCompile("`([\\w-]+/[\\w./-]+\\.(?:go|tsx?|mjs|css))`")
