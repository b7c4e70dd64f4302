package httptool

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/tool"
)

func (e *endpoint) checkState() error {
	if e.State == nil {
		return nil
	}
	return checkPointer(*e.State)
}

// changeState applies the merge patch (RFC 7396) in an answer to the shared state. An answer
// without one changes nothing. The model is told of a change that is refused: the endpoint has done
// its work all the same.
func (e *endpoint) changeState(ctx context.Context, a *answer, call *tool.Call) (refused string) {
	found, ok := a.at(*e.State)
	if !ok {
		return ""
	}
	patch, err := patchOf(call.State(), found)
	if err == nil && len(patch) > 0 {
		var list []byte
		if list, err = json.Marshal(patch); err == nil {
			err = call.PatchState(list)
		}
	}
	if err != nil {
		a.log.WarnContext(ctx, "an HTTP tool's change of the shared state was refused", "tool", e.Name,
			"state", *e.State, "error", err)
		return "\n[The shared state was not changed: " + err.Error() + "]"
	}
	return ""
}

// operation is one of a JSON Patch.
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

// patchOf returns the JSON Patch that changes a document as a merge patch does.
func patchOf(doc, merge json.RawMessage) ([]operation, error) {
	changes := members(merge)
	if changes == nil {
		return nil, fmt.Errorf("a merge patch must be an object")
	}
	if members(doc) == nil { // there is no state yet
		return []operation{{"add", "", withoutNulls(merge)}}, nil
	}
	return changesOf("", members(doc), changes), nil
}

func changesOf(at string, doc, changes map[string]json.RawMessage) (list []operation) {
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		path, value := string(jsontext.Pointer(at).AppendToken(name)), changes[name]
		old, known := doc[name]
		inner := members(value)
		switch {
		case string(value) == "null":
			if known {
				list = append(list, operation{Op: "remove", Path: path})
			}
		case inner != nil && members(old) != nil:
			list = append(list, changesOf(path, members(old), inner)...)
		default:
			list = append(list, operation{"add", path, withoutNulls(value)})
		}
	}
	return list
}

// members returns the members of an object, or nil.
func members(raw json.RawMessage) (all map[string]json.RawMessage) {
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

// withoutNulls returns what a merge patch makes of nothing: null removes a member, of new objects
// too.
func withoutNulls(value json.RawMessage) json.RawMessage {
	all := members(value)
	if all == nil {
		return value
	}
	for name, inner := range all {
		if all[name] = withoutNulls(inner); string(inner) == "null" {
			delete(all, name)
		}
	}
	out, _ := json.Marshal(all) // made of JSON: cannot fail
	return out
}
