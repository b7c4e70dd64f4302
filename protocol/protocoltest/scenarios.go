package protocoltest

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/pageside/pageside/agui"
)

// Script is what the model says.
const Script = `
name: test
rules:
  - match: '^hello'
    steps: [{ text: 'Hello to <you> & all.' }]
  - match: '^think'
    steps: [{ reasoning: 'A secret thought.', text: 'Thought over.' }]
  - match: '^count (?P<of>\w+)'
    steps:
      - text: Let me count.
        calls: [{ tool: count, args: { of: '{{ .Match.of }}' } }]
      - text: 'There are {{ index .Results 0 }}.'
  - match: '^choose'
    steps:
      - calls: [{ tool: pick, args: { from: '{{ if .ToolOffered "count" }}all tools{{ else }}its own{{ end }}' } }]
      - text: Chosen.
  - match: '^city as json'
    steps: [{ text: 'Here you are: {"city": "Oslo"} Is that right?' }]
  - match: '^city as prose'
    steps:
      - text: Let me count.
        calls: [{ tool: count, args: { of: cities } }]
      - text: The city is Oslo.
  - match: '^Answer with a call of answer'
    steps: [{ calls: [{ tool: answer, args: { city: '{{ if eq (context "answer") "The city is Oslo." }}Oslo{{ end }}' } }] }]
  - match: '^That could not be read'
    steps: [{ text: I cannot. }]
  - match: '^cite twice'
    steps:
      - calls: [{ tool: search, args: {} }, { tool: search, args: {} }]
      - text: Twice [1].
  - match: '^cite and pick'
    steps:
      - calls: [{ tool: search, args: {} }, { tool: pick, args: { from: reports } }]
      - text: Picked.
  - match: '^cite'
    steps:
      - calls: [{ tool: search, args: {} }]
      - text: 'Größe [1] and [2], so [1, 3]; not [7].'
  - match: '^break'
    steps:
      - calls: [{ tool: broken, args: {} }]
      - text: It does not work.
  - match: '^pick'
    steps:
      - calls: [{ tool: pick, args: { from: reports } }]
      - text: 'You picked {{ index .Results 0 }}.'
  - match: '^wrong'
    steps:
      - calls: [{ tool: pick, args: { from: 7 } }]
      - text: I wrote that wrong.
  - match: '^change'
    steps: [{ calls: [{ tool: change, args: {} }] }]
  - match: '^mix'
    steps:
      - calls: [{ tool: count, args: { of: trials } }, { tool: pick, args: { from: trials } }]
      - text: 'Of {{ index .Results 0 }} you picked {{ index .Results 1 }}.'
  - match: '^erase (?P<name>\w+)'
    steps:
      - text: I will erase it.
        calls: [{ tool: erase, args: { name: '{{ .Match.name }}' } }]
      - text: 'The tool says: {{ index .Results 0 }}'
  - match: '^yes'
    steps: [{ text: As you wish. }]
  - match: '^fail'
    steps: [{ error: { kind: auth, message: no credit } }]
  - match: '^suggest'
    steps:
      - text: |
          Try this:
          QUERY_SUGGESTION: {"query":"EGFR AND resistance"}
          SUGGESTED_VALUES: [{"label":"Yes","value":"Yes, please proceed with that"}]
          SUGGESTED_ACTIONS: [{"label":"View report","action":"open_report"},{"label":"Count","action":"run_count","args":{"of":"trials"}}]
  - match: '^garbled'
    steps: [{ text: 'QUERY_SUGGESTION: {"other":1}' }, { text: 'QUERY_SUGGESTION: {"other":1}' }]
  - match: '^where'
    steps: [{ text: '{{ get (context "sort") "column" }}/{{ get (context "current_schema") "n" }}' }]
  - match: '^spend'
    steps: [{ text: Spent., usage: { input: 90, cacheRead: 20, output: 30, reasoning: 10 } }]
  - match: '^long'
    steps: [{ text: A long, finish: length }]
  - match: '^slow'
    steps: [{ text: 'one two three four five six', delay: 60ms }]
  - match: '^for ever'
    steps: [{ text: 'one two three four five six', delay: 10m, chunk: 3 }]
`

// Pick is a tool of the client that the operator has said to be harmless.
var Pick = agui.Tool{Name: "pick", Description: "Lets the user pick.", Parameters: json.RawMessage(`{"type":"object","properties":{"from":{"type":"string"}}}`)}

// Turn is one request of a scenario and what it must show.
type Turn struct {
	Say     string
	Tools   []agui.Tool
	Result  string // of each of the client's calls that are open
	Approve bool   // what waits
	Deny    bool
	Want    Seen
}

// Scenario is a conversation.
type Scenario struct {
	Name  string
	Turns []Turn
	Need  Need // what the protocol must have words for, if anything
}

// Scenarios are the conversations that every drop-in plays.
var Scenarios = []Scenario{
	{Name: "text", Turns: []Turn{{Say: "hello", Want: Seen{Text: "Hello to <you> & all."}}}},
	{Name: "reasoning is not shown as text", Turns: []Turn{{Say: "think", Want: Seen{Text: "Thought over."}}}},
	{Name: "a tool of the server", Turns: []Turn{{Say: "count trials", Want: Seen{Text: "Let me count.\n\nThere are 18 trials.",
		Tools: []Call{{Tool: "count", Input: `{"of":"trials"}`, Output: "18 trials"}}, Card: `tally {"of":"trials"}`}}}},
	{Name: "a second question", Turns: []Turn{
		{Say: "hello", Want: Seen{Text: "Hello to <you> & all."}},
		{Say: "count reports", Want: Seen{Text: "Let me count.\n\nThere are 18 reports.", Tools: []Call{{Tool: "count", Input: `{"of":"reports"}`, Output: "18 reports"}}, Card: `tally {"of":"reports"}`}},
	}},
	{Name: "a tool that names sources", Turns: []Turn{{Say: "cite", Want: Seen{Text: "Größe [1] and [2], so [1, 3]; not [7].", Tools: []Call{{Tool: "search", Input: "{}", Output: "3 found"}}}}}},
	{Name: "a tool that fails", Turns: []Turn{{Say: "break", Want: Seen{Text: "It does not work.", Tools: []Call{{Tool: "broken", Input: "{}", Output: `*`}}}}}},
	{Name: "a tool of the client", Need: FrontendTools, Turns: []Turn{
		{Say: "pick", Tools: []agui.Tool{Pick}, Want: Seen{Open: []Call{{Tool: "pick", Input: `{"from":"reports"}`}}}},
		{Tools: []agui.Tool{Pick}, Result: "the first", Want: Seen{Text: "You picked the first."}},
	}},
	{Name: "tools of both in one step", Need: FrontendTools, Turns: []Turn{
		{Say: "mix", Tools: []agui.Tool{Pick}, Want: Seen{Tools: []Call{{Tool: "count", Input: `{"of":"trials"}`, Output: "18 trials"}}, Card: `tally {"of":"trials"}`, Open: []Call{{Tool: "pick", Input: `{"from":"trials"}`}}}},
		{Tools: []agui.Tool{Pick}, Result: "two", Want: Seen{Text: "Of 18 trials you picked two."}},
	}},
	{Name: "arguments that do not match the client's schema", Need: FrontendTools, Turns: []Turn{{Say: "wrong", Tools: []agui.Tool{Pick}, Want: Seen{Text: "I wrote that wrong."}}}},
	{Name: "an approval", Need: Approvals, Turns: []Turn{
		{Say: "erase it", Want: Seen{Text: "I will erase it.", Waits: []Call{{Tool: "erase", Input: `{"name":"it"}`}}}},
		{Approve: true, Want: Seen{Text: "The tool says: erased it", Tools: []Call{{Tool: "erase", Input: `{"name":"it"}`, Output: "erased it"}}}},
	}},
	{Name: "an approval that is denied", Need: Approvals, Turns: []Turn{
		{Say: "erase it", Want: Seen{Text: "I will erase it.", Waits: []Call{{Tool: "erase", Input: `{"name":"it"}`}}}},
		{Deny: true, Want: Seen{Text: "The tool says: *", Tools: []Call{{Tool: "erase", Input: `{"name":"it"}`, Output: "*"}}}},
	}},
	{Name: "a message in place of an approval", Need: Approvals, Turns: []Turn{
		{Say: "erase it", Want: Seen{Text: "I will erase it.", Waits: []Call{{Tool: "erase", Input: `{"name":"it"}`}}}},
		{Say: "hello", Want: Seen{Text: "Hello to <you> & all.", Tools: []Call{{Tool: "erase", Input: `{"name":"it"}`, Output: "*"}}}},
	}},
	{Name: "an error of the model", Turns: []Turn{{Say: "fail", Want: Seen{Error: "*"}}}},
	{Name: "a stream that is cut off", Need: Cuts, Turns: []Turn{{Say: "slow", Want: Seen{Text: "one two three four five six"}}}},
	{Name: "an answer that is cancelled", Need: Cancels, Turns: []Turn{
		{Say: "for ever", Want: Seen{Text: "one", Error: "*"}},
		{Say: "hello", Want: Seen{Text: "Hello to <you> & all."}},
	}},
}

// Play plays all scenarios, but for those whose need the protocol lacks.
func Play(t *testing.T, p Protocol) {
	if (p.Cut == nil) != (p.Lacks[Cuts] != "") || (p.Cancel == nil) != (p.Lacks[Cancels] != "") {
		t.Fatal("a protocol has Cut and Cancel, or says why it lacks them")
	}
	for need, why := range p.Lacks {
		if why == "" {
			t.Fatalf("nothing says why the protocol lacks %s", need)
		}
	}
	for _, c := range Scenarios {
		if p.Lacks[c.Need] == "" {
			t.Run(c.Name, func(t *testing.T) { p.play(t, Serve(t, p.DropIn), c) })
		}
	}
}

func (p Protocol) play(t *testing.T, s *Site, c Scenario) {
	var before Seen
	for i, turn := range c.Turns {
		q := Question{Conversation: before.Conversation, Text: turn.Say, Tools: turn.Tools}
		for _, open := range before.Open {
			q.Results = append(q.Results, Call{ID: open.ID, Tool: open.Tool, Input: open.Input, Output: turn.Result})
		}
		for _, w := range before.Waits {
			switch {
			case turn.Approve:
				q.Approve = append(q.Approve, w.ID)
			case turn.Deny:
				q.Deny = append(q.Deny, w.ID)
			}
		}
		ask := p.Ask
		if i == 0 && c.Need == Cuts {
			ask = p.Cut
		} else if i == 0 && c.Need == Cancels {
			ask = p.Cancel
		}
		before = ask(t, s, q)
		p.compare(t, before, turn.Want)
	}
}

// compare compares what a client has seen. A * in what is wanted stands for any text.
func (p Protocol) compare(t *testing.T, got, want Seen) {
	t.Helper()
	if !p.ShowsTools {
		want.Tools = nil
	}
	if !p.ShowsCards {
		want.Card = ""
	}
	got.Conversation = ""
	got.Text, got.Error = like(want.Text, got.Text), like(want.Error, got.Error)
	got.Tools, got.Open, got.Waits = alike(want.Tools, got.Tools), alike(want.Open, got.Open), alike(want.Waits, got.Waits)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("saw  %+v\nwant %+v", got, want)
	}
}

func alike(want, got []Call) []Call {
	var out []Call
	for i, c := range got {
		c.ID = ""
		if i < len(want) {
			c.Output = like(want[i].Output, c.Output)
		}
		out = append(out, c)
	}
	return out
}

// like returns want if got is a text like it.
func like(want, got string) string {
	if n := len(want); n > 0 && want[n-1] == '*' && len(got) >= n && got[:n-1] == want[:n-1] {
		return want
	}
	return got
}
