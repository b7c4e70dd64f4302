package run

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pageside/pageside/test/talk"
)

// crashing is a conversation in which a line begins with dies. It is played once for each operation
// of the store that writes: there the process dies, before it is carried out or after it, and the
// next one plays the lines that follow. What tools did meanwhile and all that came of these lines
// stands behind them, once. Which events are written together is chance: what came must be among
// what is listed, and be half of that. UPDATE=1 lists what comes in several rounds.
type crashing struct {
	before []string
	dies   string
	after  []string
}

// mayBe begins each of the outcomes that are listed.
const mayBe = "\tit may be that\n"

func (s crashing) converse(t *testing.T, file *talk.File) string {
	head, came := s.round(t, file)
	_, list, _ := strings.Cut(string(file.Section("conversation")), mayBe)
	listed := strings.Split(list, mayBe)
	if talk.Update {
		for range 5 {
			_, more := s.round(t, file)
			came = slices.Concat(came, slices.DeleteFunc(more, func(one string) bool { return slices.Contains(came, one) }))
		}
		return s.told(head, came)
	}
	unknown := slices.ContainsFunc(came, func(one string) bool { return !slices.Contains(listed, one) })
	if !unknown && 2*len(came) >= len(listed) {
		came = listed
	}
	return s.told(head, came)
}

// told returns the conversation with what came.
func (s crashing) told(head string, came []string) string {
	return head + s.dies + strings.Join(s.after, "") + mayBe + strings.Join(came, mayBe)
}

// round has the process die at each operation, and returns what came before that and each that came
// of it.
func (s crashing) round(t *testing.T, file *talk.File) (head string, came []string) {
	for op, died := 1, true; died && op < 100; op++ {
		for _, after := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				c := newConversation(t, file)
				defer c.stop() // where it has failed: twice does no harm
				begun, one := new(strings.Builder), new(strings.Builder)
				talk.Play(begun, s.before, &c.names, c.tell)
				c.process.DieAt(op, after)
				did := c.do(strings.TrimSpace(strings.TrimPrefix(s.dies, "dies ")))
				head, died = begun.String(), c.process.Dead()
				for _, did := range slices.Sorted(slices.Values(append(did, c.do("crash")...))) {
					if strings.HasPrefix(did, "ran ") {
						one.WriteString(did + "\n")
					}
				}
				talk.Play(one, s.after, &c.names, c.tell)
				c.end()
				indented := "\t\t" + strings.ReplaceAll(strings.TrimSpace(one.String()), "\n", "\n\t\t") + "\n"
				if !slices.Contains(came, indented) {
					came = append(came, indented)
				}
			})
		}
	}
	return head, came
}
