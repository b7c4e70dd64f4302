package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// event is a line of go test -json: see go doc test2json.
type event struct {
	Action, Package, Test, Output string
}

// reader prints the results of packages as each is through: one line where it passed, else what its
// failed tests said.
type reader struct {
	out      io.Writer
	packages map[string]*results
	skips    []skip
	failed   bool
}

// results are those of a package that is being tested.
type results struct {
	output []event           // of what has not passed yet, in order
	states map[string]string // pass, fail or skip, by test
}

func (r *reader) take(line []byte) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil || e.Action == "" {
		_, _ = r.out.Write(line) // not of a test: go itself says something
		return
	}
	if strings.HasPrefix(e.Action, "build-") {
		r.failed = r.failed || e.Action == "build-fail"
		fmt.Fprint(r.out, e.Output)
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &results{states: map[string]string{}}
		r.packages[e.Package] = p
	}
	switch e.Action {
	case "output":
		p.output = append(p.output, e)
	case "pass", "fail", "skip":
		r.end(p, e)
	}
}

// end takes the end of a test, or of its package.
func (r *reader) end(p *results, e event) {
	if e.Test == "" {
		r.failed = r.failed || e.Action == "fail"
		r.print(p, e.Action)
		delete(r.packages, e.Package)
		return
	}
	p.states[e.Test] = e.Action
	if e.Action == "fail" {
		r.failed = true
		return
	}
	if e.Action == "skip" {
		r.skips = append(r.skips, skip{e.Package, e.Test, p.reason(e.Test)})
	}
	p.output = slices.DeleteFunc(p.output, func(o event) bool { return o.Test == e.Test })
}

// progress is what only go test -v prints.
var progress = regexp.MustCompile(`^=== (RUN|PAUSE|CONT|NAME) `)

// print writes what go test writes of a package without -v.
func (r *reader) print(p *results, action string) {
	for _, o := range p.output {
		if progress.MatchString(o.Output) || action != "fail" && (o.Test != "" || o.Output == "PASS\n") {
			continue
		}
		fmt.Fprint(r.out, o.Output)
	}
}

// said is a line that a test logs: where, and what.
var said = regexp.MustCompile(`^\s*\S+\.go:\d+: (.*)`)

// reason is what the test said last before it was skipped.
func (p *results) reason(test string) string {
	for _, o := range slices.Backward(p.output) {
		if m := said.FindStringSubmatch(o.Output); o.Test == test && m != nil && m[1] != "" {
			return m[1]
		}
	}
	return "no reason given"
}
