package a2atool

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/visible"
)

// States of a task.
const (
	stateCompleted = "TASK_STATE_COMPLETED"
	stateFailed    = "TASK_STATE_FAILED"
	stateCanceled  = "TASK_STATE_CANCELED"
	stateRejected  = "TASK_STATE_REJECTED"
	stateInput     = "TASK_STATE_INPUT_REQUIRED"
	stateAuth      = "TASK_STATE_AUTH_REQUIRED"
)

// settled are the states in which an agent does nothing more by itself.
var settled = []string{stateCompleted, stateFailed, stateCanceled, stateRejected, stateInput, stateAuth}

// task is what is known of a task, or of the message that an agent answers with instead of one.
type task struct {
	ID        string     `json:"id"`
	ContextID string     `json:"contextId"`
	Status    status     `json:"status"`
	Artifacts []artifact `json:"artifacts"`

	answer   *message // instead of a task
	snapshot bool     // the status is that of a whole task, and no update has changed it
}

type status struct {
	State   string   `json:"state"`
	Message *message `json:"message"`
}

type message struct {
	Parts []part `json:"parts"`
}

type artifact struct {
	ID    string `json:"artifactId"`
	Name  string `json:"name"`
	Parts []part `json:"parts"`
}

type part struct {
	Text      *string         `json:"text"`
	Data      json.RawMessage `json:"data"`
	Raw       string          `json:"raw"` // base64
	URL       string          `json:"url"`
	Filename  string          `json:"filename"`
	MediaType string          `json:"mediaType"`
}

// update is one result of a stream, or the result of SendMessage.
type update struct {
	Task    *task    `json:"task"`
	Message *message `json:"message"`
	Status  *struct {
		TaskID    string `json:"taskId"`
		ContextID string `json:"contextId"`
		Status    status `json:"status"`
	} `json:"statusUpdate"`
	Artifact *struct {
		TaskID    string   `json:"taskId"`
		ContextID string   `json:"contextId"`
		Artifact  artifact `json:"artifact"`
		Append    bool     `json:"append"`
	} `json:"artifactUpdate"`
}

// apply applies an update. It reports whether it could be read.
func (t *task) apply(raw json.RawMessage) bool {
	var u update
	if json.Unmarshal(raw, &u) != nil {
		return false
	}
	switch {
	case u.Task != nil:
		*t = *u.Task
		t.snapshot = true
	case u.Message != nil:
		t.answer = u.Message
	case u.Status != nil:
		t.ID, t.ContextID, t.Status = u.Status.TaskID, u.Status.ContextID, u.Status.Status
		t.snapshot = false
	case u.Artifact != nil:
		t.ID, t.ContextID = u.Artifact.TaskID, u.Artifact.ContextID
		t.put(u.Artifact.Artifact, u.Artifact.Append)
	default:
		return false
	}
	return true
}

// put adds an artifact, replaces the one with its id, or appends to it.
func (t *task) put(a artifact, more bool) {
	i := slices.IndexFunc(t.Artifacts, func(old artifact) bool { return old.ID == a.ID })
	switch {
	case i < 0:
		t.Artifacts = append(t.Artifacts, a)
	case more:
		t.Artifacts[i].Parts = append(t.Artifacts[i].Parts, a.Parts...)
	default:
		t.Artifacts[i] = a
	}
}

// over reports whether nothing more comes by itself.
func (t *task) over() bool { return t.answer != nil || slices.Contains(settled, t.Status.State) }

// waits reports whether a task waits for an answer or for credentials.
func (t *task) waits() bool { return t.Status.State == stateInput || t.Status.State == stateAuth }

// ended reports whether a task is over for good.
func (t *task) ended() bool { return t.over() && !t.waits() }

// text returns the artifacts, or what the agent says if there are none.
func (t *task) text() string {
	if t.answer != nil {
		return t.answer.text()
	}
	var all []string
	for _, a := range t.Artifacts {
		if text := textOf(a.Parts); text != "" {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return t.Status.Message.text()
	}
	return strings.Join(all, "\n\n")
}

// text returns what a message says, "" if there is none.
func (m *message) text() string {
	if m == nil {
		return ""
	}
	return textOf(m.Parts)
}

// textOf joins parts. Pieces of a streamed text follow each other; anything else is a paragraph.
func textOf(parts []part) string {
	var b strings.Builder
	wasText := false
	for _, p := range parts {
		if b.Len() > 0 && (p.Text == nil || !wasText) {
			b.WriteString("\n\n")
		}
		wasText = p.Text != nil
		b.WriteString(p.text())
	}
	return strings.TrimSpace(b.String())
}

// text returns a part as a model reads it: files are named, not shown.
func (p part) text() string {
	switch {
	case p.Text != nil:
		return *p.Text
	case len(p.Data) > 0:
		return string(p.Data)
	case p.URL != "":
		return fmt.Sprintf("[a file: %s<%s>]", p.describe(), p.URL)
	}
	return fmt.Sprintf("[a file: %s%d bytes, not shown]", p.describe(), base64.StdEncoding.DecodedLen(len(p.Raw)))
}

func (p part) describe() string {
	var b strings.Builder
	for _, s := range []string{p.Filename, p.MediaType} {
		if s != "" {
			b.WriteString(s + ", ")
		}
	}
	return b.String()
}

// maxSaid bounds what an agent may say of its progress and its failures, in bytes.
const maxSaid = 2 << 10

// brief returns the beginning of a text from outside, without invisible characters.
func brief(text string) string {
	text = strings.TrimSpace(visible.Text(text))
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + "…"
	}
	return text
}
