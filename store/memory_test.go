package store_test

import (
	"testing"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return store.NewMemory() })
}
