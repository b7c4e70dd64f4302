package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	goTest  = regexp.MustCompile(`_test\.go$|^test/|(^|/)(storetest|llmtest|protocoltest|demotest|leaktest|egresstest|oidctest)/`)
	webTest = regexp.MustCompile(`\.test\.|/test/|/dev/|^web/(conformance|clients|compat|scripts)/|gallery`)
	webCode = regexp.MustCompile(`\.(ts|tsx|mjs|css)$`)
	beside  = regexp.MustCompile(`^(bench|examples|docs)/`)
)

// kindOf returns what a file's lines count as; "" if they do not count.
func kindOf(name string) string {
	isGo := strings.HasSuffix(name, ".go")
	switch {
	case isGo && beside.MatchString(name):
		return ""
	case isGo && goTest.MatchString(name):
		return "lines of Go tests"
	case isGo && strings.HasPrefix(name, "demo/"):
		return "lines of the demo's Go"
	case isGo:
		return "lines of Go"
	case strings.HasPrefix(name, "docs/") && strings.HasSuffix(name, ".md"):
		return "words of docs"
	case !strings.HasPrefix(name, "web/") || !webCode.MatchString(name):
		return ""
	case webTest.MatchString(name):
		return "lines of web tests"
	case strings.HasPrefix(name, "web/packages/"):
		return "lines of web"
	}
	return ""
}

func count(files []string) (map[string]int, error) {
	sums := map[string]int{}
	for _, name := range files {
		kind := kindOf(name)
		if kind == "" {
			continue
		}
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			return nil, fmt.Errorf("counting: %w", err)
		}
		switch kind {
		case "words of docs":
			sums[kind] += len(bytes.Fields(text))
		case "lines of Go":
			sums["lines of Go over 120 columns"] += wide(string(text))
			fallthrough
		default:
			sums[kind] += bytes.Count(text, []byte("\n"))
		}
	}
	return sums, nil
}

// wide returns how many lines have more than 120 columns, a tab counting as four.
func wide(text string) (n int) {
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n"))+3*strings.Count(line, "\t") > 120 {
			n++
		}
	}
	return n
}
