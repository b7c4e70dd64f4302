package sqlstore

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fragments are constants that are no statements of their own.
var fragments = map[string]bool{
	"threadShown": true, "listedThreads": true, "allThreads": true, "foundThreads": true, "addAmount": true,
	"allowanceValues": true, "allowanceListed": true, "allowanceFound": true, "allowanceRest": true,
	"runsOfBranch": true, "runColumns": true, "threadColumns": true, "callColumns": true, "notDeleted": true, "stateColumns": true, "auditColumns": true, "headColumns": true, "joinNewest": true,
	"recentRuns": true, "newestFirst": true}

// queries returns the statements of the files of queries by name.
func queries(t *testing.T) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range []string{"queries.go", "queries_log.go", "queries_settings.go", "queries_usage.go", "queries_audit.go", "queries_shares.go"} {
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	pkg, err := new(types.Config).Check("sqlstore", files, parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		text := constant.StringVal(pkg.Scope().Lookup(name).(*types.Const).Val())
		if !fragments[name] {
			found[name] = strings.Join(strings.Fields(text), " ")
		}
	}
	if len(found) < 15 {
		t.Fatalf("only %d statements found", len(found))
	}
	return found
}

// TestEveryStatementNamesOwner keeps any statement from reaching the data of another owner.
func TestEveryStatementNamesOwner(t *testing.T) {
	scoped := regexp.MustCompile(`WHERE (\w\.)?tenant = \$1 AND (\w\.)?subject = \$2( AND |$| ORDER BY)|^INSERT INTO \w+ \(tenant, subject, .*\) VALUES \(\$1, \$2, `)
	everybody := map[string]bool{
		"selectLiveRuns": true, "writeHealth": true,
		// The log is everybody's; whose a piece of it is was found by selectLogOf or selectRunLog,
		// which name the owner.
		"selectLogEnd": true, "insertLog": true, "selectLog": true, "selectFrames": true, "selectLogBackwards": true,
		"purgeRuns": true, "purgeLog": true, "selectLogStart": true, "selectDeleted": true, "deleteSearch": true,
		"selectRows": true, "selectBodyOf": true, "setBodyOf": true,
		// Rows of the search index are written by the number of a thread that a statement with its
		// owner has returned.
		"replaceWords": true, "deleteWords": true, "insertPending": true, "selectPending": true, "deletePending": true, "anyPending": true,
		// The tenant's.
		"selectOwnedTables": true, // of the schema
		"forgetAuthor":      true, "putInstructions": true, "deleteInstructions": true, "selectInstructions": true,
		"openShare": true, "purgeShares": true, // whoever has the secret; whatever has expired
		"addTenantUsage": true, "forgetTenantUsage": true, "selectTenantUsage": true, "selectHolds": true,
		"insertAudit": true, "selectAudit": true, "selectAuditAfter": true, "selectAuditOf": true, "selectAuditHead": true, "selectAuditHeads": true,
		"putAuditHead": true, "setAuditPurged": true, "selectAuditLast": true, "purgeAudit": true,
	}
	for name, text := range queries(t) {
		if !everybody[name] && !scoped.MatchString(text) {
			t.Errorf("%s is not about one owner: %s", name, text)
		}
		if strings.Contains(text, " OR ") {
			t.Errorf("%s has an OR, which could undo its owner: %s", name, text)
		}
	}
}

// slow are statements whose cost grows with what they are about, and are meant to: they sort what a
// search has found, the few runs that are live, or the runs of one owner.
var slow = map[string]bool{"selectLiveRuns": true, "selectRecentRuns": true, "selectRecentRunsOf": true, "searchThreads": true, "searchThreadsAfter": true}

// harmless are steps of a plan that only sound slow.
var harmless = map[string]bool{
	"SCAN b": true, "SCAN branch": true, // the runs of one branch
	// by row id
	"SCAN p": true, "SCAN search_pending": true, // in the order of their ids, as many as are wanted
	"SCAN h":            true, // the heads of the audit log: all of them are wanted
	"SCAN CONSTANT ROW": true, "SCAN search VIRTUAL TABLE INDEX 0:=": true, "SCAN search VIRTUAL TABLE INDEX 0:><": true,
}

// TestEveryStatementUsesIndex keeps statements from becoming slow with the number of rows.
func TestEveryStatementUsesIndex(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, text := range queries(t) {
		args := make([]any, strings.Count(text, "$"))
		err := s.reading.each(t.Context(), "EXPLAIN QUERY PLAN "+text, args, func(r row) error {
			var id, parent, unused int
			var step string
			err := r.Scan(&id, &parent, &unused, &step)
			if !slow[name] && !harmless[step] && (strings.HasPrefix(step, "SCAN") || strings.Contains(step, "TEMP B-TREE")) {
				err = errors.New(step)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
