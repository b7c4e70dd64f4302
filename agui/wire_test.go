package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/stock"
	"github.com/pageside/pageside/test/must"
)

// schema compiles one of the published schemas of AG-UI 1.0.
func schema(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	return stock.Schema(t, "..", name)
}

func validateAgainst(t interface{ Fatalf(string, ...any) }, s *jsonschema.Schema, doc []byte) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Fatalf("%s does not fit the published schema: %v", doc, err)
	}
}

// exact decodes JSON with the digits of its numbers.
func exact(t *testing.T, doc []byte) any {
	t.Helper()
	return must.Get(jsonx.Value(doc, nil))(t)
}

func goldenEvents(t testing.TB) [][]byte {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata", "events.jsonl")))(t)
	return slices.DeleteFunc(bytes.Split(data, []byte("\n")), func(l []byte) bool { return len(l) == 0 })
}

func TestGoldenEvents(t *testing.T) {
	s := schema(t, "Event")
	seen := map[EventType]int{}
	for _, line := range goldenEvents(t) {
		validateAgainst(t, s, line)
		e := must.Get(UnmarshalEvent(line))(t)
		seen[e.Type()]++
		out := must.Get(MarshalEvent(e))(t)
		validateAgainst(t, s, out)
		must.Same(t, exact(t, out), exact(t, line), "%s, read and written as %s", line, out)
	}
	for _, et := range eventTypes {
		if seen[et] < 2 {
			t.Errorf("%s: %d golden events, want a minimal and a full one", et, seen[et])
		}
	}
}

func TestGoldenRunInputFitsPublishedSchema(t *testing.T) {
	input, message := schema(t, "RunAgentInput"), schema(t, "Message")
	for _, line := range goldenEvents(t) {
		raw := jsonx.Find(line, "input")
		if raw == nil {
			continue
		}
		in := must.Get(UnmarshalRunAgentInput(raw))(t)
		out := must.Get(MarshalRunAgentInput(in))(t)
		must.Same(t, exact(t, out), exact(t, raw), "%s, read and written as %s", raw, out)
		validateAgainst(t, input, out)
		for _, m := range in.Messages {
			validateAgainst(t, message, must.Get(MarshalMessage(m))(t))
		}
	}
}

// Any event of any type survives the wire, and what is sent fits the published schema and one line.
func TestAnyEventRoundTrips(t *testing.T) {
	for _, et := range eventTypes {
		t.Run(string(et), func(t *testing.T) {
			s := schema(t, "Event")
			rapid.Check(t, func(t *rapid.T) {
				e := event(t, et)
				doc := must.Get(MarshalEvent(e))(t)
				if bytes.ContainsAny(doc, "\n\r") {
					t.Fatalf("more than one line: %s", doc)
				}
				validateAgainst(t, s, doc)
				must.Same(t, must.Get(UnmarshalEvent(doc))(t), e, "%s is read as", doc)
			})
		})
	}
}

// The encoder writes nothing the decoders refuse, whatever strings hold: what is stored can be read
// again.
func TestAnyStringsCanBeReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		doc, err := MarshalMessage(Message{ID: s, Role: RoleAssistant, Name: s, Content: TextContent(s), ToolCalls: []ToolCall{{ID: s, Name: s, Arguments: s}}})
		must.Do(t, err)
		must.Be(t, must.Err(UnmarshalMessage(doc)), nil, "%s", doc)
	})
}

func TestAnyCapabilitiesRoundTrip(t *testing.T) {
	s := schema(t, "AgentCapabilities")
	rapid.Check(t, func(t *rapid.T) {
		flag := func() *bool {
			return rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(t, "flag")
		}
		in := &Capabilities{
			Identity:       &Identity{Name: text(t), Version: text(t), DocumentationURL: text(t), Metadata: object(t)},
			Transport:      &TransportCapabilities{Streaming: flag(), WebSocket: flag(), HTTPBinary: flag(), PushNotifications: flag(), Resumable: flag()},
			Tools:          &ToolCapabilities{Supported: flag(), ParallelCalls: flag(), ClientProvided: flag(), Items: []Tool{{Name: text(t), Description: text(t), Parameters: object(t)}}},
			Output:         &OutputCapabilities{StructuredOutput: flag(), SupportedMimeTypes: texts(t)},
			State:          &StateCapabilities{Snapshots: flag(), Deltas: flag(), Memory: flag(), PersistentState: flag()},
			MultiAgent:     &MultiAgentCapabilities{Supported: flag(), Delegation: flag(), Handoffs: flag(), Subagents: []Subagent{{Name: text(t), Description: text(t)}}},
			Reasoning:      &ReasoningCapabilities{Supported: flag(), Streaming: flag(), Encrypted: flag()},
			Multimodal:     &MultimodalCapabilities{Input: &MediaInput{Image: flag(), Audio: flag(), Video: flag(), PDF: flag(), File: flag()}, Output: &MediaOutput{Image: flag(), Audio: flag()}},
			Execution:      &ExecutionCapabilities{CodeExecution: flag(), Sandboxed: flag(), MaxIterations: new(int64(12)), MaxExecutionTime: new(int64(0))},
			HumanInTheLoop: &HumanInTheLoopCapabilities{Supported: flag(), Approvals: flag(), Interventions: flag(), Feedback: flag(), Interrupts: flag(), ApproveWithEdits: flag()},
			Custom:         object(t),
		}
		doc := must.Get(MarshalCapabilities(in))(t)
		validateAgainst(t, s, doc)
		must.Same(t, must.Get(UnmarshalCapabilities(doc))(t), in, "%s is read as", doc)
	})
}

func TestCapabilitiesOfOlderPeers(t *testing.T) {
	c := must.Get(UnmarshalCapabilities([]byte(`{"multiAgent":{"subAgents":[{"name":"a"}]}}`)))(t)
	must.Same(t, c.MultiAgent.Subagents, []Subagent{{Name: "a"}}, "subagents")
	out := must.Get(MarshalCapabilities(c))(t)
	must.Be(t, string(out), `{"multiAgent":{"subagents":[{"name":"a"}]}}`, "written again")
}

func TestOpaqueValuesSurviveByteForByte(t *testing.T) {
	const value = `{ "n" : [1.0, 1e400, -0, 123456789012345678901234567890], "null":null, "é":"\u00e9\/" }`
	e, err := UnmarshalEvent([]byte(`{"type":"CUSTOM","name":"x","value":` + value + `,"metadata":` + value + `}`))
	must.Do(t, err)
	if c := e.(*Custom); string(c.Value) != value || string(c.Metadata) != value {
		t.Fatalf("decoded as %s and %s", c.Value, c.Metadata)
	}
	out := must.Get(MarshalEvent(e))(t)
	must.Be(t, strings.Count(string(out), value), 2, "the value in %s", out)
}

func TestLineBreaksInOpaqueValuesBecomeSpaces(t *testing.T) {
	out := must.Get(MarshalEvent(&Custom{Name: "x", Value: json.RawMessage("{\r\n \"a\":\n\"b\\n\"}")}))(t)
	must.Be(t, string(out), `{"type":"CUSTOM","name":"x","value":{   "a": "b\n"}}`, "one line")
}

func TestEncodingErrorsNameTheField(t *testing.T) {
	for _, c := range []struct {
		event Event
		want  string
	}{
		{&TextMessageStart{Role: "tool"}, `role: must be developer or system or assistant or user, got "tool"`},
		{&TextMessageStart{Base: Base{Timestamp: new(int64(1 << 53))}}, "timestamp: must be from -9007199254740991 to 2^53-1, got 9007199254740992"},
		{&Custom{Value: json.RawMessage(`{"a":}`)}, `value.a: unexpected '}', expected a value`},
		{&Custom{Value: json.RawMessage(`{"a":1,"a":2}`)}, `value.a: stands twice in one object`},
		{&Custom{Base: Base{Metadata: json.RawMessage(`[]`)}}, "metadata: must be an object, got an array"},
		{&RunError{Base: Base{SubagentRunID: "s"}}, "subagentRunId: is not allowed on RUN_ERROR"},
		{&RunFinished{Outcome: &Outcome{}}, `outcome.type: must be success or interrupt or cancelled, got ""`},
		{&RunFinished{Outcome: &Outcome{Type: OutcomeInterrupt}}, "outcome.interrupts: must not be empty"},
		{&RunFinished{Usage: []TokenUsage{{}, {InputTokens: new(int64(-1))}}}, "usage[1].inputTokens: must be from 0 to 2^53-1, got -1"},
		{&ToolCallResult{}, "content: is required"},
		{&ToolCallResult{Content: PartsContent([]ContentPart{{Type: "text"}, {Type: "image"}})}, "content[1].source: is required"},
		{&ActivitySnapshot{}, "content: is required"},
		{&StateDelta{Delta: json.RawMessage(`[{"op":"add","path":"/a"}]`)}, "delta[0].value: is required"},
		{&MessagesSnapshot{Messages: []Message{{Role: "robot"}}}, `messages[0].role: must be developer or system or assistant or user or tool or activity or reasoning, got "robot"`},
		{&MessagesSnapshot{Messages: []Message{{Role: RoleUser}}}, `messages[0].content: is required`},
	} {
		dst := []byte("kept")
		out, err := AppendEvent(dst, c.event)
		field, ok := errors.AsType[*FieldError](err)
		if !ok || field.Error() != c.want || string(out) != "kept" {
			t.Errorf("%T: got %q, error %v, want %s", c.event, out, err, c.want)
		}
	}
}
