// Package storetest holds the promises of package store as a test suite that every store must pass.
//
//	func TestPromises(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Store { return newMyStore(t) })
//	}
//
// Run opens a store for each test; the factory must close it when the test ends. Compare runs
// random operations on a store and on a model of one, which must not differ. Promises that only
// some stores make, such as durability, are tested beside them.
package storetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/store"
)

// Store is what a database gives: a store with the audit log.
type Store interface {
	store.Store
	audit.Store
}

// Open returns a new, empty store that is closed when the test ends.
type Open func(t *testing.T) Store

// promise is a sentence, and the test that it is kept by a new store.
type promise struct {
	says string
	test func(t *testing.T, s Store)
}

// Run tests the promises of package store, and of audit.Store.
func Run(t *testing.T, open Open) {
	for _, p := range slices.Concat(ofAudit, ofRuns, ofRefusals, ofMessages, ofThreads, ofEvents,
		ofJournal, ofSettings, ofSharing, ofUsage, ofSearch, ofOwners, ofConcurrency) {
		t.Run(strings.ReplaceAll(p.says, " ", "_"), func(t *testing.T) { p.test(t, open(t)) })
	}
}
