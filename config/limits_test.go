package config_test

import (
	"fmt"
	"testing"

	"github.com/pageside/pageside/test/must"
)

func TestLimitsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"limits:\n  user:\n    tokensPerDay: -1":                            `pageside.yaml:3: limits.user.tokensPerDay: must not be negative`,
		"limits:\n  run: {dollars: -0.1}":                                   `pageside.yaml:2: limits.run.dollars: must not be negative`,
		"limits:\n  requests:\n    runs: {burst: 3}":                        `pageside.yaml:3: limits.requests.runs.perMinute: `,
		"limits:\n  requests:\n    runs: {perMinute: 0}":                    `pageside.yaml:3: limits.requests.runs.perMinute: must be more than 0`,
		"limits:\n  requests:\n    run: {perMinute: 1}":                     `pageside.yaml:3: limits.requests.run: unknown key; did you mean runs?`,
		"limits:\n  user: {dollars: 1}":                                     `pageside.yaml:2: limits.user.dollars: unknown key; did you mean dollarsPerDay?`,
		"tools:\n  - {name: t, description: d, url: 'https://a', rate: -1}": `pageside.yaml:2: tools[0].rate: must not be negative`,
	} {
		says(t, text, want)
	}
}

// A quota in dollars needs the price of every model that may be asked: a call of unknown price
// would be free.
func TestDollarsNeedPrices(t *testing.T) {
	const models = `
models:
  priced: {use: a/priced, prices: {input: 1, output: 2}, fallback: [spare]}
  spare: {use: a/spare%s}
agents: [{id: default, model: priced, titleModel: script/x}]
limits: {%s}
`
	for _, test := range []struct{ prices, limits, want string }{
		{"", "user: {tokensPerDay: 5}", ""},
		{"", "user: {dollarsPerDay: 5}", "limits.user.dollarsPerDay: needs the prices of a/spare: set prices under models"},
		{"", "tenant: {dollarsPerDay: 5}", "limits.tenant.dollarsPerDay: needs the prices of a/spare"},
		{", prices: {input: 1}", "run: {dollars: 0.5}", "limits.run.dollars: needs the prices of a/spare"},
		{", prices: {input: 1, output: 1}", "user: {dollarsPerDay: 5}", ""},
	} {
		says(t, fmt.Sprintf(models, test.prices, test.limits), test.want)
	}
}

// A rate of a tool reaches the tool.
func TestToolsHaveRates(t *testing.T) {
	site := must.Get(newFolder(t, map[string]string{"pageside.yaml": `
tools: [{name: mail, description: Sends., url: 'https://a.example', rate: 30, global: true}]
`}).build())(t)
	mail, _ := site.Tools.Get("mail")
	if r := mail.Policy.Rate; r.PerSecond != 0.5 || r.Burst != 30 {
		t.Errorf("the rate is %+v", r)
	}
}
