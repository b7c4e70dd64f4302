package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// costOf returns the cost for a terminal event, which only has fields for usage:
// metadata.pageside.cost, in US dollars.
func costOf(s agent.Spending) (b agui.Base) {
	if s.Cost != nil {
		b.Metadata = (&agui.Metadata{Cost: s.Cost}).JSON()
	}
	return b
}

// appendCost writes an amount without an exponent: a few tokens cost millionths.
func appendCost(b []byte, cost float64) []byte { return strconv.AppendFloat(b, cost, 'f', -1, 64) }

// marshalSpending returns the stored form, {"usage": [...], "cost": 0.01}, or nil if nothing is
// known.
func marshalSpending(s agent.Spending) (json.RawMessage, error) {
	if len(s.Usage) == 0 {
		return nil, nil
	}
	usage, err := agui.MarshalUsage(s.Usage)
	if err != nil {
		return nil, err
	}
	b := append([]byte(`{"usage":`), usage...)
	if s.Cost != nil {
		b = appendCost(append(b, `,"cost":`...), *s.Cost)
	}
	return append(b, '}'), nil
}

// Spent returns what a stored run used and cost. Rows of earlier versions hold only the usage.
func Spent(row store.Run) (s agent.Spending, err error) {
	kept := struct {
		Usage json.RawMessage
		Cost  *float64
	}{Usage: row.Usage}
	if bytes.HasPrefix(row.Usage, []byte("{")) {
		kept.Usage = nil
		err = json.Unmarshal(row.Usage, &kept)
	}
	if err == nil && len(kept.Usage) > 0 {
		s.Cost = kept.Cost
		s.Usage, err = agui.UnmarshalUsage(kept.Usage)
	}
	if err != nil {
		return agent.Spending{}, fmt.Errorf("read the usage of run %q: %w", row.ID, err)
	}
	return s, nil
}
