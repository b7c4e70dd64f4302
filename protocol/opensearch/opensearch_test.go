package opensearch_test

import (
	"testing"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/protocol/opensearch"
	"github.com/pageside/pageside/protocol/protocoltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestScenarios(t *testing.T) {
	for name, p := range map[string]plugin{"AG-UI": {wholeHistory: true}, "ML Commons": {}} {
		t.Run(name, func(t *testing.T) {
			protocoltest.Play(t, protocoltest.Protocol{DropIn: opensearch.Protocol{}, Ask: p.ask, Cut: p.cut, Cancel: p.cancel, ShowsTools: true})
		})
	}
}

func TestGuards(t *testing.T) {
	protocoltest.Guards(t, opensearch.Protocol{}, stream, `{"parameters":{"question":"hello"}}`)
	protocoltest.Guards(t, opensearch.Protocol{}, "/_plugins/_ml/agents/default/_execute", `{"input":"hello"}`)
}
