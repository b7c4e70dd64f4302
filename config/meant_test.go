package config

import (
	"reflect"
	"strings"
	"testing"
)

// Words of other products lead to keys that there are, and none stands in the way of a key.
func TestAliasesLeadSomewhere(t *testing.T) {
	types := map[string]reflect.Type{}
	collect(reflect.TypeFor[File](), types)
	for name, words := range aliases() {
		known := fields(types[name])
		for word, target := range words {
			if _, ok := known[target]; !ok {
				t.Errorf("%s.%s leads to %s, which is no key", name, word, target)
			}
			if word != spelling(word) {
				t.Errorf("%s.%s is not in the spelling that is looked up", name, word)
			}
			for key := range known {
				if spelling(key) == word {
					t.Errorf("%s.%s is a key", name, word)
				}
			}
		}
	}
}

// Whatever the type: a key with one letter wrong is recognised, an unlike one gets the list, and
// neither is taken for known.
func TestEveryTypeKnowsWhatWasMeant(t *testing.T) {
	types := map[string]reflect.Type{}
	collect(reflect.TypeFor[File](), types)
	none := func(string) bool { return false }
	for name, typ := range types {
		for key := range fields(typ) {
			for _, wrong := range []string{key + "x", strings.ToUpper(key), key[:1] + "_" + key[1:]} {
				if _, ok := fields(typ)[wrong]; ok {
					continue
				}
				if _, got := meantKey(wrong, name, keys(fields(typ)), none); got != "did you mean "+key+"?" && aliases()[name][spelling(wrong)] == "" {
					t.Errorf("%s.%s: %s", name, wrong, got)
				}
			}
		}
		if _, got := meantKey("qqqqqqqqqqqq", name, keys(fields(typ)), none); !strings.HasPrefix(got, "the keys here are ") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// collect finds the types of objects in a file, by name.
func collect(t reflect.Type, types map[string]reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || types[t.Name()] != nil {
		return
	}
	types[t.Name()] = t
	for _, field := range fields(t) {
		collect(field, types)
	}
}
