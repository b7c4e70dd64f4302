package agent

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// Kinds of warnings. An agent logs each once; the inspector shows them with every run.
const (
	warnTools uint32 = 1 << iota
	warnWindow
	warnCount
)

// warner tells the operator, not the user, what a model's server does without an error.
type warner struct {
	model  llm.Model
	logged *uint32 // Agent.warned
	trace  *trace
	log    *slog.Logger
	told   uint32 // kinds told in this run
}

// afterCall looks at a call that went well.
func (w *warner) afterCall(ctx context.Context, c *modelInput, u llm.Usage) {
	info := w.model.Info()
	if info.ToolsRefused && len(c.tools.offers) > 0 {
		w.warn(ctx, warnTools,
			"the model takes no tools, or its server is not set up for them: they are left out of its requests")
	}
	if info.WindowAssumed {
		w.warn(ctx, warnWindow,
			fmt.Sprintf("the size of the model's context window is not known: %d tokens are assumed; contextWindow in the configuration states it",
				info.ContextWindow))
	}
	if c.countedFew(u) {
		w.warn(ctx, warnCount, fmt.Sprintf("the provider counted %d tokens of a prompt that has about %d: its context window may be smaller than is known, "+
			"so that it cuts the beginning of the prompt; for Ollama see OLLAMA_CONTEXT_LENGTH", *u.Input, c.bytes()/usage.BytesPerToken))
	}
}

// afterCuts tells what of the page context is not shown whole, and logs it once for each place of
// the operator's, and once for all others.
func (w *warner) afterCuts(ctx context.Context, a *Agent, at page.Place, shown *prompt.PageContext) {
	names, retrievable := shown.Cut()
	if len(names) == 0 {
		return
	}
	text := "the page context is longer than its budget (contextTokens): cut " + quoted(names)
	if retrievable {
		text += "; the model can read the rest with " + prompt.RetrieveItems
	}
	w.trace.warned(text)
	where := ""
	if a.Pages.Knows(at) {
		where = at.String()
	}
	if _, logged := a.cutAt.LoadOrStore(where, true); !logged {
		w.log.InfoContext(ctx, text, "agent", a.ID, "page", at.String())
	}
}

// quoted lists the first of some names.
func quoted(names []string) string {
	const most = 5
	var b strings.Builder
	for i, name := range names[:min(len(names), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.60q", name)
	}
	if rest := len(names) - most; rest > 0 {
		fmt.Fprintf(&b, " and %d more", rest)
	}
	return b.String()
}

func (w *warner) warn(ctx context.Context, kind uint32, text string) {
	if w.told&kind != 0 {
		return
	}
	w.told |= kind
	w.trace.warned(text)
	if atomic.OrUint32(w.logged, kind)&kind == 0 {
		w.log.WarnContext(ctx, text, "model", w.model.Info().Name())
	}
}
