package a2atool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/internal/visible"
)

// task is what is known of a task, or of the message that an agent answers with instead of one.
type task struct {
	a2a.Task
	answer   *a2a.Message // instead of a task
	snapshot bool         // the status is that of a whole task, and no update has changed it
}

// apply applies an event. It reports whether it could be read.
func (t *task) apply(e a2a.Event) bool {
	switch e := e.(type) {
	case *a2a.Task:
		t.Task, t.snapshot = *e, true
	case *a2a.Message:
		t.answer = e
	case *a2a.TaskStatusUpdateEvent:
		t.ID, t.ContextID, t.Status = e.TaskID, e.ContextID, e.Status
		t.snapshot = false
	case *a2a.TaskArtifactUpdateEvent:
		if e.Artifact == nil {
			return false
		}
		t.ID, t.ContextID = e.TaskID, e.ContextID
		t.put(e.Artifact, e.Append)
	default:
		return false
	}
	return true
}

// put adds an artifact, replaces the one with its id, or appends to it.
func (t *task) put(a *a2a.Artifact, more bool) {
	i := slices.IndexFunc(t.Artifacts, func(old *a2a.Artifact) bool { return old.ID == a.ID })
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
func (t *task) over() bool { return t.answer != nil || t.Status.State.Terminal() || t.waits() }

// waits reports whether a task waits for an answer or for credentials.
func (t *task) waits() bool {
	return t.Status.State == a2a.TaskStateInputRequired || t.Status.State == a2a.TaskStateAuthRequired
}

// ended reports whether a task is over for good.
func (t *task) ended() bool { return t.over() && !t.waits() }

// text returns the artifacts, or what the agent says if there are none.
func (t *task) text() string {
	if t.answer != nil {
		return textOf(t.answer.Parts)
	}
	var all []string
	for _, a := range t.Artifacts {
		if text := textOf(a.Parts); text != "" {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return t.said()
	}
	return strings.Join(all, "\n\n")
}

// said returns what the task's status says, "" if nothing.
func (t *task) said() string {
	if t.Status.Message == nil {
		return ""
	}
	return textOf(t.Status.Message.Parts)
}

// textOf joins parts. Pieces of a streamed text follow each other; anything else is a paragraph.
func textOf(parts a2a.ContentParts) string {
	var b strings.Builder
	wasText := false
	for _, p := range parts {
		_, isText := p.Content.(a2a.Text)
		if b.Len() > 0 && !(isText && wasText) {
			b.WriteString("\n\n")
		}
		wasText = isText
		b.WriteString(read(p))
	}
	return strings.TrimSpace(b.String())
}

// read returns a part as a model reads it: files are named, not shown.
func read(p *a2a.Part) string {
	var about strings.Builder
	for _, s := range []string{p.Filename, p.MediaType} {
		if s != "" {
			about.WriteString(s + ", ")
		}
	}
	switch content := p.Content.(type) {
	case a2a.Text:
		return string(content)
	case a2a.Data:
		data, _ := content.Value.(string) // wire has made it one
		return data
	case a2a.URL:
		return fmt.Sprintf("[a file: %s<%s>]", about.String(), content)
	}
	return fmt.Sprintf("[a file: %s%d bytes, not shown]", about.String(), len(p.Raw()))
}

// maxSaid bounds what an agent may say of its progress and its failures, in bytes.
const maxSaid = 2 << 10

func brief(text string) string { return visible.Brief(text, maxSaid) }
