// Package storetest holds the promises of package store as a test suite that every store must pass.
//
//	func TestPromises(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return newMyStore(t) })
//	}
//
// Run opens a store for each test; the factory must close it when the test ends. Compare runs
// random operations on a store and on a model of one, which must not differ. Promises that only
// some stores make, such as durability, are tested beside them.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
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

// Run tests the promises of package store, and of audit.Store.
func Run(t *testing.T, open Open) {
	for _, promise := range []struct {
		name string
		test func(*testing.T, Store)
	}{
		{"the audit log is a chain per tenant", testAudit},
		{"the audit log is filtered", testAuditQuery},
		{"the audit log is paged", testAuditPages},
		{"the audit log is purged and stays verifiable", testAuditPurge},
		{"the audit log outlives threads", testAuditOutlives},
		{"an audit entry is durable before what follows it", testAuditOrder},
		{"concurrent entries leave no gap", testAuditConcurrent},
		{"a closed store refuses audit entries", testAuditClosed},
	} {
		t.Run(strings.ReplaceAll(promise.name, " ", "_"), func(t *testing.T) { promise.test(t, open(t)) })
	}
	for _, promise := range []struct {
		name string
		test func(*testing.T, store.Store)
	}{
		{"a run begins on a new thread", testBegin},
		{"a run id is taken once", testRunConflict},
		{"a run brings only what is new", testBeginKnown},
		{"a run ends once", testEnd},
		{"the last run is the one begun last", testLastRun},
		{"recent runs come newest first", testRecentRuns},
		{"live runs are found whoever owns them", testLiveRuns},
		{"messages are appended and replaced in place", testSave},
		{"messages belong to a live run of the thread", testSaveNeedsLiveRun},
		{"a failed write leaves nothing", testAtomic},
		{"messages come back byte for byte", testBodies},
		{"run fields come back as they were", testRunFields},
		{"what cannot be kept is refused by name", testInvalid},
		{"the store keeps no reference", testNoAliasing},
		{"messages are paged from the end", testMessagePages},
		{"a long thread is paged without loss", testLongThread},
		{"threads are listed newest first", testThreads},
		{"cursors outlive concurrent writes", testCursorStable},
		{"a malformed cursor is an error", testBadCursor},
		{"a title is kept", testTitle},
		{"the first run names the thread", testFirstTitle},
		{"events come back in order", testEvents},
		{"events are refused that cannot follow", testEventsRefused},
		{"an earlier writer is fenced off", testFencing},
		{"batches are answered in order", testEventOrder},
		{"writes of a run keep their order", testOneOrder},
		{"a live log can be followed", testFollow},
		{"the log keeps no reference", testEventAliasing},
		{"events are purged", testPurgeEvents},
		{"a log that is purged while it is read says so", testEventsWhilePurged},
		{"a closed store appends nothing", testClosedEvents},
		{"a thread has branches", testBranches},
		{"a run goes on from one that has ended", testParents},
		{"another branch can be shown", testMoveHead},
		{"a message stays on its branch", testKnownOnOtherBranch},
		{"runs say what they were asked", testFirstUser},
		{"messages are found by their ids", testHasMessages},
		{"taint stays with the branch", testTaint},
		{"a live run is tainted", testTaintRun},
		{"the shared state stays with the run", testState},
		{"the journal keeps what became of calls", testJournal},
		{"a call is found on its thread", testCallOfThread},
		{"the journal keeps its order", testJournalUnwaited},
		{"input is kept until the end", testRunInput},
		{"threads are changed", testUpdateThread},
		{"pinned threads come first", testPinned},
		{"cursors hold while threads are pinned", testPinnedCursor},
		{"a deleted thread is not there", testDeletedThread},
		{"deleted threads are purged", testPurge},
		{"feedback is kept", testFeedback},
		{"metadata is replaced", testMetadata},
		{"allowances are kept and revoked", testAllowances},
		{"allowances are found by what they are for", testAllowancesFound},
		{"allowances expire", testAllowancesExpire},
		{"allowances go with their thread", testAllowancesGo},
		{"allowances may hold on all threads", testUserAllowances},
		{"an action has one effect", testActions},
		{"an action is approved once", testActionApprovals},
		{"one click of many wins", testConcurrentActions},
		{"webhooks of a run remember what they were told", testWebhooks},
		{"webhooks go with their thread", testWebhooksGo},
		{"shares are opened in their tenant and revoked", testShares},
		{"shares expire", testSharesExpire},
		{"shares go with their thread", testSharesGo},
		{"instructions belong to the tenant", testInstructions},
		{"everything of an owner is forgotten", testForget},
		{"usage is added up by user and tenant", testUsage},
		{"what a live run has used is stored with its events", testUsageOfEvents},
		{"usage stays within quotas", testQuotas},
		{"parallel holds stay within quotas", testParallelHolds},
		{"usage cannot be negative or overflow", testUsageBounds},
		{"threads are found by words", testSearch},
		{"what is searched for is data", testSearchInjection},
		{"only what was said is searched", testSearchRoles},
		{"the search follows changes", testSearchChanges},
		{"a snippet shows what was found", testSnippets},
		{"what is found is paged", testSearchPages},
		{"owners never meet", testIsolation},
		{"the same ids serve two owners", testSharedIDs},
		{"concurrent writers do not disturb each other", testConcurrentWriters},
		{"one run of many with the same id wins", testConcurrentConflict},
		{"one failing write fails alone", testFailsAlone},
		{"a cancelled context stops a write before it begins", testCancelled},
		{"a closed store says so", testClosed},
	} {
		t.Run(strings.ReplaceAll(promise.name, " ", "_"), func(t *testing.T) { promise.test(t, open(t)) })
	}
}

var (
	ada   = store.Owner{Tenant: "acme", Subject: "ada"}
	bob   = store.Owner{Tenant: "acme", Subject: "bob"}
	other = store.Owner{Tenant: "other", Subject: "ada"}
)

// user returns a message of a user.
func user(id, text string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(text)}
}

// many returns n messages with ids that begin with prefix.
func many(prefix string, n int) []agui.Message {
	messages := make([]agui.Message, n)
	for i := range messages {
		messages[i] = user(fmt.Sprintf("%s%05d", prefix, i), "text")
	}
	return messages
}

func run(id, thread string) store.Run {
	return store.Run{ID: id, ThreadID: thread, Agent: "default", Fingerprint: "f:" + id}
}

func finished(id string) store.Run { return store.Run{ID: id, Status: store.RunFinished} }

func begin(t *testing.T, s store.Store, o store.Owner, id, thread string, messages ...agui.Message) {
	t.Helper()
	if err := s.BeginRun(t.Context(), o, run(id, thread), messages); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error is %v, want %v", what, err, want)
	}
}

// wantTranscript checks the messages of a thread, each written as id=text.
func wantTranscript(t *testing.T, s store.Store, o store.Owner, thread string, want ...string) {
	t.Helper()
	messages, err := s.Transcript(t.Context(), o, thread, "")
	must(t, err)
	if got := brief(messages); !slices.Equal(got, want) {
		t.Errorf("transcript of %s is %q, want %q", thread, got, want)
	}
}

func brief(messages []agui.Message) []string {
	var out []string
	for _, m := range messages {
		out = append(out, m.ID+"="+m.Content.Text())
	}
	return out
}

func threadIDs(threads []store.FoundThread) []string {
	var ids []string
	for _, t := range threads {
		ids = append(ids, t.ID)
	}
	return ids
}

// allThreads follows the cursors from the given one to the end.
func allThreads(ctx context.Context, s store.Store, o store.Owner, cursor string, limit int) ([]string, error) {
	var ids []string
	for range 10_000 {
		page, err := s.Threads(ctx, o, store.ThreadQuery{Cursor: cursor, Limit: limit})
		if err != nil {
			return nil, err
		}
		ids = append(ids, threadIDs(page.Items)...)
		if cursor = page.Next; cursor == "" {
			return ids, nil
		}
	}
	return nil, errors.New("the list of threads has no end")
}

// tick waits until the clock of a store, which counts milliseconds, shows another time.
func tick() {
	for start := time.Now().UnixMilli(); time.Now().UnixMilli() <= start; {
		time.Sleep(100 * time.Microsecond)
	}
}

// setTitle is UpdateThread for a title.
func setTitle(s store.Store, ctx context.Context, o store.Owner, threadID, title string) error {
	_, err := s.UpdateThread(ctx, o, threadID, store.ThreadChange{Title: &title})
	return err
}
