package agent

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/pageside/pageside/llm"
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
func (w *warner) afterCall(ctx context.Context, c *modelInput, u usage) {
	info := w.model.Info()
	if info.ToolsRefused && len(c.tools.offers) > 0 {
		w.warn(ctx, warnTools, "the model takes no tools, or its server is not set up for them: they are left out of its requests")
	}
	if info.WindowAssumed {
		w.warn(ctx, warnWindow, fmt.Sprintf("the size of the model's context window is not known: %d tokens are assumed; contextWindow in the configuration states it", info.ContextWindow))
	}
	if c.countedFew(u) {
		w.warn(ctx, warnCount, fmt.Sprintf("the provider counted %d tokens of a prompt that has about %d: its context window may be smaller than is known, "+
			"so that it cuts the beginning of the prompt; for Ollama see OLLAMA_CONTEXT_LENGTH", *u.Input, c.bytes()/bytesPerToken))
	}
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
