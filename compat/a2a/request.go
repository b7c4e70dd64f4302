package a2a

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/strict"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// object is free-form JSON that clients may send and that changes nothing.
type object map[string]json.RawMessage

// sendParams are those of SendMessage and SendStreamingMessage.
type sendParams struct {
	Tenant        string `json:"tenant"` // ignored: credentials say whose it is
	Message       *sent  `json:"message"`
	Configuration struct {
		OutputModes       []string    `json:"acceptedOutputModes"`
		Push              *pushConfig `json:"taskPushNotificationConfig"`
		HistoryLength     *int        `json:"historyLength"`
		ReturnImmediately bool        `json:"returnImmediately"`
	} `json:"configuration"`
	Metadata object `json:"metadata"`
}

// sent is a message of the client.
type sent struct {
	ID         string     `json:"messageId"`
	ContextID  string     `json:"contextId"`
	TaskID     string     `json:"taskId"`
	Role       string     `json:"role"`
	Parts      []sentPart `json:"parts"`
	Metadata   object     `json:"metadata"`
	Extensions []string   `json:"extensions"`
	References []string   `json:"referenceTaskIds"` // ignored
}

type sentPart struct {
	Text      *string         `json:"text"`
	Data      json.RawMessage `json:"data"`
	Raw       *string         `json:"raw"`
	URL       *string         `json:"url"`
	Metadata  object          `json:"metadata"`
	Filename  string          `json:"filename"`
	MediaType string          `json:"mediaType"`
}

// check refuses what nothing here reads.
func (p *sendParams) check(n *Notifier) error {
	c, m := &p.Configuration, p.Message
	switch {
	case m == nil:
		return invalid("message", "must not be missing")
	case c.Push != nil && n == nil:
		return fault(codeNoPush, "configuration.taskPushNotificationConfig: "+noPush)
	case c.HistoryLength != nil && *c.HistoryLength < 0:
		return invalid("configuration.historyLength", "must not be negative")
	case len(c.OutputModes) > 0 && !slices.ContainsFunc(c.OutputModes, func(m string) bool { return m == textType || m == "text/*" || m == "*/*" || m == "text" }):
		return fault(codeContentType, "configuration.acceptedOutputModes: answers are "+textType)
	case m.ID == "":
		return invalid("message.messageId", "must not be empty")
	case m.Role != "ROLE_USER":
		return invalid("message.role", "must be ROLE_USER")
	case len(m.Parts) == 0:
		return invalid("message.parts", "must not be empty")
	}
	if c.Push != nil {
		const at = "configuration.taskPushNotificationConfig."
		if c.Push.TaskID != "" {
			return invalid(at+"taskId", "must be empty: it is that of the message's task")
		}
		if err := n.check(c.Push, at); err != nil {
			return err
		}
	}
	return m.check()
}

func (m *sent) check() error {
	for i := range m.Parts {
		p, at := &m.Parts[i], fmt.Sprintf("message.parts[%d]", i)
		n := 0
		for _, has := range []bool{p.Text != nil, len(p.Data) > 0, p.Raw != nil, p.URL != nil} {
			if has {
				n++
			}
		}
		switch {
		case n != 1:
			return invalid(at, "must have one of text and data")
		case p.Raw != nil, p.URL != nil:
			return fault(codeContentType, at+": files are not supported: send text or data")
		}
	}
	return nil
}

// text returns the parts as the model reads them: data as JSON.
func (m *sent) text() string {
	var texts []string
	for _, p := range m.Parts {
		if p.Text != nil {
			texts = append(texts, *p.Text)
		} else {
			texts = append(texts, compact(p.Data))
		}
	}
	return strings.Join(texts, paragraph)
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // decoded before: cannot fail
	return b.String()
}

// begin returns the task that a message belongs to, and the run that it asks for.
func (m *sent) begin(x *server.Exchange) (*task, *agui.RunAgentInput, error) {
	in := &agui.RunAgentInput{ProtocolVersion: agui.ProtocolVersion}
	if m.TaskID == "" {
		in.RunID, in.ThreadID = "task-"+rand.Text(), cmp.Or(m.ContextID, "ctx-"+rand.Text())
		if strings.TrimSpace(m.text()) == "" {
			return nil, nil, invalid("message.parts", "must not be empty")
		}
		in.Messages = m.messages()
		return newTask(in.RunID, in.ThreadID), in, nil
	}
	t, err := load(x, m.TaskID)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case m.ContextID != "" && m.ContextID != t.ContextID:
		return nil, nil, invalid("message.contextId", "is not that of the task")
	case t.Status.State != stateInput || len(t.waits) == 0:
		return nil, nil, fault(codeUnsupported, "message.taskId: the task waits for nothing; send the message with its contextId alone")
	}
	in.RunID, in.ThreadID = t.ID, t.ContextID
	return t, in, m.answer(t.waits, in)
}

// messages returns the message as one of a run's. Its id is ours: a client's could be that of an
// earlier message.
func (m *sent) messages() []agui.Message {
	return []agui.Message{{ID: "u-" + rand.Text(), Role: agui.RoleUser, Content: agui.TextContent(m.text())}}
}

// answer translates the answer to what a task waits for: data with the interrupt's id, or a text if
// there is only one question. Any other text is a new message and answers nothing.
func (m *sent) answer(waits []agui.Interrupt, in *agui.RunAgentInput) error {
	if slices.ContainsFunc(m.Parts, func(p sentPart) bool { return len(p.Data) > 0 }) {
		return m.answerAll(waits, in)
	}
	if text := m.text(); len(waits) == 1 && takesText(waits[0].ResponseSchema, text) {
		payload, _ := json.Marshal(map[string]string{"answer": text}) // strings: cannot fail
		in.Resume = []agui.ResumeEntry{{InterruptID: waits[0].ID, Status: agui.ResumeResolved, Payload: payload}}
		return nil
	}
	for _, w := range waits {
		in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: w.ID, Status: agui.ResumeCancelled})
	}
	in.Messages = m.messages()
	return nil
}

// answerAll reads the parts as answers, one each.
func (m *sent) answerAll(waits []agui.Interrupt, in *agui.RunAgentInput) error {
	for i, p := range m.Parts {
		at := fmt.Sprintf("message.parts[%d]", i)
		if p.Text != nil {
			return invalid(at, "must be data, as the others are: texts do not say what they answer")
		}
		var a struct {
			InterruptID string          `json:"interruptId"`
			Status      string          `json:"status"`
			Payload     json.RawMessage `json:"payload"`
		}
		if err := strict.Decode(p.Data, &a); err != nil {
			return invalid(at+".data", err.Error())
		}
		a.Status = cmp.Or(a.Status, agui.ResumeResolved)
		switch {
		case !slices.ContainsFunc(waits, func(w agui.Interrupt) bool { return w.ID == a.InterruptID }):
			return invalid(at+".data.interruptId", "must be that of something the task waits for")
		case a.Status != agui.ResumeResolved && a.Status != agui.ResumeCancelled:
			return invalid(at+".data.status", "must be resolved or cancelled")
		}
		in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: a.InterruptID, Status: a.Status, Payload: a.Payload})
	}
	return nil
}

// takesText reports whether a text is an answer to a question: it asks for one, or for one of some.
func takesText(schema json.RawMessage, text string) bool {
	var s struct {
		Properties struct {
			Answer struct {
				Type string   `json:"type"`
				Enum []string `json:"enum"`
			} `json:"answer"`
		} `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return false
	}
	a := s.Properties.Answer
	return a.Type == "string" && (len(a.Enum) == 0 || slices.Contains(a.Enum, text))
}

// send starts or continues a task, and answers with its events or its end.
func (r *request) send(x *server.Exchange, stream bool, n *Notifier) error {
	var p sendParams
	if err := r.decode(&p); err != nil {
		return err
	}
	if err := p.check(n); err != nil {
		return err
	}
	t, in, err := p.Message.begin(x)
	if err != nil {
		return err
	}
	started, err := x.Start(x.Request.PathValue("agent"), in)
	if err != nil {
		return err
	}
	t.goOn()
	if push := p.Configuration.Push; push != nil {
		if _, err := n.keep(x, t, *push); err != nil {
			return err
		}
	}
	switch {
	case stream:
		return x.Stream(started.Read(false), r.translate(t))
	case !p.Configuration.ReturnImmediately:
		if err := x.Wait(started.Read(false), func(_ string, data []byte) { t.apply(data, nil) }); err != nil {
			return err
		}
	}
	r.respond(x, update{Task: t})
	return nil
}

// taskParams are those of methods about a task.
type taskParams struct {
	Tenant        string `json:"tenant"` // ignored: credentials say whose it is
	ID            string `json:"id"`
	HistoryLength *int   `json:"historyLength"`
	Metadata      object `json:"metadata"`
}

// task reads which task the request is about.
func (r *request) task(x *server.Exchange) (*task, error) {
	var p taskParams
	if err := r.decode(&p); err != nil {
		return nil, err
	}
	switch {
	case p.ID == "":
		return nil, invalid("id", "must not be empty")
	case p.HistoryLength != nil && *p.HistoryLength < 0:
		return nil, invalid("historyLength", "must not be negative")
	}
	return load(x, p.ID)
}

func (r *request) getTask(x *server.Exchange) error {
	t, err := r.task(x)
	if err != nil {
		return err
	}
	r.respond(x, t)
	return nil
}

// again reads the newest run of a task from its beginning.
func (t *task) again(x *server.Exchange) (*run.Reader, error) {
	t.rewind()
	return x.Follow(t.last, fromBeginning(t.last))
}

// cancelTask cancels a task and waits for its end.
func (r *request) cancelTask(x *server.Exchange) error {
	t, err := r.task(x)
	if err != nil {
		return err
	}
	switch t.Status.State {
	case stateWorking:
		err = t.stop(x)
	case stateInput:
		t, err = t.withdraw(x)
	default:
		err = fault(codeNotCancelable, "the task has ended: "+t.Status.State)
	}
	if err != nil {
		return err
	}
	r.respond(x, t)
	return nil
}

// stop cancels the task's live run and reads it to its end.
func (t *task) stop(x *server.Exchange) error {
	if err := x.Cancel(t.last); err != nil {
		return err
	}
	reader, err := t.again(x)
	if err != nil {
		return err
	}
	return x.Wait(reader, func(_ string, data []byte) { t.apply(data, nil) })
}

// withdraw ends what the task waits for without an answer and returns the resulting task, which may
// have been answered in the meantime. Withdrawing a page's call takes a run with a new id, since
// only answers may reuse a run's id.
func (t *task) withdraw(x *server.Exchange) (*task, error) {
	row, err := x.Store().Run(x.Context(), x.Owner, t.last)
	if err != nil {
		return nil, err
	}
	in := &agui.RunAgentInput{
		ProtocolVersion: agui.ProtocolVersion, RunID: "cancel-" + rand.Text(), ThreadID: t.ContextID, ForwardedProps: json.RawMessage(`{"pageside":{"withdraw":true}}`),
	}
	for _, w := range t.waits {
		in.RunID = t.ID
		in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: w.ID, Status: agui.ResumeCancelled})
	}
	started, err := x.Start(row.Agent, in)
	if err != nil {
		return nil, err
	}
	if err := x.Wait(started.Read(false), func(string, []byte) {}); err != nil {
		return nil, err
	}
	now, err := load(x, t.ID)
	if err == nil && now.Status.State != stateCanceled {
		err = fault(codeNotCancelable, "the task was answered meanwhile: "+now.Status.State)
	}
	return now, err
}

// subscribe streams a task that has not ended, from its beginning.
func (r *request) subscribe(x *server.Exchange) error {
	t, err := r.task(x)
	if err != nil {
		return err
	}
	if t.Status.State != stateWorking && t.Status.State != stateInput {
		return fault(codeUnsupported, "the task has ended: "+t.Status.State)
	}
	reader, err := t.again(x)
	if err != nil {
		return err
	}
	return x.Stream(reader, r.translate(t))
}
