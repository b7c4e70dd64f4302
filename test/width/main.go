// Width fails where a comment is wider than 100 columns, a tab counting as four: prose that wide
// is hard to read, and no formatter wraps it. It reads the Go and TypeScript files that git knows.
//
//	go run ./test/width
//
// Directives, comments of a single word (addresses) and linter instructions are let be.
package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"unicode/utf8"
)

const columns = 100

func main() {
	wide, err := check()
	if err != nil {
		fmt.Fprintln(os.Stderr, "width:", err)
		os.Exit(1)
	}
	for _, place := range wide {
		fmt.Println(place)
	}
	if len(wide) > 0 {
		fmt.Printf("%d lines of comments are wider than %d columns\n", len(wide), columns)
		os.Exit(1)
	}
}

func check() (wide []string, err error) {
	listed, err := exec.Command("git", "ls-files", "*.go", "*.ts", "*.tsx", "*.mjs", "*.css").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the files: %w", err)
	}
	for _, name := range strings.Fields(string(listed)) {
		source, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			return nil, err
		}
		lines := scriptComments
		if strings.HasSuffix(name, ".go") {
			lines = goComments
		}
		for _, n := range lines(string(source)) {
			wide = append(wide, fmt.Sprintf("%s:%d", name, n))
		}
	}
	return wide, nil
}

// goComments returns the numbers of the lines on which a comment of a Go file is too wide.
func goComments(source string) (wide []int) {
	lines := strings.Split(source, "\n")
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), nil, scanner.ScanComments)
	isOutput := false
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return wide
		}
		isOutput = isOutput && (tok == token.COMMENT || tok == token.SEMICOLON)
		if tok != token.COMMENT {
			continue
		}
		if strings.HasPrefix(text, "// Output:") {
			isOutput = true
		}
		if isOutput && strings.HasPrefix(text, "//") {
			continue // what an example prints
		}
		first := file.Line(pos)
		for i := range strings.Split(text, "\n") {
			if tooWide(lines[first-1+i], text) {
				wide = append(wide, first+i)
			}
		}
	}
}

var (
	scriptComment = regexp.MustCompile(`^\s*(//|/\*|\*)`)
	instruction   = regexp.MustCompile(`prettier-ignore|eslint-|@ts-`)
	// A rule of CSS in a string, or a private generator.
	inString = regexp.MustCompile(`^\s*\*(,|#)`)
)

// scriptComments is goComments for TypeScript, JavaScript and CSS: lines that are comments whole.
func scriptComments(source string) (wide []int) {
	for i, line := range strings.Split(source, "\n") {
		if scriptComment.MatchString(line) && tooWide(line, line) {
			wide = append(wide, i+1)
		}
	}
	return wide
}

func tooWide(line, comment string) bool {
	if utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) <= columns {
		return false
	}
	words := strings.Fields(comment)
	return len(words) > 2 && !inString.MatchString(comment) && !strings.HasPrefix(comment, "//go:") && !instruction.MatchString(comment)
}
