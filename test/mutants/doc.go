// Mutants breaks the code in many small ways, and reports which of them no test notices.
//
//	go run ./test/mutants [-run REGEXP] [-sample] [-check] [-j 2]
//
// Each mutant replaces one text of one file, which must occur there exactly once, and names the
// tests that have to fail then. The tests are run on an overlay: no file of the tree changes. They
// are run without any change first, so that a test that always fails kills nothing.
package main
