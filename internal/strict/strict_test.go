package strict_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/strict"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
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
	refused := func(doc string) string {
		_, ok := errors.AsType[*jsonx.FieldError](strict.Decode([]byte(doc), new(document)))
		must.Be(t, ok, true, "the error of %.60s is a FieldError", doc)
		return must.Text(strict.Decode([]byte(doc), new(document)))
	}
	talk.Lines(t, "testdata/refused.txtar", func(_ *testing.T, _, doc string) []string { return []string{refused(doc)} })
	must.Have(t, refused(""), "is not valid JSON", "nothing")
	must.Have(t, refused("{\"title\":\"\xff\"}"), "title: is not valid JSON", "half a character")
	long := strings.Repeat("n", 500)
	must.Have(t, refused(`{"`+long+`":1}`), `["`+long[:64]+`"…]: is not known`, "a long name")
}
