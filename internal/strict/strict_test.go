package strict_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/strict"
)

type document struct {
	Title   *string `json:"title"`
	Count   int     `json:"count"`
	Filters []struct {
		Op string `json:"op"`
	} `json:"filters"`
}

func TestDecodeTakesWhatFits(t *testing.T) {
	var d document
	if err := strict.Decode([]byte(`{"title":"x","filters":[{"op":"is"}]}`), &d); err != nil || *d.Title != "x" || d.Filters[0].Op != "is" {
		t.Fatalf("decoded %+v, %v", d, err)
	}
}

func TestDecodeNamesTheFieldThatIsWrong(t *testing.T) {
	for _, c := range []struct{ document, field, reason string }{
		{`{"titel":"x"}`, "titel", "is not known"},
		{`{"TITLE":"x"}`, "TITLE", "is not known"},
		{`{"title":1}`, "title", "must be a string"},
		{`{"count":"1"}`, "count", "must be a whole number"},
		{`{"count":1.5}`, "count", "must be a whole number"},
		{`{"filters":{}}`, "filters", "must be an array"},
		{`{"filters":[{"op":true}]}`, "filters[0].op", "must be a string"},
		{`{"filters":[7]}`, "filters[0]", "must be an object"},
		{`{"title":"a","title":"b"}`, "title", "is not valid JSON"},
		{"{\"title\":\"\xff\"}", "title", "is not valid JSON"},
		{`[]`, "", "must be an object"},
		{``, "", "is not valid JSON"},
		{`{"title":"x"} {}`, "", "is not valid JSON"},
		{`{"` + strings.Repeat("n", 500) + `":1}`, `["` + strings.Repeat("n", 64) + `"…]`, "is not known"},
	} {
		var d document
		err := strict.Decode([]byte(c.document), &d)
		e, ok := errors.AsType[*jsonx.FieldError](err)
		if !ok || e.Path != c.field || !strings.HasPrefix(e.Reason, c.reason) {
			t.Errorf("%.60s: %v; want %s: %s", c.document, err, c.field, c.reason)
		}
	}
}
