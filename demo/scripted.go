package demo

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pageside/pageside/demo/ask"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
)

var (
	//go:embed script.yaml
	scriptRules []byte
	//go:embed fallback.yaml
	fallbackRule []byte
)

// Scripted is the model that answers where no real one is configured: questions about the log that
// package ask reads, and those that the rules of script.yaml and of Research know. All others it
// refuses.
type Scripted struct {
	log, library *script.Model // what one application knows would be wrong in the other
}

// NewScripted reads the rules.
func NewScripted() (*Scripted, error) {
	head, ofLog, _ := bytes.Cut(scriptRules, []byte("\nrules:\n"))
	parse := func(rules []byte) (*script.Model, error) {
		return script.Parse("demo", slices.Concat(head, []byte("\nrules:\n"), askedRules, rules, fallbackRule))
	}
	log, err := parse(ofLog)
	if err != nil {
		return nil, err
	}
	library, err := parse(research.ScriptRules())
	return &Scripted{log, library}, err
}

// WithPace returns the model with another wait between two words.
func (s *Scripted) WithPace(pace time.Duration) *Scripted {
	return &Scripted{s.log.WithPace(pace), s.library.WithPace(pace)}
}

// Info says what the model is.
func (s *Scripted) Info() llm.Info { return s.log.Info() }

// Connectable returns the pages with the action of the scripted model's refusals, which opens the
// page's dialog that connects a model. A real model must not be told of it: it would suggest
// another one.
func Connectable(pages []page.Page) []page.Page {
	action := page.Action{Name: "connect_model", Description: "connects a model", Handler: page.HandlerClient}
	all := slices.Clone(pages)
	for i := range all {
		all[i].Actions = append(slices.Clip(all[i].Actions), action)
	}
	return all
}

// Stream answers by the rules, which are told what is asked.
func (s *Scripted) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	asked := script.ReadRequest(req)
	rules, ofLog := s.log, true
	if asked.Value("Research: library") != nil {
		rules, ofLog = s.library, false
	}
	if item := understood(req, asked, ofLog); item != nil {
		rules = rules.WithContext(script.Item{Description: "Asked", Value: item})
	}
	return research.Scripted(rules).Stream(ctx, req)
}

// understood is what Go makes of a question; nil is nothing.
func understood(req *llm.Request, asked script.Asked, ofLog bool) object {
	if question, ok := titled(req, asked.Text); ok {
		return object{"answer": titleOf(question)}
	}
	if fileRe.MatchString(asked.Text) {
		return object{"answer": aboutFiles(asked.Files)}
	}
	q, ok := ask.Read(asked.Text)
	if !ok || !ofLog {
		return nil
	}
	page, _ := asked.Value("Discover: query and results").(object)
	item := (&question{asked, q, page}).item()
	if lacks := missing(item, req.Tools); lacks != "" && len(asked.Calls) == 0 && req.Choice != llm.ChoiceNone {
		return object{"answer": lacks}
	}
	return item
}

// fileRe are questions about an attachment, in the words that people use.
var fileRe = regexp.MustCompile(`(?i)^\W*(?:please )?(?:what(?:'s| is| does it say)? in|read|summari[sz]e|show|explain|what does)(?: me)? (?:this|the|that|my) (?:file|attachment|note|document)(?: say)?\W*$`)

// aboutFiles answers a question about attachments with their beginning.
func aboutFiles(files []llm.Media) string {
	const most = 12
	var out strings.Builder
	for _, f := range files {
		data, err := base64.StdEncoding.DecodeString(f.Data)
		if err != nil || !utf8.Valid(data) || len(data) == 0 {
			fmt.Fprintf(&out, "I cannot read **%s**: it is no text.\n", f.Name)
			continue
		}
		fmt.Fprintf(&out, "**%s** says:\n\n", f.Name)
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		for _, line := range lines[:min(len(lines), most)] {
			out.WriteString("> " + line + "\n")
		}
		if len(lines) > most {
			fmt.Fprintf(&out, "\n… and %d more lines.\n", len(lines)-most)
		}
	}
	if len(files) == 0 {
		return "No file is attached to this question."
	}
	return out.String()
}

// titled returns the question of the server's request for a thread's title: it shows the thread as
// text, and offers no tools.
func titled(req *llm.Request, text string) (string, bool) {
	question, ok := strings.CutPrefix(text, "user: ")
	question, _, _ = strings.Cut(question, "\n")
	return question, ok && len(req.Tools) == 0 && strings.Trim(question, " ?!.") != "" &&
		slices.ContainsFunc(req.System, func(b llm.Block) bool { return strings.HasPrefix(b.Text, "You name conversations") })
}

var politeRe = regexp.MustCompile(`(?i)^(?:please |can you |could you |show me |tell me )+`)

// titleOf names a question in its own words.
func titleOf(question string) string {
	title := politeRe.ReplaceAllString(strings.Trim(question, " ?!."), "")
	if title == "" {
		return question
	}
	return strings.ToUpper(title[:1]) + title[1:]
}
