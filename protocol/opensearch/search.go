package opensearch

import (
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
	case !matchesAll(s.Query) && !q.readTerm(s.Query):
		return q, server.BadField("query", "must be match_all, or a term of one field")
	case q.from < 0 || q.size < 0:
		return q, server.BadField("from", "must not be negative, and neither must size")
	case q.from > window || q.size > window || q.from+q.size > window:
		return q, server.BadField("size", fmt.Sprintf("must be at most %d together with from", window))
	case !sortsBy(s.Sort, newest):
		return q, server.BadField("sort", "must be absent or the order of the list: "+orNone(newest))
	}
	return q, nil
}

// readTerm reads {"term": {field: value}} or {"term": {field: {"value": value}}}, and reports
// whether the query is one.
func (q *query) readTerm(raw json.RawMessage) bool {
	var members map[string]map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || len(members) != 1 || len(members["term"]) != 1 {
		return false
	}
	for field, raw := range members["term"] {
		var long struct{ Value *string }
		q.field = strings.TrimSuffix(field, ".keyword")
		if json.Unmarshal(raw, &q.value) != nil && (json.Unmarshal(raw, &long) != nil || long.Value == nil) {
			return false
		}
		if long.Value != nil {
			q.value = *long.Value
		}
	}
	return true
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

func orNone(newest string) string {
	if newest == "" {
		return "none"
	}
	return newest + ", newest first"
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func matchesAll(query json.RawMessage) bool {
	if absent(query) {
		return true
	}
	var members map[string]map[string]json.RawMessage
	if json.Unmarshal(query, &members) != nil || len(members) != 1 {
		return false
	}
	all, ok := members["match_all"]
	return ok && len(all) == 0
}

// sortsBy reports whether a sort asks for one member, from the newest on: {"m":"desc"} or
// {"m":{"order":"desc"}}, alone or in a list.
func sortsBy(sort json.RawMessage, newest string) bool {
	if absent(sort) {
		return true
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(sort, &list) != nil {
		list = make([]map[string]json.RawMessage, 1)
		if json.Unmarshal(sort, &list[0]) != nil {
			return false
		}
	}
	if len(list) != 1 || len(list[0]) != 1 || newest == "" {
		return false
	}
	var order struct{ Order string }
	if raw := list[0][newest]; json.Unmarshal(raw, &order.Order) != nil && json.Unmarshal(raw, &order) != nil {
		return false
	}
	return order.Order == "desc"
}
