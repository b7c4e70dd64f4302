package opensearch

import (
	"encoding/json"
	"fmt"

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

// readSearch reads the body of a search, which may be absent. newest is the member by which the
// answer is sorted, newest first; "" means that it has no order that could be asked for.
func readSearch(x *server.Exchange, newest string) (from, size int, err error) {
	var s search
	if x.Request.ContentLength != 0 {
		if err := x.Decode(&s); err != nil {
			return 0, 0, err
		}
	}
	size = defaultSize
	if s.Size != nil {
		size = *s.Size
	}
	switch {
	case !matchesAll(s.Query):
		return 0, 0, server.BadField("query", "must be match_all: nothing else can be searched for here")
	case s.From < 0 || size < 0:
		return 0, 0, server.BadField("from", "must not be negative, and neither must size")
	case s.From > window || size > window || s.From+size > window:
		return 0, 0, server.BadField("size", fmt.Sprintf("must be at most %d together with from", window))
	case !sortsBy(s.Sort, newest):
		return 0, 0, server.BadField("sort", "must be absent or the order of the list: "+orNone(newest))
	}
	return s.From, size, nil
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
