// Package must has what every package's tests do with errors that must not come: it ends the test.
//
//	page := must.Get(store.Threads(ctx, owner, query))(t)
//	must.Do(t, os.Remove(name))
//
// What a test is about is checked by the test itself, with words of its own.
package must

import "errors"

// T is what is needed of a test: any testing.TB, or a *rapid.T.
type T interface {
	Helper()
	Fatal(args ...any)
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
