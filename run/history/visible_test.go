package history

import (
	"slices"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
)

func TestVisibleMessagesHaveResultsBehindTheirCalls(t *testing.T) {
	for _, test := range []struct{ stored, want string }{
		{"u1 a1(c1) t1:c1 a2", "u1 a1 t1 a2"},
		{"u1 a1(c1) u2 t1:c1 a2", "u1 a1 t1 u2 a2"},             // approved beside a new message
		{"u1 a1(c1,c2) t2:c2 u2 t1:c1 a2", "u1 a1 t2 t1 u2 a2"}, // two results, of two runs
		// a model that counts its calls from zero in each step
		{"u1 a1(c1) t1:c1 a2(c1) u2 t2:c1", "u1 a1 t1 a2 t2 u2"},
		{"u1 t1:c9 a1", "u1 t1 a1"},                              // of a call that is not there
		{"u1 a1(c1) a2(c2) t1:c1 t2:c2 a3", "u1 a1 t1 a2 t2 a3"}, // one after the other
		{"u1 a1(c1,c2) t1:c1 t2:c2 u2 a2", "u1 a1 t1 t2 u2 a2"},  // what is in order stays
		{"u1 a1(c1) a2 u2 a3(c2) u3 t2:c2 t1:c1", "u1 a1 t1 a2 u2 a3 t2 u3"},
	} {
		stored := messages(test.stored)
		before := slices.Clone(stored)
		note := agui.Message{ID: "n", Role: agui.RoleActivity, ActivityType: agui.NoteType}
		var got string
		for _, m := range Visible(append(stored, note)) {
			if got != "" {
				got += " "
			}
			got += m.ID
		}
		must.Be(t, got, test.want, "%s is visible as", test.stored)
		if !slices.EqualFunc(stored, before, func(a, b agui.Message) bool { return a.ID == b.ID }) {
			t.Errorf("%s was changed", test.stored)
		}
	}
}
