package main

import (
	"slices"
	"strings"
	"testing"
)

var long = strings.Repeat("word ", 20)

func TestGoComments(t *testing.T) {
	source := "package p\n\n// short\n// " + long + "\n" +
		"var a = 1 // " + long + "\nvar s = `// " + long + "`\n/* a\n" + long + long + "*/\n" +
		"//go:generate " + long + "\n// https://example.com/" + strings.Repeat("x", 100) + "\n"
	if got, want := goComments(source), []int{4, 5, 8}; !slices.Equal(got, want) {
		t.Errorf("too wide: lines %v, want %v", got, want)
	}
}

func TestScriptComments(t *testing.T) {
	source := "// " + long + "\n/**\n * " + long + "\n */\nconst s = \"" + long + long + "\";\n" +
		"// prettier-ignore " + long + "\n// short\n"
	if got, want := scriptComments(source), []int{1, 3}; !slices.Equal(got, want) {
		t.Errorf("too wide: lines %v, want %v", got, want)
	}
}
