package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/suggest"
)

// fromPage marks suggestions declared by the page.
const fromPage = "static"

// maxSuggestContext is the maximum number of context items in a request for suggestions.
const maxSuggestContext = 100

// postSuggestions returns what a user might ask next: from a model if the server has one for it,
// else the page's own.
func (s rest) postSuggestions(c *call) error {
	var body struct {
		placeJSON
		Instructions string `json:"instructions"`
		Context      []struct {
			Description string `json:"description"`
			Value       string `json:"value"`
		} `json:"context"`
		Max int `json:"max"`
	}
	if err := s.decodeBody(c, &body); err != nil {
		return err
	}
	if err := checkSuggest(body.Max, body.Instructions, len(body.Context)); err != nil {
		return err
	}
	a, err := s.at(c, body.placeJSON)
	if err != nil {
		return err
	}
	req := suggest.Request{Instructions: body.Instructions, Max: body.Max}
	for _, it := range body.Context {
		req.Context = append(req.Context, page.Item{Description: it.Description, Value: it.Value})
	}
	answer, err := s.suggest(c, req, atMost(a.Pages.Resolve(body.Place).Suggestions, body.Max))
	if err != nil {
		return err
	}
	writeJSON(c.w, map[string]any{"suggestions": answer.Suggestions, "source": answer.Source})
	return nil
}

// checkSuggest refuses a request for suggestions that is too large.
func checkSuggest(most int, instructions string, items int) error {
	switch {
	case most < 0 || most > suggest.MaxSuggestions:
		return badField("max", fmt.Sprintf("must be a number from 1 to %d", suggest.MaxSuggestions))
	case len(instructions) > maxInstructions:
		return badField("instructions", fmt.Sprintf("must be at most %d bytes", maxInstructions))
	case items > maxSuggestContext:
		return badField("context", fmt.Sprintf("must hold at most %d items", maxSuggestContext))
	}
	return nil
}

// atMost returns the first suggestions; 0 means all.
func atMost(list []page.Suggestion, n int) []page.Suggestion {
	if n == 0 {
		return list
	}
	return list[:min(len(list), n)]
}

// suggestionsOf returns an owner as the Suggester knows it.
func suggestionsOf(o run.Owner) string { return o.Tenant + "\x00" + o.Subject }

// suggest asks the model, and falls back to the page's suggestions.
func (s *Server) suggest(c *call, req suggest.Request, static []page.Suggestion) (suggest.Answer, error) {
	fallback := suggest.Answer{Suggestions: append([]page.Suggestion{}, static...), Source: fromPage}
	suggester := s.suggester.Load()
	if suggester == nil {
		return fallback, nil
	}
	req.Budget = s.cfg.Runs.Budget(c.owner)
	answer, err := suggester.Suggest(c.r.Context(), suggestionsOf(c.owner), req)
	if err == nil || errors.Is(err, context.Canceled) {
		return answer, err
	}
	refused, limited := errors.AsType[*refusal.Error](err)
	if limited && refused.Limit != "" && s.limits != nil {
		s.limits.reporter.Reached(c.r.Context(), c.principal, refused.Limit)
	}
	if len(static) > 0 {
		if !limited {
			s.log.Warn("suggestions could not be made; the page's own are shown", "error", err)
		}
		return fallback, nil
	}
	if limited {
		return answer, refused
	}
	return answer, &Error{
		Status: http.StatusBadGateway, Code: "suggestions_failed",
		Message: "the model could not suggest anything", Err: err,
	}
}
