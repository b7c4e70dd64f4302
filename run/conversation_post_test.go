package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing/synctest"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
)

// post is what a line says of a request beside the user's words.
type post struct {
	Thread, Run, Agent string // default t1, run1 …, default
	Body               string // another body under the same run id
	Parent             string
	ID                 string // of the message that is said; default u1 …
	Repeats            int    // what is said, so many times
	Parts, Metadata    jsonText
	Messages           messageList // before it
	Answers            answerList
	Pageside           jsonText // forwardedProps.pageside
	Page               string
	Replaces           string
	Continues          string
	Context            []agui.ContextItem
	State              jsonText
	Tools              *[]pageTool
	Policy             Policy
	Old                bool // a 0.x client
	Size               int64
	Most               int
	Suggested          string // outside of the thread
	Relayed            bool
	Keeps              *int           // how many messages a stock client keeps
	Edits              map[int]string // texts of messages of a stock client
}

type pageTool struct {
	Name                 string
	Parameters, Metadata jsonText
}

// messageList is short hand, as messages reads it, or a list of JSON.
type messageList []agui.Message

func (l *messageList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = messages(n.Value)
		return nil
	}
	var raw []jsonText
	if err := n.Decode(&raw); err != nil {
		return err
	}
	for _, r := range raw {
		m, err := agui.UnmarshalMessage(r)
		if err != nil {
			return err
		}
		*l = append(*l, m)
	}
	return nil
}

// answerList is payloads by interrupt; cancelled is the user's word for none.
type answerList []agui.ResumeEntry

func (l *answerList) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i < len(n.Content); i += 2 {
		entry := agui.ResumeEntry{InterruptID: n.Content[i].Value, Status: agui.ResumeResolved}
		if n.Content[i+1].Value == "cancelled" {
			entry.Status = agui.ResumeCancelled
		} else if err := n.Content[i+1].Decode((*jsonText)(&entry.Payload)); err != nil {
			return err
		}
		*l = append(*l, entry)
	}
	return nil
}

// options splits a line into the YAML in braces that it may begin with, and the rest.
func options(line string) (braces, rest string) {
	if !strings.HasPrefix(line, "{") {
		return "", line
	}
	depth, quote := 0, byte(0)
	for i := range len(line) {
		switch b := line[i]; {
		case quote != 0:
			if b == quote && line[i-1] != '\\' {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '{':
			depth++
		case b == '}':
			if depth--; depth == 0 {
				return line[:i+1], strings.TrimSpace(line[i+1:])
			}
		}
	}
	return line, ""
}

func (c *conversation) readPost(line string) (post, string) {
	c.t.Helper()
	var p post
	braces, text := options(line)
	if braces != "" {
		if err := decodeYAML([]byte(braces), &p); err != nil {
			c.t.Fatalf("%s: %v", braces, err)
		}
	}
	return p, text
}

// request makes the request of a line.
func (c *conversation) request(who, line string, speaks bool) Request {
	c.t.Helper()
	p, text := c.readPost(line)
	in := c.input(orElse(p.Thread, "t1"), "")
	c.threads[in.ThreadID] = true
	in.Messages, in.Tools = p.Messages, []agui.Tool{paint}
	if speaks {
		m := agui.Message{Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat(text, max(p.Repeats, 1))), Metadata: json.RawMessage(p.Metadata)}
		m.ID = orElse(p.ID, fmt.Sprintf("u%d", c.n))
		if p.Parts != nil {
			m = must.Get(agui.UnmarshalMessage(fmt.Appendf(nil, `{"id":%q,"role":"user","content":%s}`, m.ID, p.Parts)))(c.t)
		}
		in.Messages = append(in.Messages, m)
	}
	if strings.HasPrefix(who, "stock") {
		in.Messages = append(c.holds(who, p), in.Messages...)
	}
	c.fill(in, p)
	req := Request{
		Principal: c.principal(who), Agent: orElse(p.Agent, "default"), Input: in,
		Policy: p.Policy, Size: p.Size, Most: p.Most, Relayed: p.Relayed,
		Fingerprint: "f" + in.RunID + p.Body,
	}
	if p.Suggested != "" {
		req.Suggested = func(text string) bool { return text == p.Suggested }
	}
	return req
}

func (c *conversation) fill(in *agui.RunAgentInput, p post) {
	in.RunID, in.ParentRunID, in.Resume = orElse(p.Run, in.RunID), p.Parent, p.Answers
	in.State, in.Context = json.RawMessage(p.State), p.Context
	if p.Old {
		in.ProtocolVersion = ""
	}
	if p.Tools != nil {
		in.Tools = nil
		for _, t := range *p.Tools {
			offered := agui.Tool{Name: t.Name, Description: "Of the page."}
			offered.Parameters, offered.Metadata = json.RawMessage(t.Parameters), json.RawMessage(t.Metadata)
			in.Tools = append(in.Tools, offered)
		}
	}
	props := map[string]any{}
	for name, v := range map[string]string{"page": p.Page, "replaces": p.Replaces, "continues": p.Continues} {
		if v != "" {
			props[name] = v
		}
	}
	switch {
	case p.Pageside != nil:
		in.ForwardedProps = fmt.Appendf(nil, `{"pageside":%s}`, p.Pageside)
	case len(props) > 0:
		in.ForwardedProps = must.Get(json.Marshal(map[string]any{"pageside": props}))(c.t)
	}
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// holds is what a stock client sends of what it has.
func (c *conversation) holds(who string, p post) []agui.Message {
	if c.stock[who] == nil {
		c.stock[who] = agui.NewTranscript(nil)
	}
	has := slices.Clone(c.stock[who].Messages())
	if p.Keeps != nil {
		has = has[:*p.Keeps]
	}
	for i, text := range p.Edits {
		has[i].Content = agui.TextContent(text)
	}
	c.stock[who] = agui.NewTranscript(has)
	return slices.DeleteFunc(has, func(m agui.Message) bool { return m.Role == agui.RoleActivity })
}

// posted starts a run and reads it to its end.
func (c *conversation) posted(who, line string, speaks bool) []string {
	c.t.Helper()
	req := c.request(who, line, speaks)
	r, err := c.Start(c.t.Context(), req)
	if err != nil {
		return []string{showRefusal(err)}
	}
	c.runs[r.ID] = r
	all := c.readToEnd(r, req.Input.ProtocolVersion == "")
	if has := c.stock[who]; has != nil {
		all := all
		c.stock[who] = agui.NewTranscript(append(has.Messages(), c.saidIn(req, has)...))
		for _, e := range all {
			must.Do(c.t, c.stock[who].Apply(e))
		}
	}
	return showEvents(all)
}

// saidIn is what the user has said in a request.
func (c *conversation) saidIn(req Request, has *agui.Transcript) (said []agui.Message) {
	for _, m := range req.Input.Messages {
		known := slices.ContainsFunc(has.Messages(), func(h agui.Message) bool { return h.ID == m.ID })
		if m.Role == agui.RoleUser && !known {
			said = append(said, m)
		}
	}
	return said
}

func (c *conversation) readToEnd(r *Run, old bool) []agui.Event {
	c.t.Helper()
	all := events(c.t, r, old)
	if len(all) > 0 && all[0].Type() == agui.TypeRunStarted {
		legal(c.t, all)
	}
	return all
}

// starting is a request that was made in the background.
type starting struct {
	id   string
	gone context.CancelFunc
	run  *Run
	err  error
	over bool
}

// started makes a request in the background, which nobody reads.
func (c *conversation) started(who, line string, speaks bool) []string {
	c.t.Helper()
	req := c.request(who, line, speaks)
	ctx, gone := context.WithCancel(c.t.Context())
	s := &starting{id: req.Input.RunID, gone: gone}
	c.waiting = append(c.waiting, s)
	m := c.Manager
	go func() {
		r, err := m.Start(ctx, req)
		c.mu.Lock()
		defer c.mu.Unlock()
		s.run, s.err, s.over = r, err, true
	}()
	synctest.Wait()
	if c.mu.Lock(); !s.over {
		defer c.mu.Unlock()
		return []string{s.id + " waits"}
	}
	c.mu.Unlock()
	return nil
}

// decided returns which requests in the background were decided since the last line.
func (c *conversation) decided() (told []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = slices.DeleteFunc(c.waiting, func(s *starting) bool {
		switch {
		case !s.over:
			return false
		case s.err != nil:
			told = append(told, s.id+" is "+showRefusal(s.err))
		default:
			c.runs[s.run.ID] = s.run
			told = append(told, s.run.ID+" begins")
		}
		return true
	})
	return told
}

// opened is a reader that has not read to the end.
type opened struct {
	reader *Reader
	order  *agui.Verifier
}

// followed returns a reader of what a FollowRequest, in YAML, brings.
func (c *conversation) followed(who, line string) (*Reader, error) {
	c.t.Helper()
	var f struct {
		Run, Thread, After string
		Old, Stay          bool
		Window             int
	}
	if braces, _ := options(line); braces != "" {
		must.Do(c.t, decodeYAML([]byte(braces), &f))
	}
	req := FollowRequest{
		Owner: c.owner(who), RunID: f.Run, ThreadID: f.Thread, After: f.After,
		Legacy: f.Old, Stay: f.Stay, Window: f.Window,
	}
	if req.ThreadID != "" {
		return c.FollowThread(c.t.Context(), req)
	}
	return c.Follow(c.t.Context(), req)
}

// more reads what a reader has at the moment.
func (o *opened) more(c *conversation) []string {
	var stream strings.Builder
	frames, done := o.reader.Next()
	for ; len(frames) > 0; frames, done = o.reader.Next() {
		stream.Write(frames)
	}
	all := decode(c.t, stream.String())
	for _, e := range all {
		must.Do(c.t, o.order.Check(e))
	}
	told := showEvents(all)
	if done {
		told = append(told, present("the stream is over", fmtErr(o.reader.Err())))
	}
	return told
}

func fmtErr(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// shownOf is what a stock client shows.
func (c *conversation) shownOf(who string) []string {
	if c.stock[who] == nil {
		return slices.Sorted(maps.Keys(c.stock))
	}
	return showMessages(c.stock[who].Messages())
}

// brings tells whether what comes with a message taints: its own run, in which a person is asked
// before tools that change something; and, after a restart, the run after the next. Each has a
// thread of its own.
func (c *conversation) brings(who, line string) []string {
	c.t.Helper()
	taints := map[string]bool{}
	line = strings.Replace(line, "{", fmt.Sprintf("{thread: at once %d, ", c.n), 1)
	c.model.plays(c.step("calls save {}"))
	c.posted(who, line, true)
	taints["at once"] = c.isAsked()

	c.process.DieAt(0, false) // forgets what it did
	c.posted(who, strings.Replace(line, "at once", "later", 1), true)
	row := must.Get(c.disk.Run(c.t.Context(), c.owner(who), fmt.Sprint("run", c.n)))(c.t)
	taints["as stored"] = row.Tainted
	if slices.Contains(c.process.Ops(), "TaintRun") {
		c.t.Errorf("%s: it is stored that the run is tainted when it has begun", line)
	}
	c.restart("", "")
	again := fmt.Sprintf("{thread: %s, tools: []} go on", row.ThreadID)
	c.posted(who, again, true)
	c.model.plays(c.step("calls save {}"))
	c.posted(who, again, true)
	taints["later"] = c.isAsked()
	if row.Tainted == taints["at once"] && row.Tainted == taints["later"] {
		return []string{map[bool]string{true: "taints", false: "is clean"}[row.Tainted]}
	}
	return []string{fmt.Sprint("taints ", taints)}
}

// isAsked reports whether a person was asked before the tool save ran.
func (c *conversation) isAsked() bool {
	return !slices.ContainsFunc(c.happened(), func(did string) bool { return strings.HasPrefix(did, "ran save") })
}
