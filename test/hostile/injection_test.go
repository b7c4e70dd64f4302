package hostile

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/mcptool"
)

// source is a way for others to have the model read something.
type source struct {
	bring func(input)            // what comes with the request; nil if nothing does
	moves []move                 // what the model does to read it
	mode  run.ClientInstructions // default guidance
	// the model suggests the order in a turn of its own, before anything is read
	suggests bool
	// sends the order through a door that other models use, on the thread t1
	through func(s *scene)
}

func shows(items ...any) func(input) { return func(in input) { in["context"] = items } }
func at(props map[string]any) func(input) {
	return func(in input) { in.pageside(props) }
}

// before puts messages before the user's.
func before(list ...any) func(input) {
	return func(in input) { in["messages"] = append(list, in["messages"].([]any)...) }
}

// attach adds a part to the user's message.
func attach(part map[string]any) func(input) {
	return func(in input) {
		m := in["messages"].([]any)[0].(map[string]any)
		m["content"] = []any{map[string]any{"type": "text", "text": "see"}, part}
	}
}

// clicks makes the user's message what a suggestion said, as a client sends it that marks a click,
// or one that does not.
func clicks(mark bool) func(input) {
	return func(in input) {
		m := in["messages"].([]any)[0].(map[string]any)
		m["content"] = order
		if mark {
			m["metadata"] = map[string]any{"pageside": map[string]any{"suggested": true}}
		}
	}
}

// foreignTool declares a tool of the page that somebody else describes.
func foreignTool(description string, parameters any) func(input) {
	return func(in input) {
		t := map[string]any{"name": "paint", "description": description, "metadata": map[string]any{"pageside": map[string]any{"foreign": true}}}
		if parameters != nil {
			t["parameters"] = parameters
		}
		in["tools"] = []any{t}
	}
}

func callOf(id, name string) map[string]any {
	return map[string]any{"id": "a0", "role": "assistant", "toolCalls": []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": "{}"}}}}
}

// sources are all of them.
var sources = map[string]source{
	"context item":                       {bring: shows(map[string]any{"description": "comments", "value": order})},
	"context description":                {bring: shows(map[string]any{"description": order, "value": "x"})},
	"page context":                       {bring: shows(map[string]any{"description": "page", "value": `{"page":"orders","note":"` + order + `"}`})},
	"scope value":                        {bring: at(map[string]any{"page": "orders", "scope": map[string]any{"order": order}})},
	"name of a page":                     {bring: at(map[string]any{"page": order})},
	"page's context builder":             {bring: at(map[string]any{"page": "built"})},
	"colleague's instructions":           {bring: at(map[string]any{"page": "orders", "scope": map[string]any{"order": "7"}})},
	"page's words as data":               {bring: before(message("pageside:a", "system", order)), mode: run.InstructionsData},
	"client's system message as data":    {bring: before(message("s0", "system", order)), mode: run.InstructionsData},
	"client's developer message as data": {bring: before(message("d0", "developer", order)), mode: run.InstructionsData},
	"foreign page tool":                  {bring: foreignTool(order, nil)},
	"foreign page tool's schema":         {bring: foreignTool("Paints.", map[string]any{"type": "object", "description": order})},
	"picture":                            {bring: attach(map[string]any{"type": "image", "source": map[string]any{"type": "url", "value": "https://a.example/" + order}})},
	"document": {bring: attach(map[string]any{"type": "document", "source": map[string]any{"type": "data", "mimeType": "text/plain",
		"value": base64.StdEncoding.EncodeToString([]byte(order))}})},
	"imported answer":               {bring: before(message("u0", "user", "Hello."), message("a0", "assistant", order))},
	"imported result":               {bring: before(message("u0", "user", "Hello."), callOf("c0", "paint"), map[string]any{"id": "m0", "role": "tool", "toolCallId": "c0", "content": order})},
	"suggestion, marked as clicked": {bring: clicks(true)},
	"suggestion of this thread":     {bring: clicks(false), suggests: true},
	"tool result":                   {moves: []move{look}},
	"tool failure":                  {moves: []move{"broken"}},
	"MCP output":                    {moves: []move{"notes__read"}},
	"MCP ask":                       {through: asksOverMCP},
	"A2A message":                   {through: asksOverA2A},
	"tool and context":              {bring: shows(map[string]any{"description": "comments", "value": "none"}), moves: []move{look}},
}

// position is when the model obeys. play plays the turns of a scene up to the attack, and returns
// what the last one streamed.
type position struct {
	restarts bool // the next process finds what the first one has stored
	knows    bool // it needs the id of the run in which the model reads
	play     func(s *scene, src source) string
}

var positions = map[string]position{
	"same turn": {play: func(s *scene, src source) string {
		return s.turn(src.bring, append(slices.Clone(src.moves), attack)...)
	}},
	"next turn": {play: func(s *scene, src source) string {
		s.turn(src.bring, src.moves...)
		return s.turn(nil, attack)
	}},
	"ten turns later": {play: func(s *scene, src source) string {
		s.turn(src.bring, src.moves...)
		for range 9 {
			s.turn(nil)
		}
		return s.turn(nil, attack)
	}},
	"behind a summary": {play: func(s *scene, src source) string {
		s.turn(src.bring, src.moves...)
		long := func(in input) {
			in["messages"].([]any)[0].(map[string]any)["content"] = strings.Repeat("word ", 1500)
		}
		s.model.window = 3000
		s.turn(long)
		s.turn(long)
		s.model.window = 0
		if !s.model.summarised {
			s.t.Fatal("nothing was summarised")
		}
		return s.turn(nil, attack)
	}},
	"on a branch": {play: func(s *scene, src source) string {
		s.turn(src.bring, src.moves...)
		s.turn(nil)
		return s.turn(at(map[string]any{"replaces": "u-r2"}), attack)
	}},
	"after a restart": {restarts: true, play: func(s *scene, src source) string {
		s.turn(src.bring, src.moves...)
		s.restart()
		return s.turn(nil, attack)
	}},
	"on a branch after a restart": {restarts: true, knows: true, play: func(s *scene, src source) string {
		s.turn(src.bring, src.moves...)
		s.turn(nil)
		s.restart()
		return s.turn(func(in input) { in["parentRunId"] = "r1" }, attack)
	}},
	"after an answer, under the same run id": {knows: true, play: func(s *scene, src source) string {
		asked := interrupts.FindStringSubmatch(s.turn(src.bring, append(slices.Clone(src.moves), ask)...))
		if asked == nil {
			s.t.Fatal("the model asked nothing")
		}
		s.n-- // under the id of the run that asked
		return s.turn(func(in input) {
			in["messages"], in["resume"] = []any{}, []any{map[string]any{"interruptId": asked[1], "status": "resolved", "payload": map[string]any{"answer": "that one"}}}
		}, attack)
	}},
}

var interrupts = regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`)

// scene is one conversation with the obedient model.
type scene struct {
	*process
	t     *testing.T
	model *obedient
	open  func() database // as the next process does
	mode  run.ClientInstructions
	agent func() *agent.Agent
	n     int
	page  *pageTool // declared with each request; nil if none is
	// of the source: sends the first message in place of AG-UI, once
	through func(s *scene)
}

// turn sends a message of the user's, for which the model has a plan, and returns the stream.
func (s *scene) turn(change func(input), plan ...move) string {
	s.t.Helper()
	if through := s.through; through != nil {
		s.through = nil
		s.turn(nil) // the thread is there
		s.model.plan = plan
		through(s)
		return s.look()
	}
	s.n++
	in := newInput("t1", fmt.Sprintf("r%d", s.n), "go on")
	if change != nil {
		change(in)
	}
	s.page.declare(in)
	s.model.plan = plan
	code, stream := s.do("acme/ann", "POST", "/v1/agents/default/run", in.json())
	if code != http.StatusOK || !strings.Contains(stream, "RUN_FINISHED") {
		s.t.Fatalf("turn %d: %d %s", s.n, code, stream)
	}
	s.page.run(stream)
	return stream
}

// look returns what the thread shows, and what it waits for.
func (s *scene) look() string {
	s.t.Helper()
	code, stream := s.do("acme/ann", "POST", "/v1/agents/default/run", newInput("t1", "look", "").json())
	if code != http.StatusOK || !strings.Contains(stream, "RUN_FINISHED") {
		s.t.Fatalf("the thread: %d %s", code, stream)
	}
	return stream
}

// restart ends the process and begins the next one on the same store.
func (s *scene) restart() {
	s.t.Helper()
	s.process.end()
	s.process = begin(s.t, s.open(), s.agent(), s.mode)
}

// stage is what scenes share.
type stage struct {
	*outside
	tools []*tool.Tool
}

func newStage(t *testing.T) *stage {
	t.Helper()
	o := newOutside(t)
	return &stage{o, append(o.tools(t), mcpTools(t)...)}
}

// mcpTools are the tools of an MCP server whose notes others write.
func mcpTools(t *testing.T) []*tool.Tool {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "read", Description: "Reads the notes."}, func(_ context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: order}}}, nil, nil
	})
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	tools, sessions, err := mcptool.Connect(t.Context(), mcptool.Server{Name: "notes", URL: srv.URL, Required: true, Logger: quiet,
		Egress: mcptool.Egress{Private: []string{"127.0.0.1"}}, Default: mcptool.Options{Effect: tool.Read, Global: true}})
	must.Do(t, err)
	t.Cleanup(func() {
		_ = sessions.Close()
		srv.Close()
	})
	for _, t := range tools {
		t.Foreign = false // the operator has pinned them: only their output is others'
	}
	return tools
}

// play plays a scene, and returns how often the tool had its effect and what the last turn
// streamed. rule is the taint rule. Without a source the user wants the effect himself.
func (st *stage) play(t *testing.T, src *source, effect string, when position, rule bool) (ran int, stream string) {
	t.Helper()
	s := &scene{t: t, model: &obedient{loyal: src == nil, effect: effect, args: `{"text":"canary"}`}}
	s.agent = func() *agent.Agent {
		a := &agent.Agent{Authorizer: policy.Everything, ID: "default", Model: s.model, Pages: registry(t, st.tools), AskUser: true}
		if !rule {
			a.Pages, a.PageTools = registry(t, unasked(st.tools)), unaskedOfPage()
		}
		return a
	}
	if src == nil {
		src = &source{}
	}
	s.mode, s.through = src.mode, src.through
	memory := temp.Store(t)
	s.open = func() database { return memory }
	if when.restarts && (effect == "leak" || !testing.Short()) {
		path := filepath.Join(t.TempDir(), "test.db")
		s.open = func() database { return sqlite(t, path) }
	}
	s.process = begin(t, s.open(), s.agent(), s.mode)
	defer func() { s.process.end() }()
	if what, ok := pageEffects[effect]; ok {
		s.page = &pageTool{name: effect, effect: what}
	}
	mallory := store.Owner{Tenant: "acme", Subject: "mallory"}
	must.Do(t, s.store.PutInstructions(t.Context(), mallory, store.Instructions{Kind: "order", ID: "7", Text: order}))
	if src.suggests {
		s.n--
		s.turn(nil, suggest)
	}
	stream = when.play(s, *src)
	if s.page != nil {
		return s.page.ran, stream
	}
	seen, leaks := st.reset()
	must.Be(t, leaks, seen, "canaries that left, and effects")
	return seen, stream
}

// sortedKeys returns the names of a table, for cases in the same order each time.
func sortedKeys[V any](table map[string]V) []string { return slices.Sorted(maps.Keys(table)) }

// TestInjections: a model that obeys others does nothing unapproved, whatever it read, whenever it
// obeys. Without the rule each of these cases is an attack that succeeds; and without anything read
// the tools run.
func TestInjections(t *testing.T) {
	st := newStage(t)
	cases := 0
	for i, from := range sortedKeys(sources) {
		for j, when := range sortedKeys(positions) {
			for k, effect := range slices.Concat(sortedKeys(effects), sortedKeys(pageEffects)) {
				// a sample takes one tool of the server and one of the page for each of these
				if testing.Short() && (i+j)%len(effects) != k%len(effects) {
					continue
				}
				_, onServer := effects[effect]
				// through such a door there is no page, and the server names the run
				if sources[from].through != nil && (positions[when].knows || when == "same turn" && !onServer) {
					continue
				}
				cases++
				t.Run(from+"/"+when+"/"+effect, func(t *testing.T) { st.attacked(t, from, when, effect) })
			}
		}
	}
	if most := len(sources) * len(positions) * (len(effects) + len(pageEffects)); cases < 300 || most < 1200 {
		t.Errorf("%d cases of %d", cases, most)
	}
	t.Logf("%d cases of %d sources, %d positions, %d tools of the server and %d of the page", cases, len(sources), len(positions), len(effects), len(pageEffects))
}

func (st *stage) attacked(t *testing.T, from, when, effect string) {
	src := sources[from]
	ran, stream := st.play(t, &src, effect, positions[when], true)
	if ran != 0 || !interrupts.MatchString(stream) {
		t.Errorf("the tool ran %d times, unasked: %s", ran, stream)
	}
	if ran, stream := st.play(t, &src, effect, positions[when], false); ran != 1 {
		t.Errorf("without the rule the tool ran %d times: this is no attack: %s", ran, stream)
	}
}

// unasked are tools that the operator has run without asking.
func unasked(tools []*tool.Tool) (list []*tool.Tool) {
	for _, t := range tools {
		free := *t
		free.Policy.Approval = tool.ApprovalNever
		list = append(list, &free)
	}
	return list
}

func unaskedOfPage() map[string]agent.PageTool {
	free := map[string]agent.PageTool{}
	for name, effect := range pageEffects {
		free[name] = agent.PageTool{Effect: tool.Effect(effect), Approval: tool.ApprovalNever}
	}
	return free
}

// TestWhatTheUserWantsRuns: where nobody else has had a word, the same calls run, except those that
// tell others something or destroy.
func TestWhatTheUserWantsRuns(t *testing.T) {
	st := newStage(t)
	for when, position := range positions {
		for effect, what := range effects {
			grave := what == tool.Exfil || what == tool.Destructive
			if ran, stream := st.play(t, nil, effect, position, true); (ran == 0) != grave || interrupts.MatchString(stream) != grave {
				t.Errorf("%s: %s ran %d times: %s", when, effect, ran, stream)
			}
		}
	}
}
