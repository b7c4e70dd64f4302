package run

import (
	"time"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/store"
)

// Unit is what amounts are counted in: tokens or dollars.
type Unit string

// Quota is what may be used in a day, by a user or by everybody of its tenant, what was used, what
// is set aside and what is left.
type Quota struct {
	Scope    string    `json:"scope"` // user or tenant
	Unit     Unit      `json:"unit"`
	Used     float64   `json:"used"`
	Held     float64   `json:"held"`
	Left     float64   `json:"left"`
	Limit    float64   `json:"limit"`
	ResetsAt time.Time `json:"resetsAt"`
}

// Quotas returns the quotas of the day that there are.
func (u Usage) Quotas() []Quota {
	all := []Quota{}
	for _, of := range []struct {
		scope string
		sum   store.UsageSum
		quota limit.Amount
	}{{store.ScopeUser, u.User, u.Limits.Day.User}, {store.ScopeTenant, u.Tenant, u.Limits.Day.Tenant}} {
		used, held := inUnits(of.sum.Used), inUnits(of.sum.Held)
		left := inUnits(limit.Amount{
			Tokens:       max(0, of.quota.Tokens-of.sum.Used.Tokens-of.sum.Held.Tokens),
			MicroDollars: max(0, of.quota.MicroDollars-of.sum.Used.MicroDollars-of.sum.Held.MicroDollars),
		})
		for i, most := range inUnits(of.quota) {
			if most.amount > 0 {
				all = append(all, Quota{
					of.scope, most.unit, used[i].amount, held[i].amount, left[i].amount, most.amount, u.Resets,
				})
			}
		}
	}
	return all
}

// OneRun returns what the model calls of one run may use, in each unit that has a limit.
func (l Limits) OneRun() map[Unit]float64 {
	all := map[Unit]float64{}
	for _, most := range inUnits(l.Run) {
		if most.amount > 0 {
			all[most.unit] = most.amount
		}
	}
	return all
}

type counted struct {
	unit   Unit
	amount float64
}

// inUnits returns an amount in tokens and in dollars.
func inUnits(a limit.Amount) [2]counted {
	return [2]counted{{store.UnitTokens, float64(a.Tokens)}, {store.UnitDollars, float64(a.MicroDollars) / 1e6}}
}
