// Package library holds articles and clinical trials in memory, and searches them.
//
//	lib, err := library.Open(library.Files{Articles: "articles.jsonl.gz"})
//	found, total, err := lib.Search(ctx, library.ArticleQuery{Text: query, Limit: 20})
//
// It reads articles as JSON lines and trials as CSV exported by ClinicalTrials.gov, plain or
// gzipped. Invalid entries are skipped and counted, the first ten with their line. Without a file
// it takes a generated library that is labelled as such.
package library
