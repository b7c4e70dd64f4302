package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
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
)

// Scripted is the model that answers where no real one is configured: questions about the log that
// package ask reads, and those that the rules of script.yaml know. All others it refuses.
type Scripted struct {
	rules *script.Model
	pace  time.Duration // between two words
}

// NewScripted reads the rules.
func NewScripted() (*Scripted, error) {
	rules, err := script.Parse("demo", Script())
	return &Scripted{rules: rules, pace: 14 * time.Millisecond}, err
}

// WithPace returns the model with another wait between two words.
func (s *Scripted) WithPace(pace time.Duration) *Scripted {
	return &Scripted{s.rules.WithPace(pace), pace}
}

// Info says what the model is.
func (s *Scripted) Info() llm.Info { return s.rules.Info() }

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
	// Rules that have begun an answer end it.
	begun := len(asked.Calls) > 0 && !strings.HasPrefix(asked.Calls[0].ID, askedID)
	if q, ok := ask.Read(asked.Text); ok && !begun && asked.Value("Research: library") == nil {
		a.q = q
		if next := a.next(); len(next.calls) == 0 || req.Choice != llm.ChoiceNone {
			return s.play(ctx, next)
		}
		return s.play(ctx, step{text: a.say("I stop here: the limit of steps for one answer is reached.", "Ich höre hier auf: mehr Schritte darf eine Antwort nicht haben.")})
	}
	return research.Scripted(s.rules).Stream(ctx, req)
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
var fileRe = regexp.MustCompile(`(?i)^\W*(?:what(?:'s|s| is| stands| does it say)? in (?:this|the|that|my) (?:file|attachment|note|document)|(?:please )?(?:read|summari[sz]e|show|explain) (?:me )?(?:this|the|that|my) (?:file|attachment|note|document)|what does (?:this|the|that) (?:file|attachment|note|document) say|was steht in (?:dieser|der) datei|was ist in (?:dieser|der) datei|lies (?:diese|die) datei)\W*$`)

// file answers a question about an attachment with its beginning.
func (a *answer) file() (string, bool) {
	if !fileRe.MatchString(a.asked.Text) {
		return "", false
	}
	a.q = &ask.Question{German: strings.Contains(strings.ToLower(a.asked.Text), "datei")}
	if len(a.asked.Files) == 0 {
		return a.say("No file is attached to this question.", "An dieser Frage hängt keine Datei."), true
	}
	var out strings.Builder
	for _, f := range a.asked.Files {
		data, err := base64.StdEncoding.DecodeString(f.Data)
		if err != nil || !utf8.Valid(data) || len(data) == 0 {
			out.WriteString(a.say("I cannot read **%s**: it is no text.\n", "**%s** kann ich nicht lesen: Es ist kein Text.\n", f.Name))
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		out.WriteString(a.say("**%s** says:\n\n", "In **%s** steht:\n\n", f.Name))
		for _, line := range lines[:min(len(lines), 12)] {
			out.WriteString("> " + line + "\n")
		}
		if len(lines) > 12 {
			out.WriteString(a.say("\n… and %d more lines.\n", "\n… und %d weitere Zeilen.\n", len(lines)-12))
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
	for _, polite := range []string{"please ", "can you ", "could you ", "show me ", "tell me ", "bitte ", "zeig mir "} {
		if rest := strings.TrimPrefix(strings.ToLower(question), polite); len(rest) < len(question) {
			question = question[len(question)-len(rest):]
		}
	}
	if question == "" {
		return "", false
	}
	return strings.ToUpper(question[:1]) + question[1:], true
}
