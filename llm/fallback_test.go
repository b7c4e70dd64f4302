package llm_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// fake is a model that plays one answer per call; the last one for ever.
type fake struct {
	info    llm.Info
	answers []fakeAnswer
	calls   int
}

type fakeAnswer struct {
	parts []llm.Part
	err   error
}

func (f *fake) Info() llm.Info { return f.info }

func (f *fake) Stream(context.Context, *llm.Request) iter.Seq2[llm.Part, error] {
	a := f.answers[min(f.calls, len(f.answers)-1)]
	f.calls++
	return func(yield func(llm.Part, error) bool) {
		for _, p := range a.parts {
			if !yield(p, nil) {
				return
			}
		}
		if a.err != nil {
			yield(llm.Part{}, a.err)
		}
	}
}

func named(model string, answers ...fakeAnswer) *fake {
	return &fake{info: llm.Info{Provider: "p", Model: model, Tools: true}, answers: answers}
}

func says(text string) fakeAnswer {
	return fakeAnswer{parts: []llm.Part{
		{Kind: llm.TextDelta, Delta: text}, {Kind: llm.Pause}, {Kind: llm.UsagePart, Usage: &llm.Usage{Input: new(int64(7))}}, {Kind: llm.FinishPart, Finish: llm.FinishStop},
	}}
}

func fails(kind llm.ErrorKind, after time.Duration) fakeAnswer {
	return fakeAnswer{err: &llm.Error{Kind: kind, Model: "p/x", Message: "it is " + string(kind), RetryAfter: after}}
}

// talk makes one call and returns the text, the model of the usage part, and the error.
func talk(t *testing.T, m llm.Model) (text, answerer string, failure *llm.Error) {
	t.Helper()
	for p, err := range m.Stream(t.Context(), &llm.Request{}) {
		if err != nil {
			if !errors.As(err, &failure) {
				t.Fatalf("error of type %T", err)
			}
			return text, answerer, failure
		}
		text += p.Delta
		if p.Kind == llm.UsagePart {
			answerer = p.Model
		}
	}
	return text, answerer, nil
}

func fallback(t *testing.T, models ...llm.Model) llm.Model {
	t.Helper()
	return must.Get(llm.Fallback(nil, models[0], models[1:]...))(t)
}

func TestFallbackAsksTheNextOnlyWhereThatMayHelp(t *testing.T) {
	for kind, next := range map[llm.ErrorKind]bool{
		llm.KindAuth: true, llm.KindRateLimited: true, llm.KindOverloaded: true, llm.KindStalled: true, llm.KindNetwork: true,
		llm.KindProtocol: true, llm.KindBadRequest: true, llm.KindContextFull: true, llm.KindOutputLimit: false, llm.KindCancelled: false,
	} {
		b := named("b", says("hi"))
		text, answerer, err := talk(t, fallback(t, named("a", fails(kind, 0)), b))
		if next && (text != "hi" || answerer != "p/b" || err != nil) {
			t.Errorf("%s: %q by %q, %v", kind, text, answerer, err)
		}
		if !next && (b.calls > 0 || err == nil || err.Kind != kind) {
			t.Errorf("%s: b was asked %d times, %v", kind, b.calls, err)
		}
	}
}

func TestFallbackNeverSaysAnewWhatWasHeard(t *testing.T) {
	half := fakeAnswer{parts: []llm.Part{{Kind: llm.TextDelta, Delta: "Hel"}}, err: &llm.Error{Kind: llm.KindNetwork}}
	b := named("b", says("hi"))
	text, _, err := talk(t, fallback(t, named("a", half), b))
	if text != "Hel" || err == nil || err.Kind != llm.KindNetwork || b.calls > 0 {
		t.Errorf("%q, %v, b asked %d times", text, err, b.calls)
	}
	// What only the bill shows is not heard.
	billed := fakeAnswer{parts: []llm.Part{{Kind: llm.Pause}, {Kind: llm.UsagePart, Usage: &llm.Usage{}}}, err: &llm.Error{Kind: llm.KindOverloaded}}
	if text, _, err := talk(t, fallback(t, named("a", billed), named("b", says("hi")))); text != "hi" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestFallbackFirstAnswers(t *testing.T) {
	b := named("b", says("no"))
	text, answerer, err := talk(t, fallback(t, named("a", says("yes")), b))
	if text != "yes" || answerer != "" || err != nil || b.calls != 0 {
		t.Errorf("%q by %q, %v, b asked %d times", text, answerer, err, b.calls)
	}
}

func TestFallbackLeavingTheLoopAsksNobodyElse(t *testing.T) {
	b := named("b", says("no"))
	for range fallback(t, named("a", says("yes")), b).Stream(t.Context(), &llm.Request{}) {
		break
	}
	must.Be(t, b.calls, 0, "calls of b")
}

func TestFallbackCancelledAsksNobodyElse(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := named("b", says("no"))
	for _, err := range fallback(t, named("a", fails(llm.KindNetwork, 0)), b).Stream(ctx, &llm.Request{}) {
		if err == nil {
			t.Error("a part")
		}
	}
	must.Be(t, b.calls, 0, "calls of b")
}

func TestFallbackErrorNamesAllTried(t *testing.T) {
	for _, tc := range []struct {
		name  string
		a, b  fakeAnswer
		kind  llm.ErrorKind
		after time.Duration
	}{
		{"soonest", fails(llm.KindRateLimited, time.Minute), fails(llm.KindOverloaded, 2*time.Second), llm.KindOverloaded, 2 * time.Second},
		{"one may recover", fails(llm.KindAuth, 0), fails(llm.KindRateLimited, time.Second), llm.KindRateLimited, time.Second},
		{"shorter helps", fails(llm.KindContextFull, 0), fails(llm.KindRateLimited, time.Second), llm.KindContextFull, 0},
		{"nothing helps", fails(llm.KindAuth, 0), fails(llm.KindBadRequest, 0), llm.KindAuth, 0},
	} {
		_, _, err := talk(t, fallback(t, named("a", tc.a), named("b", tc.b)))
		if err == nil || err.Kind != tc.kind || err.RetryAfter != tc.after || err.Model != "p/a" {
			t.Errorf("%s: %+v", tc.name, err)
			continue
		}
		first, second := tc.a.err.(*llm.Error), tc.b.err.(*llm.Error)
		if want := "no model answered: p/x: " + first.Message + "; p/x: " + second.Message; err.Message != want || !errors.Is(err, first) {
			t.Errorf("%s: %q, want %q", tc.name, err.Message, want)
		}
	}
}

func TestFallbackAsksOnlyLargerWindowsWhenTheContextIsFull(t *testing.T) {
	a, b, c := named("a", fails(llm.KindContextFull, 0)), named("b", says("no")), named("c", says("yes"))
	a.info.ContextWindow, b.info.ContextWindow, c.info.ContextWindow = 200, 100, 1000
	if text, answerer, err := talk(t, fallback(t, a, b, c)); text != "yes" || answerer != "p/c" || err != nil || b.calls > 0 {
		t.Errorf("%q by %q, %v, b asked %d times", text, answerer, err, b.calls)
	}
}

// A first model that rate-limits costs no wait, is left alone for as long as it asked, and is the
// first again after that.
func TestFallbackKeepsToWhatAProviderAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := named("a", fails(llm.KindRateLimited, 20*time.Second), says("a is back"))
		b := named("b", says("b"))
		m, start := fallback(t, a, b), time.Now()
		for range 3 {
			if text, _, err := talk(t, m); text != "b" || err != nil {
				t.Fatalf("%q, %v", text, err)
			}
		}
		if time.Since(start) > 0 || a.calls != 1 {
			t.Errorf("it took %v, and a was asked %d times", time.Since(start), a.calls)
		}
		time.Sleep(20 * time.Second)
		if text, answerer, _ := talk(t, m); text != "a is back" || answerer != "" {
			t.Errorf("%q by %q", text, answerer)
		}
	})
}

func TestFallbackAllResting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := named("a", fails(llm.KindRateLimited, time.Minute)), named("b", fails(llm.KindRateLimited, 10*time.Second))
		m := fallback(t, a, b)
		talk(t, m)
		time.Sleep(4 * time.Second)
		_, _, err := talk(t, m)
		if err == nil || err.RetryAfter != 6*time.Second || a.calls != 1 || b.calls != 1 {
			t.Errorf("%+v; asked %d and %d times", err, a.calls, b.calls)
		}
	})
}

// A first model that hangs costs its time limit once, not with every call; it is still asked where
// the others fail.
func TestFallbackAsksAModelThatFailedLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := named("a", fails(llm.KindStalled, 0), says("a"))
		b := named("b", says("b"), says("b"), fails(llm.KindNetwork, 0))
		m := fallback(t, a, b)
		for _, want := range []string{"b", "b", "a"} {
			if text, _, err := talk(t, m); text != want || err != nil {
				t.Fatalf("%q, %v, want %q", text, err, want)
			}
		}
		if a.calls != 2 || b.calls != 3 {
			t.Errorf("asked %d and %d times", a.calls, b.calls)
		}
	})
}

func TestFallbackRefusesScriptedModels(t *testing.T) {
	scripted := named("demo")
	scripted.info.Scripted = true
	if _, err := llm.Fallback(nil, named("a"), scripted); err == nil || !strings.Contains(err.Error(), "p/demo plays a script") {
		t.Errorf("got %v", err)
	}
	must.Be(t, must.Err(llm.Fallback(nil, scripted, named("a", says("x")))), nil, "a scripted first model")
	if _, err := llm.Fallback(nil, nil); err == nil {
		t.Error("no model passes")
	}
	if _, err := llm.Fallback(nil, named("a"), nil); err == nil {
		t.Error("a nil model passes")
	}
}

func TestFallbackInfoIsWhatAllShare(t *testing.T) {
	a, b := named("a"), named("b")
	a.info = llm.Info{Provider: "p", Model: "a", ContextWindow: 200, Tools: true, ParallelTools: true, Images: true, Reasoning: true, StrictTools: true, Payloads: llm.PayloadTool, Prices: llm.Prices{Input: 1}}
	b.info = llm.Info{Provider: "q", Model: "b", ContextWindow: 100, Tools: true, Images: true}
	c := named("c")
	c.info = llm.Info{Provider: "q", Model: "c", Tools: true}
	want := llm.Info{Provider: "p", Model: "a", ContextWindow: 100, Tools: true, Payloads: llm.PayloadMarker, Prices: llm.Prices{Input: 1}}
	m := fallback(t, a, b, c)
	if got := m.Info(); got != want {
		t.Errorf("got %+v", got)
	}
	names := ""
	for _, i := range llm.Answerers(fallback(t, c, m)) {
		names += i.Name() + " "
	}
	if names != "q/c p/a q/b q/c " {
		t.Errorf("got %q", names)
	}
}

func TestFallbackLogsTheSwitchAndNoSecrets(t *testing.T) {
	var log bytes.Buffer
	m, err := llm.Fallback(slog.New(slog.NewTextHandler(&log, nil)), named("a", fails(llm.KindRateLimited, 0)), named("b", says("x")))
	must.Do(t, err)
	talk(t, m)
	for _, want := range []string{"level=WARN", "from=p/a", "to=p/b", "kind=rate_limited"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in %s", want, log.String())
		}
	}
}
