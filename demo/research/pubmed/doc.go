// Package pubmed reads searches written in PubMed's syntax and turns them into conditions of SQL
// over an index of articles.
//
//	q, err := pubmed.Parse(`"leukemia, myeloid, acute"[mh] AND (venetoclax[tiab] OR BCL-2) NOT review[pt] AND 2020:2024[dp]`)
//	where, args := q.SQL()
//
// What it follows is "PubMed User Guide" of the National Library of Medicine, as far as a library
// without PubMed's vocabularies can:
//
//   - AND, OR and NOT in capitals are read from left to right, all with the same rank;
//     parentheses group. Terms side by side are joined by AND.
//   - A word, or "a phrase" in quotes, may carry a tag in brackets, in any case: [ti] [ab] [tiab]
//     [tw] [all] [mh] [mh:noexp] [majr] [au] [ta] [dp] [pt] [pmid] [si], and the long names, such
//     as [MeSH Terms] and [Title/Abstract]. A tag behind several bare words makes them a phrase.
//     Bare words without a tag are each looked for in all fields; those that say nothing, such as
//     "the" and an "and" in small letters, are left out.
//   - A star ends a word of four letters or more, or the last word of a phrase, and stands for
//     any ending.
//   - [dp] takes 2024, 2024/05 or 2024/05/17, ranges of them, 2020:2024, and "last 5 years",
//     months or days. What is only known by its year or month counts from its first day.
//   - [mh] and [pt] include what is named below a term: leukemia[mh] finds "Leukemia, Myeloid,
//     Acute". The real tree of headings is not known here, nor which headings are an article's main
//     topics, nor qualifiers: [majr] is read as [mh], leukemia/drug therapy[mh] as leukemia[mh],
//     and Notes says so.
//   - [au] finds a name by the last name, with or without initials; [ta] a journal by its whole
//     title.
//
// Not supported, and refused by name: other tags, proximity ([ti:~3]) and the search history (#1).
//
// Whatever is looked for travels as a bound parameter. The tables that the conditions name are in
// SQL's comment; filling them is the caller's business, with Tokens and the Names functions, so
// that both sides write words the same way.
package pubmed
