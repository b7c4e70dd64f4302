package condition

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/policy"
)

// FuzzCondition compiles and evaluates whatever a configuration says.
func FuzzCondition(f *testing.F) {
	for _, text := range []string{"tainted", "args.a.b[3] > 4u", `args.x.matches("^a+$")`, "args.l.all(x, x in principal.roles)", "scope['s'].size() == 1 ? true : page < name", "has(args.q)"} {
		f.Add(text, `{"a":{"b":[1,2,3,4.5]},"x":"aaa","l":[],"q":null}`)
	}
	f.Fuzz(func(t *testing.T, text, args string) {
		c, problem := Compile(text)
		if problem != nil {
			if problem.Reason == "" {
				t.Error("an error without a reason")
			}
			return
		}
		q := policy.Question{Kind: policy.Tool, Name: "pay", Verb: policy.Use, Effect: "write", Args: json.RawMessage(args)}
		_, _ = c.Evaluate(t.Context(), &policy.Facts{Question: &q})
	})
}
