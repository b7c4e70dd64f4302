package llm

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
)

// Dialect describes the tool names, call ids, schemas and media that a provider's API accepts. A
// thread may hold others, made by other models. An adapter passes every request through Fit, since
// a provider that refuses one piece of the history would refuse the thread for good. Safe for
// concurrent use; must not be copied.
type Dialect struct {
	// tool names begin with a letter or _; everywhere they are 1 to 64 letters, digits, _ and -
	LetterFirst bool
	// length limit of call ids, 0 means 64; everywhere they are letters, digits, _ and -
	IDLength int
	ExactIDs bool // ids have exactly IDLength letters and digits
	// limits of the number of tools, and of the characters of a tool's description; 0 means none.
	// The first tools are declared
	MaxTools, MaxDescription int
	// the last message is not the assistant's, as it is after a crash in the middle of an answer
	UserLast bool
	Schemas  SchemaRules
	Media    MediaRules

	relaxed atomic.Bool // the provider has refused strict schemas

	mu      sync.Mutex
	schemas map[string]*fittedSchema // by original text
}

// Fitted is a request in a form the provider accepts, with the data Restore needs to restore the
// original names in the answer.
type Fitted struct {
	*Request // the request to send; changed parts are copies

	original *Request
	strict   bool // a tool has a strict schema

	// of tools, as sent → as declared or called; only changed ones
	names map[string]string
	// by the tool's name as sent: names of arguments, as sent → as declared; only changed ones
	members map[string]map[string]string
	back    map[string]string // the reverse of names
	changed map[string]bool   // ids of calls sent under another id
}

// Fit returns req in a form the provider accepts. The same request always gives the same bytes, and
// one that only grew at its end keeps its beginning.
func (d *Dialect) Fit(req *Request) *Fitted {
	copied := *req
	f := &Fitted{Request: &copied, original: req}
	f.fitNames(d)
	f.fitTools(d)
	f.fitMessages(d)
	if n := len(f.Messages); d.UserLast && n > 0 && f.Messages[n-1].Role == RoleAssistant {
		f.Messages = append(slices.Clip(f.Messages), Message{RoleUser, []Content{Text{Text: continueRequest}}})
	}
	return f
}

// continueRequest asks for the rest of an answer, where a provider takes no beginning of one.
const continueRequest = "(Your answer was cut off here. Go on where it ends.)"

// fitTools declares every tool once, with a name and schema that the provider accepts.
func (f *Fitted) fitTools(d *Dialect) {
	tools := make([]ToolDecl, 0, len(f.Tools))
	seen := make(map[string]bool, len(f.Tools))
	var strict strictness
	for _, t := range f.Tools {
		if seen[t.Name] || d.MaxTools > 0 && len(tools) == d.MaxTools {
			continue
		}
		seen[t.Name] = true
		t.Description = cutTo(d.MaxDescription, t.Description)
		if name, ok := f.back[t.Name]; ok {
			t.Name = name
		}
		schema := d.schema(t.Parameters)
		t.Parameters = schema.json
		t.Strict = t.Strict && !d.relaxed.Load() && strict.add(schema.strictness)
		f.strict = f.strict || t.Strict
		if len(schema.members) > 0 {
			if f.members == nil {
				f.members = map[string]map[string]string{}
			}
			f.members[t.Name] = schema.members
		}
		tools = append(tools, t)
	}
	if len(tools) > 0 || f.Tools != nil {
		f.Tools = tools
	}
}

// cutTo returns at most so many characters of a text; 0 means all.
func cutTo(limit int, text string) string {
	if limit == 0 || utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// fitMessages copies the messages that must change.
func (f *Fitted) fitMessages(d *Dialect) {
	ids := newCallIDs(d, f.Messages)
	media := newMediaFitter(&d.Media, f.Messages)
	copied := false
	for i, m := range f.Messages {
		var content []Content // a copy, once a piece differs
		if m.Role == RoleUser && isBlank(m.Content) {
			content = []Content{Text{Text: "(empty)"}}
			m.Content = nil
		}
		for j, c := range m.Content {
			fit, changed := f.fitContent(c, ids, media)
			if !changed {
				continue
			}
			if content == nil {
				content = slices.Clone(m.Content)
			}
			content[j] = fit
		}
		if content == nil {
			continue
		}
		if !copied {
			f.Messages, copied = slices.Clone(f.Messages), true
		}
		f.Messages[i].Content = content
	}
	f.changed = ids.changed
}

// isBlank reports whether a message says nothing. Some providers refuse it, others take it for the
// end of the conversation.
func isBlank(content []Content) bool {
	const longest = 256 // bytes of a text that is looked at
	return !slices.ContainsFunc(content, func(c Content) bool {
		t, ok := c.(Text)
		return !ok || len(t.Text) > longest || len(t.Quoted) > longest || strings.TrimSpace(t.String()) != ""
	})
}

// wholeCharacters replaces each escape in JSON that is half a character: several providers refuse a
// whole request for one, and models cut off in an emoji write them.
func wholeCharacters(text string) string {
	return jsonx.ReplaceHalves(text, func(rune) string { return `\ufffd` })
}

func (f *Fitted) fitContent(c Content, ids *callIDs, media *mediaFitter) (fit Content, changed bool) {
	switch c := c.(type) {
	case ToolCall:
		before := c
		c.ID = ids.call(c.ID)
		if name, ok := f.back[c.Name]; ok {
			c.Name = name
		}
		c.Args = renameMembers(wholeCharacters(c.Args), f.members[c.Name], false)
		return c, c != before
	case ToolResult:
		id := ids.result(c.ID)
		changed = id != c.ID
		c.ID = id
		return c, changed
	case Media:
		return media.fit(c)
	}
	return c, false
}

// Restore returns a yield function for the parts of the answer. It restores the original names of
// tools and arguments, and gives a call a new id if the model repeats one that was replaced.
func (f *Fitted) Restore(yield func(Part, error) bool) func(Part, error) bool {
	if len(f.names) == 0 && len(f.members) == 0 && len(f.changed) == 0 {
		return yield
	}
	r := &restorer{fitted: f, yield: yield, held: map[int]*heldArgs{}, said: true}
	return r.take
}

// restorer holds back the arguments of a call with renamed members until they are complete.
type restorer struct {
	fitted *Fitted
	yield  func(Part, error) bool
	held   map[int]*heldArgs // by Part.Index
	said   bool              // a part was passed on since the last Pause
}

type heldArgs struct {
	args    bytes.Buffer
	members map[string]string
}

func (r *restorer) take(p Part, err error) bool {
	held := r.held[p.Index]
	switch {
	case err != nil:
		return r.yield(p, err)
	case p.Kind == Pause && !r.said:
		return true
	case p.Kind == ToolStart:
		return r.start(p)
	case p.Kind == ToolArgs && held != nil:
		held.args.WriteString(p.Delta)
		return true
	case p.Kind == ToolEnd && held != nil:
		if !r.release(p.Index) {
			return false
		}
	case p.Kind == FinishPart:
		for _, index := range slices.Sorted(maps.Keys(r.held)) { // calls that were cut off
			if !r.release(index) {
				return false
			}
		}
	}
	return r.pass(p)
}

func (r *restorer) pass(p Part) bool {
	r.said = p.Kind != Pause
	return r.yield(p, nil)
}

func (r *restorer) start(p Part) bool {
	if members := r.fitted.members[p.Name]; len(members) > 0 {
		r.held[p.Index] = &heldArgs{members: members}
	}
	if name, ok := r.fitted.names[p.Name]; ok {
		p.Name = name
	}
	if r.fitted.changed[p.ID] {
		p.ID = newCallID()
	}
	return r.pass(p)
}

// release emits the arguments of a call with their original names.
func (r *restorer) release(index int) bool {
	held := r.held[index]
	delete(r.held, index)
	args := renameMembers(held.args.String(), held.members, true)
	return args == "" || r.pass(Part{Kind: ToolArgs, Index: index, Delta: args})
}
