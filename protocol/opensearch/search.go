package opensearch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pageside/pageside/server"
)

// search is the body of a search.
type search struct {
	Query json.RawMessage `json:"query"`
	From  int             `json:"from"`
	Size  *int            `json:"size"`
	Sort  json.RawMessage `json:"sort"`
}

const (
	defaultSize = 10
	// what OpenSearch's max_result_window is unless it was changed
	window = 10000
)

// query is what a search asks for. The zero filter matches all.
type query struct {
	from, size int
	field      string // of a term
	value      string
}

// readSearch reads the body of a search, which may be absent. newest is the member by which the
// answer is sorted, newest first; "" means that it has no order that could be asked for.
func readSearch(x *server.Exchange, newest string) (q query, err error) {
	var s search
	if x.Request.ContentLength != 0 {
		if err := x.Decode(&s); err != nil {
			return q, err
		}
	}
	q.from, q.size = s.From, defaultSize
	if s.Size != nil {
		q.size = *s.Size
	}
	switch {
	case !absent(s.Query) && !q.read(s.Query):
		return q, server.BadField("query", "must be match_all, or a term of one field")
	case q.from < 0 || q.size < 0:
		return q, server.BadField("from", "must not be negative, and neither must size")
	case q.from > window || q.size > window || q.from+q.size > window:
		return q, server.BadField("size", fmt.Sprintf("must be at most %d together with from", window))
	case !absent(s.Sort) && !sortsBy(s.Sort, newest):
		return q, server.BadField("sort",
			"must be absent, or descending by what the list is sorted by: "+cmp.Or(newest, "nothing"))
	}
	return q, nil
}

// read reads {"match_all": {}} or {"term": {field: text}}, and reports whether the query is one.
func (q *query) read(raw json.RawMessage) bool {
	var members map[string]map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || len(members) != 1 {
		return false
	}
	if all, ok := members["match_all"]; ok {
		return len(all) == 0
	}
	ok := false
	for field, raw := range members["term"] {
		q.field = strings.TrimSuffix(field, ".keyword")
		q.value, ok = textIn(raw, "value")
	}
	return ok && len(members["term"]) == 1
}

// textIn reads a text in OpenSearch's short form, or in the long one: an object that has it under a
// name.
func textIn(raw json.RawMessage, name string) (text string, ok bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	var long map[string]json.RawMessage // with others, such as boost
	var found *string
	if json.Unmarshal(raw, &long) != nil || json.Unmarshal(long[name], &found) != nil || found == nil {
		return "", false
	}
	return *found, true
}

// matches reports whether an object with these fields is asked for.
func (q *query) matches(fields map[string]string) (bool, error) {
	if q.field == "" {
		return true, nil
	}
	value, ok := fields[q.field]
	if !ok {
		return false, server.BadField("query",
			fmt.Sprintf("cannot be a term of %q: the fields are %s", q.field,
				strings.Join(slices.Sorted(maps.Keys(fields)), ", ")))
	}
	return value == q.value, nil
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// sortsBy reports whether a sort asks for one member, from the newest on: {"m":"desc"} or
// {"m":{"order":"desc"}}, alone or in a list.
func sortsBy(sort json.RawMessage, newest string) bool {
	var list []map[string]json.RawMessage
	if json.Unmarshal(sort, &list) != nil {
		list = make([]map[string]json.RawMessage, 1)
		if json.Unmarshal(sort, &list[0]) != nil {
			return false
		}
	}
	if len(list) != 1 || len(list[0]) != 1 {
		return false
	}
	order, _ := textIn(list[0][newest], "order")
	return order == "desc"
}
