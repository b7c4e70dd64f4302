package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// say stores a thread whose messages have the texts.
func say(t *testing.T, s store.Store, thread, title string, texts ...string) {
	t.Helper()
	r := run("r"+thread, thread)
	r.ThreadTitle = title
	var messages []agui.Message
	for i, text := range texts {
		messages = append(messages, user(fmt.Sprint("m", i), text))
	}
	must(t, s.BeginRun(t.Context(), ada, r, messages))
	tick() // the list is ordered by time
}

func wantFound(t *testing.T, s store.Store, text string, want ...string) {
	t.Helper()
	for range 2 { // the second time an index may have what it lacked the first time
		page, err := s.Threads(t.Context(), ada, store.ThreadQuery{Text: text})
		must(t, err)
		got := threadIDs(page.Items)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

func testSearch(t *testing.T, s store.Store) {
	say(t, s, "a", "Errors since Monday", "Why so many 404s?", "The crawler at 203.0.113.9 asks for wp-login.php.")
	say(t, s, "b", "", "Größe der Äpfel im CAFÉ", "naïve re\u0301sume\u0301 İstanbul")
	say(t, s, "c", "many words", "数据库的错误很多", "ошибка сервера")
	for text, want := range map[string][]string{
		"errors": {"a"}, "ERRORS monday": {"a"}, "mon": {"a"}, "mon errors": nil, "many": {"a", "c"}, "many 404": {"a"},
		"404s many": {"a"}, "so why 40": {"a"}, "errors crawler": nil, // not in one text
		"203.0.113": {"a"}, "wp-log": {"a"}, "php 113": {"a"}, "login php": {"a"}, "login.php wp": {"a"},
		"grosse": nil, "größe": {"b"}, "grö": {"b"}, "grOBe": nil, "groß": {"b"}, "apfel": {"b"}, "ÄPFEL": {"b"}, "cafe": {"b"}, "café": {"b"}, "cafe\u0301": {"b"},
		"naive resume": {"b"}, "résumé": {"b"}, "istanbul": {"b"},
		"错误": {"c"}, "数据库": {"c"}, "错误很": {"c"}, "误错": nil, "数库": nil, "ОШИБКА": {"c"}, "сервер": {"c"},
		"absent": nil, "the": {"a"}, "th": {"a"}, "e": {"a"},
		"...": nil, " ": nil, "\n": nil, "": {"a", "b", "c"},
	} {
		wantFound(t, s, text, want...)
	}
}

// testSearchInjection: the text of a query is data, whatever it looks like.
func testSearchInjection(t *testing.T, s store.Store) {
	say(t, s, "a", "", "alpha beta", "NOT OR AND NEAR")
	say(t, s, "b", "", "beta gamma owner words rowid")
	for text, want := range map[string][]string{
		`alpha" OR "gamma`: nil, `alpha OR gamma`: nil, `alpha*`: {"a"}, `"alpha`: {"a"}, `alpha NOT beta`: nil, `(alpha`: {"a"}, `^beta`: {"a", "b"},
		`words : beta`: {"b"}, `owner:beta`: {"b"}, `NEAR(alpha beta)`: nil, `{words} : alpha`: nil, `-alpha`: {"a"}, `alpha + beta`: {"a"},
		`'; DROP TABLE search; --`: nil, `near or`: {"a"}, `%`: nil, `al_ha`: nil, "alpha\x00beta": {"a"}, "\xff": nil, "alpha\xff": {"a"},
		strings.Repeat("beta ", 500): {"a", "b"}, strings.Repeat("x", 1<<16): nil, strings.Repeat("\"", 1000): nil,
	} {
		wantFound(t, s, text, want...)
	}
}

// testSearchRoles: tool results, reasoning, system messages and notes are not searched.
func testSearchRoles(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1",
		agui.Message{ID: "u", Role: agui.RoleUser, Content: agui.PartsContent([]agui.ContentPart{{Type: "text", Text: "uno"}})},
		agui.Message{ID: "a", Role: agui.RoleAssistant, Content: agui.TextContent("due"), ToolCalls: []agui.ToolCall{{ID: "c", Name: "cinque", Arguments: `{"sei":"sette"}`}}},
		agui.Message{ID: "p", Role: agui.RoleActivity, ActivityType: "chart", Activity: []byte(`{"key":{"deep":["tre",{"x":"quattro"}]},"n":12}`)},
		agui.Message{ID: "t", Role: agui.RoleTool, ToolCallID: "c", Content: agui.TextContent("otto user")},
		agui.Message{ID: "r", Role: agui.RoleReasoning, Content: agui.TextContent("nove")},
		agui.Message{ID: "s", Role: agui.RoleSystem, Content: agui.TextContent("dieci")},
		agui.Message{ID: "n", Role: agui.RoleActivity, ActivityType: agui.NoteType, Activity: []byte(`{"text":"undici"}`)},
	)
	for _, word := range []string{"uno", "due", "tre", "quattro"} {
		wantFound(t, s, word, "t1")
	}
	for _, word := range []string{"cinque", "sei", "sette", "otto", "nove", "dieci", "undici", "deep", "key", "chart", "user"} {
		wantFound(t, s, word)
	}
}

func testSearchChanges(t *testing.T, s store.Store) {
	say(t, s, "t1", "first title", "apple")
	wantFound(t, s, "first", "t1")
	must(t, setTitle(s, t.Context(), ada, "t1", "second title"))
	wantFound(t, s, "first")
	wantFound(t, s, "second", "t1")
	must(t, setTitle(s, t.Context(), ada, "t1", ""))
	wantFound(t, s, "title")
	must(t, s.SaveMessages(t.Context(), ada, "t1", "rt1", []agui.Message{user("m0", "pear"), user("m1", "plum")}))
	wantFound(t, s, "apple")
	wantFound(t, s, "pear", "t1")
	must(t, s.SaveMessages(t.Context(), ada, "t1", "rt1", []agui.Message{user("m1", "")}))
	wantFound(t, s, "plum")
	must(t, s.EndRun(t.Context(), ada, finished("rt1"), []agui.Message{user("m1", "cherry"), user("m2", "quince")}, store.Batch{}))
	wantFound(t, s, "cherry", "t1")
	wantFound(t, s, "quin", "t1")
	wantFound(t, s, "cherry quince")

	// A branch that is not shown is searched too.
	r := run("r2", "t1")
	r.ParentRunID = store.RootRun
	must(t, s.BeginRun(t.Context(), ada, r, many("x", 1)))
	wantFound(t, s, "cherry", "t1")

	must(t, s.EndRun(t.Context(), ada, finished("r2"), nil, store.Batch{}))
	deleteThread(t, s, "t1", true)
	wantFound(t, s, "cherry")
	if n, err := s.Purge(t.Context(), time.Now().Add(time.Hour)); err != nil || len(n) != 1 {
		t.Errorf("purged %v, %v", n, err)
	}
	say(t, s, "t1", "", "melon") // the same ids once more
	wantFound(t, s, "cherry")
	wantFound(t, s, "melon", "t1")
}

func testSnippets(t *testing.T, s store.Store) {
	long := strings.Repeat("Lorem ipsum dolor sit amet. ", 40)
	say(t, s, "title", "needle in the title", "nothing here")
	say(t, s, "short", "", "a\n\n  needle\tin hay")
	say(t, s, "long", "", "needle first", long+"the needle is here "+long)
	page, err := s.Threads(t.Context(), ada, store.ThreadQuery{Text: "needle"})
	must(t, err)
	got := map[string]string{}
	for _, f := range page.Items {
		got[f.ID] = f.Snippet
	}
	if len(got) != 3 || got["title"] != "" || got["short"] != "a needle in hay" {
		t.Errorf("snippets are %q", got)
	}
	if l := got["long"]; !strings.Contains(l, "the needle is here") || len([]rune(l)) > store.SnippetSize || !strings.HasPrefix(l, "…") || !strings.HasSuffix(l, "…") {
		t.Errorf("the snippet of a long message is %q", l)
	}
	if page, err = s.Threads(t.Context(), ada, store.ThreadQuery{}); err != nil || page.Items[0].Snippet != "" {
		t.Errorf("a list has snippets: %+v, %v", page, err)
	}
}

func testSearchPages(t *testing.T, s store.Store) {
	var want []string
	for i := range 23 {
		id := fmt.Sprintf("t%02d", i)
		messages := []string{"plain", "special word", "special again"}
		if i%2 == 0 {
			messages = messages[:1]
		} else {
			want = append([]string{id}, want...)
		}
		say(t, s, id, "", messages...)
	}
	wantListed(t, s, store.ThreadQuery{Text: "special"}, want...)
	wantListed(t, s, store.ThreadQuery{Text: "special", Archived: true})
	yes := true
	for _, id := range []string{"t03", "t05", "t04"} {
		_, err := s.UpdateThread(t.Context(), ada, id, store.ThreadChange{Archived: &yes})
		must(t, err)
	}
	wantListed(t, s, store.ThreadQuery{Text: "special", Archived: true}, "t05", "t03")
}
