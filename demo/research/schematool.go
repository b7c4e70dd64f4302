package research

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/tool"
)

type schemaInput struct {
	Stream  string   `json:"stream" jsonschema:"the stream's id"`
	Version int      `json:"version" jsonschema:"the version of the stream that the change is for, as the page's context has it"`
	Add     []Field  `json:"add,omitempty"`
	Change  []Field  `json:"change,omitempty" jsonschema:"fields by their key, as they shall be"`
	Remove  []string `json:"remove,omitempty" jsonschema:"keys"`
}

func (a *App) updateStreamSchema() *tool.Tool {
	t := tool.New("update_stream_schema", "Changes and saves which fields a research stream extracts from its articles. The user is asked first. To propose a change instead, show a schema_proposal.",
		func(_ context.Context, _ *tool.Call, in schemaInput) (tool.Result, error) {
			s, err := a.changeSchema(in)
			if err != nil {
				return tool.Result{}, asToolError(err)
			}
			return jsonResult(map[string]any{"saved": true, "stream": s.ID, "name": s.Name, "version": s.Version, "fields": s.Schema.Fields}, nil)
		})
	t.Bind = boundToStream
	t.Effect, t.Category, t.Policy = tool.Write, "research", tool.Policy{Timeout: toolTimeout, Sequential: true, Approval: tool.ApprovalAlways, Summary: a.summarizeSchema}
	return t
}

// summarizeSchema says what a change of a schema would do, by the labels of the fields. What cannot
// be saved is refused before anybody is asked.
func (a *App) summarizeSchema(_ context.Context, call *tool.Call) (string, error) {
	var in schemaInput
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return "", fmt.Errorf("read arguments: %w", err)
	}
	before, err := a.streams.get(in.Stream)
	if err != nil {
		return "", asToolError(err)
	}
	changed, err := in.apply(before.clone())
	if err == nil && in.Version != before.Version {
		err = &conflictError{before.Version}
	}
	if err != nil {
		return "", asToolError(err)
	}
	return fmt.Sprintf("Changes what the stream “%s” extracts from its articles: %s. It has %d fields now, and %d then.",
		before.Name, in.words(before.Schema), len(before.Schema.Fields), len(changed.Schema.Fields)), nil
}

// words says what is added, changed and removed.
func (in schemaInput) words(before Schema) string {
	label := func(key string) string {
		for _, f := range before.Fields {
			if f.Key == key {
				return f.Label
			}
		}
		return key
	}
	var parts []string
	list := func(verb string, what []string) {
		if len(what) > 0 {
			parts = append(parts, verb+" "+strings.Join(what, ", "))
		}
	}
	named := func(fields []Field, name func(Field) string) (all []string) {
		for _, f := range fields {
			all = append(all, name(f))
		}
		return all
	}
	list("adds", named(in.Add, func(f Field) string { return fmt.Sprintf("“%s” (%s)", f.Label, f.Type) }))
	list("changes", named(in.Change, func(f Field) string {
		if old := label(f.Key); old != f.Label {
			return fmt.Sprintf("“%s” to “%s” (%s)", old, f.Label, f.Type)
		}
		return fmt.Sprintf("“%s” (%s)", f.Label, f.Type)
	}))
	var gone []string
	for _, key := range in.Remove {
		gone = append(gone, "“"+label(key)+"”")
	}
	list("removes", gone)
	return strings.Join(parts, "; ")
}

func (a *App) changeSchema(in schemaInput) (Stream, error) {
	s, err := a.streams.get(in.Stream)
	if err != nil {
		return s, err
	}
	if s, err = in.apply(s); err != nil {
		return s, err
	}
	return a.streams.put(s)
}

// apply makes the changes in a copy of a stream.
func (in schemaInput) apply(s Stream) (Stream, error) {
	if len(in.Add)+len(in.Change)+len(in.Remove) == 0 {
		return s, rest.BadField("add", "change and remove are all empty: there is nothing to do")
	}
	s.Version = in.Version
	at := func(key string) int {
		return slices.IndexFunc(s.Schema.Fields, func(f Field) bool { return f.Key == key })
	}
	for _, key := range in.Remove {
		if at(key) < 0 {
			return s, rest.BadField("remove", "names %q, which is no field", rest.Clip(key, 40))
		}
		s.Schema.Fields = slices.Delete(s.Schema.Fields, at(key), at(key)+1)
	}
	for _, f := range in.Change {
		if at(f.Key) < 0 {
			return s, rest.BadField("change", "names %q, which is no field", rest.Clip(f.Key, 40))
		}
		s.Schema.Fields[at(f.Key)] = f
	}
	for _, f := range in.Add {
		if at(f.Key) >= 0 {
			return s, rest.BadField("add", "names %q, which is a field already", rest.Clip(f.Key, 40))
		}
		s.Schema.Fields = append(s.Schema.Fields, f)
	}
	return s, s.check()
}
