package research

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

type schemaInput struct {
	Stream  string   `json:"stream" jsonschema:"the stream's id"`
	Version int      `json:"version" jsonschema:"the version of the stream that the change is for, as the page's context has it"`
	Add     []Field  `json:"add,omitempty"`
	Change  []Field  `json:"change,omitempty" jsonschema:"fields by their key, as they shall be"`
	Remove  []string `json:"remove,omitempty" jsonschema:"keys"`
}

func (a *App) updateStreamSchema(_ context.Context, _ *tool.Call, in schemaInput) (any, error) {
	s, err := a.streams.Get(in.Stream)
	if err == nil {
		_, s, err = in.apply(s)
	}
	if err == nil {
		s, err = a.putStream(s)
	}
	return map[string]any{"saved": true, "stream": s.ID, "name": s.Name, "version": s.Version, "fields": s.Schema.Fields}, err
}

// summarizeSchema says what a change of a schema would do, by the labels of the fields. What cannot
// be saved is refused before anybody is asked.
func (a *App) summarizeSchema(in schemaInput) (string, error) {
	before, err := a.streams.Get(in.Stream)
	if err != nil {
		return "", err
	}
	words, changed, err := in.apply(before)
	if err == nil && in.Version != before.Version {
		err = changedSince(before.Version)
	}
	return fmt.Sprintf("Changes what the stream “%s” extracts from its articles: %s. It has %d fields now, and %d then.",
		before.Name, words, len(before.Schema.Fields), len(changed.Schema.Fields)), err
}

// apply makes the changes in a copy of a stream, and says them in words.
func (in schemaInput) apply(s Stream) (words string, changed Stream, err error) {
	if len(in.Add)+len(in.Change)+len(in.Remove) == 0 {
		return "", s, refuse.BadField("add", "change and remove are all empty: there is nothing to do")
	}
	s.Version = in.Version
	fields := slices.Clone(s.Schema.Fields)
	at := func(key string) int {
		return slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
	}
	var adds, changes, removes []string
	for _, key := range in.Remove {
		i := at(key)
		if i < 0 {
			return "", s, refuse.BadField("remove", "names %q, which is no field", visible.Clip(key, 40))
		}
		removes = append(removes, "“"+fields[i].Label+"”")
		fields = slices.Delete(fields, i, i+1)
	}
	for _, f := range in.Change {
		i := at(f.Key)
		if i < 0 {
			return "", s, refuse.BadField("change", "names %q, which is no field", visible.Clip(f.Key, 40))
		}
		to := fmt.Sprintf("“%s” (%s)", f.Label, f.Type)
		if old := fields[i].Label; old != f.Label {
			to = "“" + old + "” to " + to
		}
		changes, fields[i] = append(changes, to), f
	}
	for _, f := range in.Add {
		if at(f.Key) >= 0 {
			return "", s, refuse.BadField("add", "names %q, which is a field already", visible.Clip(f.Key, 40))
		}
		adds, fields = append(adds, fmt.Sprintf("“%s” (%s)", f.Label, f.Type)), append(fields, f)
	}
	var parts []string
	for i, list := range [][]string{adds, changes, removes} {
		if len(list) > 0 {
			parts = append(parts, []string{"adds ", "changes ", "removes "}[i]+strings.Join(list, ", "))
		}
	}
	s.Schema.Fields = fields
	return strings.Join(parts, "; "), s, s.check()
}
