package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ofSearch = []promise{
	{"threads are found by words", func(t *testing.T, s Store) {
		say(t, s, "a", "Errors since Monday", "Why so many 404s?", "The crawler at 203.0.113.9 asks for wp-login.php.")
		say(t, s, "b", "", "Größe der Äpfel im CAFÉ", "naïve re\u0301sume\u0301 İstanbul")
		say(t, s, "c", "many words", "数据库的错误很多", "ошибка сервера")
		for threads, texts := range map[string][]string{
			"a": {
				"errors", "ERRORS monday", "mon", "many 404", "404s many", "so why 40", "203.0.113", "wp-log",
				"php 113", "login php", "login.php wp", "the", "th", "e",
			},
			"b": {
				"größe", "grö", "groß", "apfel", "ÄPFEL", "cafe", "café", "cafe\u0301", "naive resume", "résumé",
				"istanbul",
			},
			"c":     {"错误", "数据库", "错误很", "ОШИБКА", "сервер"},
			"a c":   {"many"},
			"a b c": {""},
			"": {
				"mon errors", "errors crawler", // not in one text
				"grosse", "grOBe", "误错", "数库", "absent", "...", " ", "\n",
			},
		} {
			wantFound(t, s, threads, texts...)
		}
	}},
	// the text of a query is data, whatever it looks like
	{"what is searched for is data", func(t *testing.T, s Store) {
		say(t, s, "a", "", "alpha beta", "NOT OR AND NEAR")
		say(t, s, "b", "", "beta gamma owner words rowid")
		for threads, texts := range map[string][]string{
			"a":   {`alpha*`, `"alpha`, `(alpha`, `-alpha`, `alpha + beta`, `near or`, "alpha\x00beta", "alpha\xff"},
			"b":   {`words : beta`, `owner:beta`},
			"a b": {`^beta`, strings.Repeat("beta ", 500)},
			"": {
				`alpha" OR "gamma`, `alpha OR gamma`, `alpha NOT beta`, `NEAR(alpha beta)`, `{words} : alpha`,
				`'; DROP TABLE search; --`, `%`, `al_ha`, "\xff", strings.Repeat("x", 1<<16), strings.Repeat("\"", 1000),
			},
		} {
			wantFound(t, s, threads, texts...)
		}
	}},
	// tool results, reasoning, system messages and notes are not searched
	{"only what was said is searched", func(t *testing.T, s Store) {
		text := agui.TextContent
		parts := agui.PartsContent([]agui.ContentPart{{Type: "text", Text: "uno"}})
		called := []agui.ToolCall{{ID: "c", Name: "cinque", Arguments: `{"sei":"sette"}`}}
		shown := []byte(`{"key":{"deep":["tre",{"x":"quattro"}]},"n":12}`)
		begin(t, s, ada, "r1", "t1",
			agui.Message{ID: "u", Role: agui.RoleUser, Content: parts},
			agui.Message{ID: "a", Role: agui.RoleAssistant, Content: text("due"), ToolCalls: called},
			agui.Message{ID: "p", Role: agui.RoleActivity, ActivityType: "chart", Activity: shown},
			agui.Message{ID: "t", Role: agui.RoleTool, ToolCallID: "c", Content: text("otto user")},
			agui.Message{ID: "r", Role: agui.RoleReasoning, Content: text("nove")},
			agui.Message{ID: "s", Role: agui.RoleSystem, Content: text("dieci")},
			agui.Message{
				ID: "n", Role: agui.RoleActivity, ActivityType: agui.NoteType, Activity: []byte(`{"text":"undici"}`),
			},
		)
		wantFound(t, s, "t1", "uno", "due", "tre", "quattro")
		wantFound(t, s, "", "cinque", "sei", "sette", "otto", "nove", "dieci", "undici", "deep", "key", "chart", "user")
	}},
	{"the search follows changes", func(t *testing.T, s Store) {
		say(t, s, "t1", "first title", "apple")
		wantFound(t, s, "t1", "first")
		must.Do(t, setTitle(s, "t1", "second title"))
		wantFound(t, s, "", "first")
		wantFound(t, s, "t1", "second")
		must.Do(t, setTitle(s, "t1", ""))
		wantFound(t, s, "", "title")
		must.Do(t, s.SaveMessages(ctx, ada, "t1", "rt1", []agui.Message{user("m0", "pear"), user("m1", "plum")}))
		wantFound(t, s, "", "apple")
		wantFound(t, s, "t1", "pear")
		must.Do(t, s.SaveMessages(ctx, ada, "t1", "rt1", []agui.Message{user("m1", "")}))
		wantFound(t, s, "", "plum")
		end(t, s, ada, "rt1", user("m1", "cherry"), user("m2", "quince"))
		wantFound(t, s, "t1", "cherry", "quin")
		wantFound(t, s, "", "cherry quince")
		wholeRun(t, s, "r2", "t1", store.RootRun)
		wantFound(t, s, "t1", "cherry") // also on a branch that is not shown
		setDeleted(t, s, "t1", true)
		wantFound(t, s, "", "cherry")
		wantPurged(t, s, "t1")
		say(t, s, "t1", "", "melon") // the same ids once more
		wantFound(t, s, "", "cherry")
		wantFound(t, s, "t1", "melon")
	}},
	{"a snippet shows what was found", func(t *testing.T, s Store) {
		long := strings.Repeat("Lorem ipsum dolor sit amet. ", 40)
		say(t, s, "title", "needle in the title", "nothing here")
		say(t, s, "short", "", "a\n\n  needle\tin hay")
		say(t, s, "long", "", "needle first", long+"the needle is here "+long)
		got := map[string]string{}
		for _, f := range must.Get(s.Threads(ctx, ada, store.ThreadQuery{Text: "needle"}))(t).Items {
			got[f.ID] = f.Snippet
		}
		l := got["long"]
		if !strings.Contains(l, "the needle is here") || len([]rune(l)) > store.SnippetSize ||
			!strings.HasPrefix(l, "…") || !strings.HasSuffix(l, "…") {
			t.Errorf("the snippet of a long message is %q", l)
		}
		want(t, "snippets", map[string]string{"title": "", "short": "a needle in hay", "long": l})(got, nil)
		if page := must.Get(s.Threads(ctx, ada, store.ThreadQuery{}))(t); page.Items[0].Snippet != "" {
			t.Errorf("a list has snippets: %+v", page)
		}
	}},
}

// say stores a thread whose messages have the texts.
func say(t *testing.T, s store.Store, thread, title string, texts ...string) {
	t.Helper()
	var messages []agui.Message
	for i, text := range texts {
		messages = append(messages, user(fmt.Sprint("m", i), text))
	}
	r := with(run("r"+thread, thread), func(r *store.Run) { r.ThreadTitle = title })
	must.Do(t, s.BeginRun(ctx, ada, r, messages, noEvents))
	tick() // the list is ordered by time
}

// wantFound checks which threads, with a space between them, each text finds.
func wantFound(t *testing.T, s store.Store, threads string, texts ...string) {
	t.Helper()
	for _, text := range slices.Concat(texts, texts) { // an index may have more the second time
		ids := threadIDs(must.Get(s.Threads(ctx, ada, store.ThreadQuery{Text: text}))(t).Items)
		slices.Sort(ids)
		want(t, fmt.Sprintf("found by %q", text), strings.Fields(threads))(ids, nil)
	}
}
