package config_test

import (
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/must"
)

// TestAuditIsOptIn: a program that does not open an audit log has none, and its tools run; a file
// that configures one is refused there.
func TestAuditIsOptIn(t *testing.T) {
	for _, test := range []struct {
		name, audit string
		opens, want bool
		problem     string
	}{
		{name: "a library, without a section"},
		{name: "a library, with a section", audit: "audit: {arguments: true}\n", problem: "audit: this program keeps no audit log"},
		{name: "the binary", opens: true, want: true},
		{name: "the binary, switched off", audit: "audit: {enabled: false}\n", opens: true},
	} {
		source := must.Get(config.Parse("pageside.yaml", []byte(test.audit+"agents: [{id: a, model: openai/x}]\n")))(t)
		options := newFolder(t, nil).options()
		options.Audit = test.opens
		site, err := config.Build(t.Context(), source, options)
		if test.problem != "" {
			must.Fail(t, err, test.problem, "%s", test.name)
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := site.Audit != nil; got != test.want || (site.Agents[0].Audit != nil) != test.want {
			t.Errorf("%s: the site has a log: %t", test.name, got)
		}
		site.Close()
	}
}
