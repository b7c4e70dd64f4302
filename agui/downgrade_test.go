package agui

import (
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

func TestDowngrade(t *testing.T) {
	talk.Lines(t, "testdata/downgrade.txtar", func(t *testing.T, section, doc string) (told []string) {
		if section != "an event" {
			return []string{string(RawContent([]byte(doc)).Binary().Raw())}
		}
		e := must.Get(UnmarshalEvent([]byte(doc)))(t)
		old := Downgrade(e)
		if len(old) == 1 && old[0] == e {
			return []string{"as it is"}
		}
		for _, o := range old {
			told = append(told, string(must.Get(MarshalEvent(o))(t)))
		}
		must.Be(t, string(must.Get(MarshalEvent(e))(t)), doc, "the event itself afterwards")
		return told
	})
}
