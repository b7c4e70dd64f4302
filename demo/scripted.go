package demo

import (
	"bytes"
	"context"
	"crypto/rand"
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
	"github.com/pageside/pageside/demo/research/talk"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
)

// Scripted is the model that answers where no real one is configured: questions that packages ask
// and talk read, and those that the rules of script.yaml and of Research know. All others it
// refuses.
type Scripted struct {
	log, library *script.Model // rules; what one application knows would be wrong in the other
	pace         time.Duration // between two words
}

// NewScripted reads the rules.
func NewScripted() (*Scripted, error) {
	log, err := script.Parse("demo", scriptRules)
	if err != nil {
		return nil, err
	}
	library, err := script.Parse("demo", libraryRules())
	return &Scripted{log: log, library: library, pace: 14 * time.Millisecond}, err
}

// WithPace returns the model with another wait between two words.
func (s *Scripted) WithPace(pace time.Duration) *Scripted {
	return &Scripted{s.log.WithPace(pace), s.library.WithPace(pace), pace}
}

// Info says what the model is.
func (s *Scripted) Info() llm.Info { return s.log.Info() }

// step is one answer of the model: text, or calls of tools.
type step struct {
	text  string
	calls []toolCall
}

type toolCall struct {
	name string
	args map[string]any
}

// Stream answers, or leaves it to the rules.
func (s *Scripted) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	asked := script.ReadRequest(req)
	if title, ok := titleOf(req, asked.Text); ok {
		return s.play(ctx, step{text: title})
	}
	a := &answer{asked: asked, tools: req.Tools}
	if file, ok := a.file(); ok {
		return s.play(ctx, step{text: file})
	}
	if sentence, ok := ask.Foreign(asked.Text); ok && len(asked.Calls) == 0 && !formal(asked.Text, req) {
		return s.play(ctx, a.refuse(sentence))
	}
	// Rules that have begun an answer end it.
	begun := len(asked.Calls) > 0 && !strings.HasPrefix(asked.Calls[0].ID, askedID)
	if q, ok := ask.Read(asked.Text); ok && !begun && asked.Value("Research: library") == nil {
		a.q = q
		return s.play(ctx, a.within(req))
	}
	if st, ok := talk.Answer(asked, earlier(req)); ok && !begun && !formal(asked.Text, req) {
		return s.play(ctx, a.research(st, req))
	}
	rules := s.log
	if asked.Value("Research: library") != nil {
		rules = s.library
	}
	if !formal(asked.Text, req) && !rules.Knows(req) {
		return s.play(ctx, a.refuse(refusal))
	}
	return research.Scripted(rules).Stream(ctx, req)
}

// research is a step of Research, or an end where its calls are not allowed or not there.
func (a *answer) research(st talk.Step, req *llm.Request) step {
	next := step{text: st.Text}
	for _, c := range st.Calls {
		if !a.offered(c.Name) {
			return a.refuse(refusal)
		}
		next.calls = append(next.calls, toolCall{c.Name, c.Args})
	}
	if len(next.calls) > 0 && req.Choice == llm.ChoiceNone {
		return step{text: limitText}
	}
	return next
}

// earlier are the questions before the newest, the last one at the end.
func earlier(req *llm.Request) (questions []string) {
	until := len(req.Messages)
	for i := len(req.Messages) - 1; i >= 0 && len(questions) < 6; i-- {
		if req.Messages[i].Role != llm.RoleUser {
			continue
		}
		if text := script.ReadRequest(&llm.Request{Messages: req.Messages[i:until]}).Text; text != "" {
			questions = append(questions, text)
			until = i
		}
	}
	slices.Reverse(questions)
	return questions[:max(0, len(questions)-1)]
}

const limitText = "I stop here: the limit of steps for one answer is reached."

// within is the next step, or an end where the request forbids calls.
func (a *answer) within(req *llm.Request) step {
	if next := a.next(); len(next.calls) == 0 || req.Choice != llm.ChoiceNone {
		return next
	}
	return step{text: limitText}
}

// formal reports whether a program asks: for suggestions, a title or verdicts on rows.
func formal(text string, req *llm.Request) bool {
	return strings.HasPrefix(text, "Suggest ") || len(req.Tools) == 1 && req.Choice != llm.ChoiceNone && research.Judges(req.Tools[0].Name)
}

// askedID is what the ids of this model's calls begin with.
const askedID = "call_asked_"

var wordRe = regexp.MustCompile(`\s*\S+\s*`)

// play streams a step word by word.
func (s *Scripted) play(ctx context.Context, st step) iter.Seq2[llm.Part, error] {
	return func(yield func(llm.Part, error) bool) {
		finish := llm.FinishStop
		parts := []llm.Part{}
		for _, word := range wordRe.FindAllString(strings.TrimSpace(st.text), -1) {
			parts = append(parts, llm.Part{Kind: llm.TextDelta, Delta: word})
		}
		for i, c := range st.calls {
			args := &bytes.Buffer{}
			encoder := json.NewEncoder(args)
			encoder.SetEscapeHTML(false)
			_ = encoder.Encode(c.args) // strings, numbers and what was JSON: it cannot fail
			finish = llm.FinishTools
			parts = append(parts, llm.Part{Kind: llm.ToolStart, Index: i + 1, ID: askedID + strings.ToLower(rand.Text()[:10]), Name: c.name},
				llm.Part{Kind: llm.ToolArgs, Index: i + 1, Delta: strings.TrimSpace(args.String())}, llm.Part{Kind: llm.ToolEnd, Index: i + 1})
		}
		for _, p := range append(parts, llm.Part{Kind: llm.FinishPart, Finish: finish}) {
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

// fileRe are questions about an attachment, in the words that people use.
var fileRe = regexp.MustCompile(`(?i)^\W*(?:what(?:'s|s| is| stands| does it say)? in (?:this|the|that|my) (?:file|attachment|note|document)|(?:please )?(?:read|summari[sz]e|show|explain) (?:me )?(?:this|the|that|my) (?:file|attachment|note|document)|what does (?:this|the|that) (?:file|attachment|note|document) say)\W*$`)

// file answers a question about an attachment with its beginning.
func (a *answer) file() (string, bool) {
	if !fileRe.MatchString(a.asked.Text) {
		return "", false
	}
	if len(a.asked.Files) == 0 {
		return "No file is attached to this question.", true
	}
	var out strings.Builder
	for _, f := range a.asked.Files {
		data, err := base64.StdEncoding.DecodeString(f.Data)
		if err != nil || !utf8.Valid(data) || len(data) == 0 {
			out.WriteString(fmt.Sprintf("I cannot read **%s**: it is no text.\n", f.Name))
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		out.WriteString(fmt.Sprintf("**%s** says:\n\n", f.Name))
		for _, line := range lines[:min(len(lines), 12)] {
			out.WriteString("> " + line + "\n")
		}
		if len(lines) > 12 {
			out.WriteString(fmt.Sprintf("\n… and %d more lines.\n", len(lines)-12))
		}
	}
	return out.String(), true
}

// titleOf answers the server's request for a thread's title: it shows the thread as text, and
// offers no tools.
func titleOf(req *llm.Request, text string) (string, bool) {
	question, ok := strings.CutPrefix(text, "user: ")
	if !ok || len(req.Tools) > 0 || !slices.ContainsFunc(req.System, func(b llm.Block) bool { return strings.HasPrefix(b.Text, "You name conversations") }) {
		return "", false
	}
	question, _, _ = strings.Cut(question, "\n")
	if q, ok := ask.Read(question); ok {
		return q.Title(), true
	}
	question = strings.TrimRight(strings.TrimSpace(question), "?!. ")
	for _, polite := range []string{"please ", "can you ", "could you ", "show me ", "tell me "} {
		if rest := strings.TrimPrefix(strings.ToLower(question), polite); len(rest) < len(question) {
			question = question[len(question)-len(rest):]
		}
	}
	if question == "" {
		return "", false
	}
	return strings.ToUpper(question[:1]) + question[1:], true
}
