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

	"github.com/pageside/pageside/test/must"
)

// set returns the words of a text.
func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}

// fragments are constants that are no statements of their own.
var fragments = set(`threadShown listedThreads allThreads foundThreads addAmount allowanceValues allowanceListed
	allowanceFound allowanceRest runsOfBranch runColumns threadColumns callColumns notDeleted stateColumns
	auditColumns headColumns joinNewest recentRuns newestFirst`)

// queries returns the statements of the files of queries by name.
func queries(t *testing.T) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, of := range []string{"", "_log", "_settings", "_audit"} {
		file := must.Get(parser.ParseFile(files, "queries"+of+".go", nil, 0))(t)
		parsed = append(parsed, file)
	}
	pkg := must.Get(new(types.Config).Check("sqlstore", files, parsed, nil))(t)
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
	scoped := regexp.MustCompile(`WHERE (\w\.)?tenant = \$1 AND (\w\.)?subject = \$2( AND |$| ORDER BY)` +
		`|^INSERT INTO \w+ \(tenant, subject, .*\) VALUES \(\$1, \$2, `)
	everybody := set("selectLiveRuns writeHealth " +
		// The log is everybody's; whose a piece of it is was found by selectLogOf or selectRunLog,
		// which name the owner.
		"selectLogEnd insertLog selectLog selectFrames selectLogBackwards purgeRuns purgeLog selectLogStart " +
		"selectDeleted deleteSearch selectRows selectBodyOf setBodyOf " +
		// Rows of the search index are written by the number of a thread that a statement with its
		// owner has returned.
		"replaceWords deleteWords insertPending selectPending deletePending anyPending " +
		// of the schema; the tenant's; for whoever has the secret; what has expired
		"selectOwnedTables forgetAuthor putInstructions deleteInstructions selectInstructions openShare purgeShares " +
		"addTenantUsage forgetTenantUsage selectTenantUsage selectHolds " +
		"insertAudit selectAudit selectAuditAfter selectAuditOf selectAuditHead selectAuditHeads putAuditHead " +
		"setAuditPurged selectAuditLast purgeAudit")
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
var slow = set("selectLiveRuns selectRecentRuns selectRecentRunsOf searchThreads searchThreadsAfter")

// harmless are steps of a plan that only sound slow.
var harmless = map[string]bool{
	"SCAN b": true, "SCAN branch": true, // the runs of one branch
	"SCAN p": true, "SCAN search_pending": true, // by row id, in their order, as many as are wanted
	"SCAN h":            true, // the heads of the audit log: all of them are wanted
	"SCAN CONSTANT ROW": true,
	// by row id
	"SCAN search VIRTUAL TABLE INDEX 0:=": true, "SCAN search VIRTUAL TABLE INDEX 0:><": true,
}

// TestEveryStatementUsesIndex keeps statements from becoming slow with the number of rows.
func TestEveryStatementUsesIndex(t *testing.T) {
	s := must.Get(Open(t.Context(), filepath.Join(t.TempDir(), "test.db")))(t)
	defer s.Close()
	for name, text := range queries(t) {
		args := make([]any, strings.Count(text, "$"))
		err := s.reading.each(t.Context(), "EXPLAIN QUERY PLAN "+text, args, func(r row) error {
			var id, parent, unused int
			var step string
			err := r.Scan(&id, &parent, &unused, &step)
			grows := strings.HasPrefix(step, "SCAN") || strings.Contains(step, "TEMP B-TREE")
			if grows && !slow[name] && !harmless[step] {
				err = errors.New(step)
			}
			return err
		})
		must.Be(t, err, nil, "%s", name)
	}
}

// TestNoStatementIsPlannedAgain: planning takes longer than most of what is planned.
func TestNoStatementIsPlannedAgain(t *testing.T) {
	bare := regexp.MustCompile(`LIMIT \$\d+($| *\))`)
	all := queries(t)
	all["selectOwned"] = selectOwned
	for name, text := range all {
		if bare.MatchString(text) {
			t.Errorf("%s is planned again each time that its limit is bound: write LIMIT $n + 0", name)
		}
	}
}
