package agent

import (
	"testing"

	"github.com/pageside/pageside/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
