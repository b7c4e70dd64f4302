// Package library is an index of articles and clinical trials in SQLite, with full-text search.
//
//	lib, err := library.Open(ctx, library.Files{Articles: "articles.jsonl.gz"})
//	defer lib.Close()
//	found, err := lib.Search(ctx, library.ArticleQuery{Text: query, Limit: 20})
//
// It reads articles as JSON lines and trials as CSV exported by ClinicalTrials.gov, plain or
// gzipped. Invalid entries are skipped and counted, the first ten with their line. Without a file
// it generates a fixed library that is labelled as such.
package library
