package config_test

import (
	"testing"

	"github.com/pageside/pageside/test/must"
)

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
