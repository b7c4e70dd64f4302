package llmtest

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// Spelling is how a provider spells the blocks of an answer.
type Spelling struct {
	Begin, End []string // documents around the blocks
	Kinds      []string // of blocks; there is one text at most; calls begin with call
	Mark       string   // of what to cache, which does not count
	InOrder    bool     // of Kinds; otherwise blocks are in any order, and calls go back last
	// Block spells the block at a position: as documents of a stream, a secret in two pieces, and
	// as it must be in the next request. Texts are JSON; a call has the position's letter as its
	// id.
	Block func(kind string, at int, words string, secret [2]string) (docs []string, back string)
}

// GoesBack checks that whatever thoughts, texts and calls an answer holds, and however it is cut,
// they go back as they came, to the byte.
func (v *Vendor) GoesBack(t *testing.T, s Spelling) {
	secrets := rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 150), base64.StdEncoding.EncodeToString)
	words := rapid.StringMatching(`[a-zü五😀"\\\n]{1,20}`)
	rapid.Check(t, func(r *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom(s.Kinds), 1, 6).Draw(r, "kinds")
		if first := slices.Index(kinds, "text"); first >= 0 { // the agent joins texts
			rest := slices.DeleteFunc(slices.Clone(kinds[first+1:]), func(kind string) bool { return kind == "text" })
			kinds = append(kinds[:first+1], rest...)
		}
		if s.InOrder {
			slices.SortStableFunc(kinds, func(a, b string) int { return slices.Index(s.Kinds, a) - slices.Index(s.Kinds, b) })
		}
		docs := slices.Clone(s.Begin)
		var said, called []string
		for at, kind := range kinds {
			secret := secrets.Draw(r, "secret")
			cut := rapid.IntRange(0, len(secret)).Draw(r, "cut")
			streamed, back := s.Block(kind, at, Quoted("x"+words.Draw(r, "words")), [2]string{secret[:cut], secret[cut:]})
			if docs = append(docs, streamed...); strings.HasPrefix(kind, "call") {
				called = append(called, back)
			} else {
				said = append(said, back)
			}
		}
		body := ""
		for _, doc := range append(docs, s.End...) {
			body += v.frame(doc)
		}
		stream := &CutReader{Data: []byte(body), N: rapid.IntRange(1, 50).Draw(r, "read")}
		a := Ask(t, t.Context(), v.Model(Streaming(stream)), Hello)
		if a.Err != nil {
			r.Fatal(a.Err)
		}
		want := "[" + strings.Join(append(said, called...), ",") + "]"
		if sent := strings.ReplaceAll(v.next(t, a), s.Mark, ""); !strings.Contains(sent, want) {
			r.Fatalf("%s\nis not in\n%s", want, sent)
		}
	})
}

// secretsGoBack checks that what an answer has for the provider alone is in the next request, once.
func (v *Vendor) secretsGoBack(t *testing.T, a Answer, want *Plain) {
	t.Helper()
	if a.Err != nil || a.Text == "" && len(a.Calls) == 0 { // thoughts that led to nothing
		return
	}
	sent := v.next(t, a)
	for _, opaque := range want.Opaques {
		secret := tag.ReplaceAllString(opaque, "")
		must.Be(t, strings.Count(sent, secret), 1, "times that %s is in %s", secret, sent)
	}
}

// tag is what an adapter writes before an opaque value.
var tag = regexp.MustCompile(`^([a-z]+:)+`)

// next is the body of the request that follows an answer: the results of its calls, in the other
// order, or another question.
func (v *Vendor) next(t *testing.T, a Answer) string {
	t.Helper()
	messages := []llm.Message{User("q"), a.Message()}
	for _, c := range slices.Backward(a.Calls) {
		messages = append(messages, Say(llm.RoleTool, llm.ToolResult{ID: c.ID, Content: llm.Text{Text: "r"}}))
	}
	messages = append(messages, User("next"))
	return Sent(t, func(c *http.Client) llm.Model { return v.Model(c) }, v.answer(), &llm.Request{Messages: messages, Tools: []llm.ToolDecl{{Name: "f"}}})
}

// Quoted is a text as a JSON string.
func Quoted(s string) string { return string(jsonx.AppendString(nil, s)) }
