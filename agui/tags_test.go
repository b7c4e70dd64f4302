package agui

import (
	"reflect"
	"testing"
)

// A tag that says what nobody knows is found at the first use of its type, not by a client.
func TestTagsAreKnown(t *testing.T) {
	for _, o := range []any{
		struct {
			A string `agui:"a,requird"`
		}{},
		struct {
			A string `agui:"a,object"`
		}{},
		struct {
			A *int64 `agui:"a,parts"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T is taken", o)
				}
			}()
			readTags(reflect.TypeOf(o))
		}()
	}
}
