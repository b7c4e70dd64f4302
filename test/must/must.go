// Package must has what tests of every package do. Do, Get and JSON end a test in which something
// goes wrong that it is not about; the others fail it, and it goes on.
//
//	page := must.Get(s.Threads(ctx, owner, query))(t)
//	must.Be(t, len(page.Items), 2, "threads of %s", owner.Subject)
package must

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// T is what is needed of a test: any testing.TB, or a *rapid.T.
type T interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// Do ends the test if there is an error.
func Do(t T, errs ...error) {
	if err := errors.Join(errs...); err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Get takes what a call returns. The function that it gives ends the test if that is an error, and
// returns the value otherwise.
func Get[V any](v V, err error) func(T) V {
	return func(t T) V {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return v
	}
}

// JSON decodes a document into a value of its own.
func JSON[V any, D ~string | ~[]byte](t T, doc D) (v V) {
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Helper()
		t.Fatal(fmt.Sprintf("%s: %v", doc, err))
	}
	return v
}

// Be fails the test if a value is not the one that is wanted. what says of which one the test
// speaks, and is a format of package fmt.
func Be[V comparable](t T, got, want V, what string, args ...any) {
	if got != want {
		t.Helper()
		t.Errorf("%s: got %s, want %s", fmt.Sprintf(what, args...), shown(got), shown(want))
	}
}

// Have is Be for a text that must have another one in it.
func Have(t T, got, want, what string, args ...any) {
	if !strings.Contains(got, want) {
		t.Helper()
		t.Errorf("%s: got %s, want in it %s", fmt.Sprintf(what, args...), shown(got), shown(want))
	}
}

// Lack fails the test if a text has another one in it.
func Lack(t T, got, unwanted, what string, args ...any) {
	if strings.Contains(got, unwanted) {
		t.Helper()
		t.Errorf("%s: got %s, want not in it %s", fmt.Sprintf(what, args...), shown(got), shown(unwanted))
	}
}

// Same is Be for values that == does not compare, or not by what they hold.
func Same[V any](t T, got, want V, what string, args ...any) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %s, want %s", fmt.Sprintf(what, args...), shown(got), shown(want))
	}
}

// Text is what an error says, and empty without one.
func Text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Err returns the error of a call whose value does not count.
func Err[V any](_ V, err error) error { return err }

// Fail fails the test unless there is an error that says a text.
func Fail(t T, err error, says, what string, args ...any) {
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Helper()
		t.Errorf("%s: the error is %v, want that it says %q", fmt.Sprintf(what, args...), err, says)
	}
}

// FailWith fails the test unless errors.Is finds an error in one.
func FailWith(t T, err, want error, what string, args ...any) {
	if !errors.Is(err, want) {
		t.Helper()
		t.Errorf("%s: the error is %v, want %v", fmt.Sprintf(what, args...), err, want)
	}
}

// shown quotes a text of one line, so that blanks show, and puts a longer one on lines of its own.
func shown(v any) string {
	text := fmt.Sprint(v)
	if strings.Contains(text, "\n") {
		return "\n" + text + "\n"
	}
	if _, ok := v.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return text
}
