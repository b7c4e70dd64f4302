package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/auth"
	. "github.com/pageside/pageside/policy" // whose conditions are compiled by a package above it
	"github.com/pageside/pageside/policy/condition"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

func rulesOf(t testing.TB, list ...Rule) *Rules {
	t.Helper()
	return must.Get(NewRules(condition.Compile, list...))(t)
}

func tools(names ...string) map[Kind][]string { return map[Kind][]string{Tool: names} }

var ann = auth.Principal{Tenant: "acme", Subject: "ann", Roles: []string{"editor", "staff"}}

func use(name, effect, args string) Question {
	return Question{Principal: ann, Kind: Tool, Name: name, Verb: Use, Effect: effect, Args: json.RawMessage(args)}
}

// inPage is the use of a page's tool.
func inPage(effect string) Question {
	q := use("show", effect, "{}")
	q.Frontend = true
	return q
}

func TestDecisions(t *testing.T) {
	offer := use("pay", "write", "")
	offer.Verb, offer.Args = Offer, nil
	page := Question{Principal: ann, Kind: Page, Name: "reports/drafts/old", Verb: Use, Page: "reports/drafts/old"}
	scoped := use("pay", "write", "{}")
	scoped.Scope, scoped.Tainted, scoped.Page = map[string]string{"stream": "42"}, true, "streams/edit"
	allowPay := Rule{On: tools("pay"), Then: Allow}
	for _, c := range []struct {
		name  string
		rules []Rule
		q     Question
		want  Decision
		rule  string
	}{
		{"a tool that reads, by default", nil, use("find", "read", "{}"), Allow, "default"},
		{"a tool that writes, by default", nil, use("save", "write", "{}"), Deny, "default"},
		{"an idempotent tool, by default", nil, use("save", "idempotent", "{}"), Deny, "default"},
		{"a page's tool that reads, by default", nil, inPage("read"), Allow, "default"},
		{"a page's tool that acts in the page, by default", nil, inPage("page"), Allow, "default"},
		{"a page's tool that writes, by default", nil, inPage("write"), Deny, "default"},
		{"a tool of the server that says it acts in the page", nil, use("show", "page", "{}"), Deny, "default"},
		{"a page's tool that a rule names", []Rule{{On: tools("show"), Then: Deny}}, inPage("page"), Deny, "rule 1"},
		{"a page's tool beside a rule about another", []Rule{allowPay}, inPage("page"), Allow, "default"},
		{"a page, by default", nil, page, Deny, "default"},
		{"a role", []Rule{{Roles: []string{"editor"}, On: tools("pay"), Then: Allow}}, use("pay", "write", "{}"), Allow, "rule 1"},
		{"another role", []Rule{{Roles: []string{"admin"}, On: tools("pay"), Then: Allow}}, use("pay", "write", "{}"), Deny, "default"},
		{"an exempted role", []Rule{{Except: []string{"sta*"}, On: tools("pay"), Then: Allow}}, use("pay", "write", "{}"), Deny, "default"},
		{"a pattern", []Rule{{On: tools("crm__*"), Then: Allow}}, use("crm__pay", "write", "{}"), Allow, "rule 1"},
		{"a pattern is of the whole name", []Rule{{On: tools("pay"), Then: Allow}}, use("pay_all", "write", "{}"), Deny, "default"},
		{"a pattern is of the whole name, from its beginning", []Rule{{On: tools("pay"), Then: Allow}}, use("repay", "write", "{}"), Deny, "default"},
		{"a role is a whole name", []Rule{{Roles: []string{"ditor", "edit"}, On: tools("pay"), Then: Allow}}, use("pay", "write", "{}"), Deny, "default"},
		{"an exempted role is a whole name", []Rule{{Except: []string{"ditor", "edit"}, On: tools("pay"), Then: Allow}}, use("pay", "write", "{}"), Allow, "rule 1"},
		{"a dot is a dot", []Rule{{On: tools("p.y"), Then: Allow}}, use("pay", "write", "{}"), Deny, "default"},
		{"deny beats allow", []Rule{allowPay, {Name: "never", On: tools("*"), Then: Deny}}, use("pay", "write", "{}"), Deny, "never"},
		{"ask beats allow", []Rule{allowPay, {On: tools("*"), Then: Ask}}, use("pay", "write", "{}"), Ask, "rule 2"},
		{"ask each time beats ask once", []Rule{{On: tools("*"), Then: Ask, Allowances: true}, {On: tools("*"), Then: Ask}}, use("pay", "write", "{}"), Ask, "rule 2"},
		{"an effect", []Rule{{On: tools("*"), Effects: []string{"write"}, Then: Allow}}, use("pay", "destructive", "{}"), Deny, "default"},
		{"a page covers what is below it", []Rule{{On: map[Kind][]string{Page: {"reports"}}, Then: Allow}}, page, Allow, "rule 1"},
		{"a tab covers no other", []Rule{{On: map[Kind][]string{Page: {"reports/final"}}, Then: Allow}}, page, Deny, "default"},
		{"arguments within", []Rule{{On: tools("pay"), When: "args.amount <= 100", Then: Allow}}, use("pay", "write", `{"amount":100}`), Allow, "rule 1"},
		{"arguments beyond", []Rule{{On: tools("pay"), When: "args.amount <= 100", Then: Allow}}, use("pay", "write", `{"amount":100.01}`), Deny, "default"},
		{"large numbers keep their digits", []Rule{{On: tools("pay"), When: "args.id == 9007199254740993", Then: Allow}}, use("pay", "write", `{"id":9007199254740992}`), Deny, "default"},
		{"a missing argument", []Rule{{On: tools("pay"), When: "args.amount <= 100", Then: Allow}}, use("pay", "write", `{}`), Deny, "rule 1"},
		{"an argument of another type", []Rule{{On: tools("pay"), When: "args.amount <= 100", Then: Allow}}, use("pay", "write", `{"amount":"1"}`), Deny, "rule 1"},
		{"a failing deny denies", []Rule{allowPay, {On: tools("pay"), When: "args.to == 'x'", Then: Deny}}, use("pay", "write", `{}`), Deny, "rule 2"},
		{"a failing rule denies what another allows", []Rule{allowPay, {On: tools("pay"), When: "scope.stream == '42'", Then: Allow}}, use("pay", "write", `{}`), Deny, "rule 2"},
		{"whatever their order", []Rule{{On: tools("pay"), When: "scope.stream == '42'", Then: Allow}, allowPay}, use("pay", "write", `{}`), Deny, "rule 1"},
		{"and what another asks about", []Rule{{On: tools("pay"), Then: Ask}, {On: tools("pay"), When: "scope.stream == '42'", Then: Allow}}, use("pay", "write", `{}`), Deny, "rule 2"},
		{"a duplicate argument", []Rule{{On: tools("pay"), When: "args.amount <= 100", Then: Allow}}, use("pay", "write", `{"amount":1,"amount":1000}`), Deny, "rule 1"},
		{"a number beyond all", []Rule{{On: tools("pay"), When: "args.amount > 100", Then: Allow}}, use("pay", "write", `{"amount":1e999}`), Deny, "rule 1"},
		{"scope, page, taint and principal", []Rule{{On: tools("pay"), When: "scope.stream == '42' && page.startsWith('streams/') && tainted && principal.subject == 'ann' && 'editor' in principal.roles && principal.tenant == 'acme'",
			Then: Allow}}, scoped, Allow, "rule 1"},
		{"offered although a condition is open", []Rule{{On: tools("pay"), When: "args.amount <= 100", Then: Allow}}, offer, Allow, "rule 1"},
		{"offered although a refusal is open", []Rule{allowPay, {On: tools("pay"), When: "args.amount > 100", Then: Deny}}, offer, Allow, "rule 1"},
		{"not offered: the condition is false anyway", []Rule{{On: tools("pay"), When: "tainted && args.amount <= 100", Then: Allow}}, offer, Deny, "default"},
		{"not offered: the refusal holds anyway", []Rule{allowPay, {On: tools("pay"), When: "!tainted || args.amount > 100", Then: Deny}}, offer, Deny, "rule 2"},
		{"a verb", []Rule{{On: map[Kind][]string{Instructions: {"*"}}, Verbs: []Verb{Read}, Then: Allow}}, Question{Kind: Instructions, Name: "stream", Verb: Write}, Deny, "default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Decide(t.Context(), rulesOf(t, c.rules...), c.q); got.Decision != c.want || got.Rule != c.rule {
				t.Errorf("it is %s by %q (%s, %v), not %s by %q", got.Decision, got.Rule, got.Reason, got.Err, c.want, c.rule)
			}
		})
	}
}

func TestRuleErrors(t *testing.T) {
	for _, c := range []struct {
		rule   Rule
		field  string
		column int
		reason string
	}{
		{Rule{On: tools("a"), Then: "maybe"}, "Then", 0, "must be allow, ask or deny"},
		{Rule{Then: Allow}, "On", 0, "what the rule is about"},
		{Rule{On: map[Kind][]string{"cat": {"*"}}, Then: Allow}, "On", 0, `no kind "cat"`},
		{Rule{On: tools(), Then: Allow}, "On", 0, "has no name"},
		{Rule{On: map[Kind][]string{Page: {"*"}}, Then: Ask}, "On", 0, "only tools and actions"},
		{Rule{On: tools("a"), Then: Allow, Allowances: true}, "Allowances", 0, "goes with ask"},
		{Rule{On: tools("a"), Then: Allow, Verbs: []Verb{"eat"}}, "Verbs", 0, `no verb "eat"`},
		{Rule{On: tools("a"), Then: Allow, When: "scope.stream == 42"}, "When", 14, "no matching overload"},
		{Rule{On: tools("a"), Then: Allow, When: "principal.sbject == 'x'"}, "When", 1, "undeclared reference"},
		{Rule{On: tools("a"), Then: Allow, When: "tainted &&"}, "When", 11, "Syntax error"},
		{Rule{On: tools("a"), Then: Allow, When: "page"}, "When", 0, "must be true or false, not string"},
		{Rule{On: tools("a"), Then: Allow, When: "args.a.all(x, args.b.all(y, args.c.all(z, x + y == z)))"}, "When", 0, "loops inside loops"},
		{Rule{On: tools("a"), Then: Allow, When: strings.Repeat("tainted || ", 200) + "tainted"}, "When", 0, "size exceeds"},
	} {
		_, err := NewRules(condition.Compile, Rule{On: tools("ok"), Then: Allow}, c.rule)
		e, ok := errors.AsType[*RuleError](err)
		if !ok || e.Index != 1 || e.Field != c.field || e.Column != c.column || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%+v: %v (%+v)", c.rule, err, e)
		}
	}
}

// Conditions are never left out: rules that have some need what compiles them.
func TestConditionsNeedACompiler(t *testing.T) {
	_, err := NewRules(nil, Rule{On: tools("pay"), When: "tainted", Then: Deny})
	if e, ok := errors.AsType[*RuleError](err); !ok || e.Field != "When" || !strings.Contains(e.Reason, "policy/condition") {
		t.Errorf("%v", err)
	}
}

// What a question holds cannot make a condition run for long, and exceeding the limit is a refusal.
func TestCostIsBounded(t *testing.T) {
	r := rulesOf(t, Rule{On: tools("pay"), When: "args.items.all(x, x < 10)", Then: Allow})
	if got := Decide(t.Context(), r, use("pay", "write", `{"items":[1,2,3]}`)); got.Decision != Allow {
		t.Fatalf("a small list: %+v", got)
	}
	long := `{"items":[` + strings.TrimSuffix(strings.Repeat("1,", 100_000), ",") + `]}`
	got := Decide(t.Context(), r, use("pay", "write", long))
	// On a slow machine the time is up first.
	if got.Decision != Deny || got.Err == nil || !strings.Contains(got.Err.Error(), "cost limit") && !errors.Is(got.Err, context.DeadlineExceeded) {
		t.Errorf("a list that costs too much: %+v", got)
	}
}

func TestEndedContextDenies(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := rulesOf(t, Rule{On: tools("pay"), When: "!tainted", Then: Allow})
	must.Be(t, Decide(ctx, r, use("pay", "write", `{}`)).Decision, Deny, "after the end")
}

func TestDecideDeniesWhatItCannotUse(t *testing.T) {
	for name, b := range map[string]Func{
		"an error": func(context.Context, Question) (Answer, error) {
			return Answer{Decision: Allow}, errors.New("no connection")
		},
		"a panic":                   func(context.Context, Question) (Answer, error) { panic("no") },
		"no decision":               func(context.Context, Question) (Answer, error) { return Answer{}, nil },
		"an unknown decision":       func(context.Context, Question) (Answer, error) { return Answer{Decision: "sure"}, nil },
		"a question about an agent": func(context.Context, Question) (Answer, error) { return Answer{Decision: Ask}, nil },
	} {
		if got := Decide(t.Context(), b, Question{Kind: Agent}); got.Decision != Deny || got.Reason != "the policy failed" || got.Err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	must.Be(t, Decide(t.Context(), nil, Question{Kind: Tool}).Decision, Allow, "without an authorizer")
}

var (
	genRule = rapid.Custom(func(t *rapid.T) Rule {
		r := Rule{
			On:   map[Kind][]string{rapid.SampledFrom([]Kind{Tool, Action}).Draw(t, "kind"): {rapid.SampledFrom([]string{"*", "a", "b*", "*c"}).Draw(t, "name")}},
			Then: rapid.SampledFrom([]Decision{Allow, Ask, Deny}).Draw(t, "then"),
			When: rapid.SampledFrom([]string{"", "tainted", "!tainted", "args.n > 3", "args.n == 3 || tainted", "scope.s == '1'"}).Draw(t, "when"),
		}
		if rapid.Bool().Draw(t, "roles?") {
			r.Roles = []string{rapid.SampledFrom([]string{"x", "y"}).Draw(t, "role")}
		}
		r.Allowances = r.Then == Ask && rapid.Bool().Draw(t, "allowances")
		return r
	})
	genQuestion = rapid.Custom(func(t *rapid.T) Question {
		q := Question{
			Kind: rapid.SampledFrom([]Kind{Tool, Action}).Draw(t, "kind"), Name: rapid.SampledFrom([]string{"a", "b", "bc"}).Draw(t, "name"),
			Verb: rapid.SampledFrom([]Verb{Offer, Use}).Draw(t, "verb"), Effect: rapid.SampledFrom([]string{"read", "write"}).Draw(t, "effect"), Tainted: rapid.Bool().Draw(t, "tainted"),
			Principal: auth.Principal{Roles: rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y"}), 0, 2).Draw(t, "roles")},
			Scope:     rapid.SampledFrom([]map[string]string{nil, {"s": "1"}, {"s": "2"}}).Draw(t, "scope"),
		}
		if q.Verb == Use {
			q.Args = json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"n":3}`, `{"n":4}`, `{"n":"x"}`}).Draw(t, "args"))
		}
		return q
	})
)

func draw(t *rapid.T, list []Rule, q Question) Answer {
	r := must.Get(NewRules(condition.Compile, list...))(t)
	return Decide(context.Background(), r, q)
}

// Adding a rule that denies never widens what is allowed, wherever it is added.
func TestDenyNeverWidens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, q := rapid.SliceOfN(genRule, 0, 5).Draw(t, "rules"), genQuestion.Draw(t, "question")
		deny := genRule.Draw(t, "deny")
		deny.Then, deny.Allowances = Deny, false
		at := rapid.IntRange(0, len(list)).Draw(t, "at")
		more := append(append(append([]Rule{}, list[:at]...), deny), list[at:]...)
		before, after := draw(t, list, q), draw(t, more, q)
		if Strictest(after, before) != after {
			t.Fatalf("%+v became %+v", before, after)
		}
	})
}

// The order of rules does not matter.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, q := rapid.SliceOfN(genRule, 2, 5).Draw(t, "rules"), genQuestion.Draw(t, "question")
		a, b := draw(t, list, q), draw(t, rapid.Permutation(list).Draw(t, "shuffled"), q)
		if a.Decision != b.Decision || a.Allowances != b.Allowances {
			t.Fatalf("%+v became %+v", a, b)
		}
	})
}

// A call that is allowed or asked about was offered: no tool appears from nowhere.
func TestUseIsOffered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, q := rapid.SliceOfN(genRule, 0, 5).Draw(t, "rules"), genQuestion.Draw(t, "question")
		q.Verb, q.Args = Use, json.RawMessage(`{"n":4}`)
		offer := q
		offer.Verb, offer.Args = Offer, nil
		if draw(t, list, q).Decision != Deny && draw(t, list, offer).Decision == Deny {
			t.Fatal("it can be used and is not offered")
		}
	})
}

func BenchmarkAuthorize(b *testing.B) {
	r, err := NewRules(condition.Compile,
		Rule{Roles: []string{"admin"}, On: tools("*"), Then: Allow}, Rule{On: tools("crm__*"), Then: Deny}, Rule{Roles: []string{"editor"}, On: tools("docs_*"), Then: Allow},
		Rule{Roles: []string{"editor"}, On: tools("pay"), When: "args.amount <= 100 && scope.stream == '42'", Then: Allow})
	must.Do(b, err)
	condition := use("pay", "write", `{"amount":12.5,"to":"acct-1"}`)
	condition.Scope = map[string]string{"stream": "42"}
	for _, c := range []struct {
		name string
		q    Question
	}{{"default", use("find", "read", `{"q":"x"}`)}, {"name", use("docs_save", "write", `{}`)}, {"condition", condition}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := Decide(b.Context(), r, c.q); got.Decision != Allow {
					b.Fatal(got)
				}
			}
		})
	}
}
