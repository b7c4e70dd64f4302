package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/base64"
	"encoding/json"
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
	log, library *script.Model // rules; what one application knows would be wrong in the other
	pace         time.Duration // between two words
}

// NewScripted reads the rules.
func NewScripted() (*Scripted, error) {
	const between = "\nrules:\n"
	head, _, _ := bytes.Cut(scriptRules, []byte(between))
	log, err := script.Parse("demo", slices.Concat(scriptRules, fallbackRule))
	if err != nil {
		return nil, err
	}
	library, err := script.Parse("demo", slices.Concat(head, []byte(between), research.ScriptRules(), fallbackRule))
	return &Scripted{log: log, library: library, pace: 14 * time.Millisecond}, err
}

// WithPace returns the model with another wait between two words.
func (s *Scripted) WithPace(pace time.Duration) *Scripted {
	return &Scripted{s.log.WithPace(pace), s.library.WithPace(pace), pace}
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

// step is one answer of the model: text, or calls of tools.
type step struct {
	text  string
	calls []toolCall
}

type toolCall struct {
	name string
	args map[string]any
}

// Stream answers, or leaves it to the rules. An answer is ended by what began it.
func (s *Scripted) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	asked := script.ReadRequest(req)
	rules, begun := s.log, len(asked.Calls) > 0 && !strings.HasPrefix(asked.Calls[0].ID, askedID)
	if asked.Value("Research: library") != nil {
		rules, begun = s.library, true // package ask knows only the log
	}
	if question, ok := titled(req, asked.Text); ok {
		return s.play(ctx, step{text: titleOf(question)})
	}
	if fileRe.MatchString(asked.Text) {
		return s.play(ctx, step{text: aboutFiles(asked.Files)})
	}
	if q, ok := ask.Read(asked.Text); ok && !begun {
		return s.play(ctx, (&answer{asked, q}).next().within(req))
	}
	return research.Scripted(rules).Stream(ctx, req)
}

// within is the step, or an end where the request forbids its calls or does not offer them.
func (st step) within(req *llm.Request) step {
	for _, c := range st.calls {
		if req.Choice == llm.ChoiceNone {
			return step{text: "I stop here: the limit of steps for one answer is reached."}
		}
		if !slices.ContainsFunc(req.Tools, func(t llm.ToolDecl) bool { return t.Name == c.name }) {
			return step{text: fmt.Sprintf("This page has no tool for that (`%s`).", c.name)}
		}
	}
	return st
}

// askedID is what the ids of this model's calls begin with.
const askedID = "call_asked_"

var wordRe = regexp.MustCompile(`\s*\S+\s*`)

// play streams a step word by word.
func (s *Scripted) play(ctx context.Context, st step) iter.Seq2[llm.Part, error] {
	return func(yield func(llm.Part, error) bool) {
		for _, p := range st.parts() {
			if p.Kind == llm.TextDelta && s.pace > 0 {
				select {
				case <-ctx.Done():
					yield(llm.Part{}, &llm.Error{Kind: llm.KindCancelled, Model: s.Info().Name(), Message: "cancelled", Err: ctx.Err()})
					return
				case <-time.After(s.pace):
				}
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

func (st step) parts() (parts []llm.Part) {
	for _, word := range wordRe.FindAllString(strings.TrimSpace(st.text), -1) {
		parts = append(parts, llm.Part{Kind: llm.TextDelta, Delta: word})
	}
	finish := llm.FinishStop
	for i, c := range st.calls {
		args := &bytes.Buffer{}
		encoder := json.NewEncoder(args)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(c.args) // strings, numbers and what was JSON: it cannot fail
		finish = llm.FinishTools
		parts = append(parts,
			llm.Part{Kind: llm.ToolStart, Index: i + 1, ID: askedID + strings.ToLower(rand.Text()[:10]), Name: c.name},
			llm.Part{Kind: llm.ToolArgs, Index: i + 1, Delta: strings.TrimSpace(args.String())},
			llm.Part{Kind: llm.ToolEnd, Index: i + 1})
	}
	return append(parts, llm.Part{Kind: llm.FinishPart, Finish: finish})
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
