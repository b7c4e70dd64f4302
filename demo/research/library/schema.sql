CREATE TABLE articles (id INTEGER PRIMARY KEY, pmid TEXT NOT NULL UNIQUE, nct TEXT NOT NULL, day INTEGER NOT NULL, doc TEXT NOT NULL);
CREATE VIRTUAL TABLE article_fts USING fts5(title, abstract, mesh, journal, authors, types, ids, tokenize = 'unicode61 remove_diacritics 2', detail = full);
CREATE TABLE article_names (kind TEXT NOT NULL, name TEXT NOT NULL, article INTEGER NOT NULL, PRIMARY KEY (kind, name, article)) WITHOUT ROWID;
CREATE TABLE trials (id INTEGER PRIMARY KEY, nct TEXT NOT NULL UNIQUE, status TEXT NOT NULL, phases TEXT NOT NULL, phase_rank INTEGER NOT NULL, title TEXT NOT NULL, start INTEGER NOT NULL, doc TEXT NOT NULL);
CREATE VIRTUAL TABLE trial_fts USING fts5(title, summary, conditions, interventions, outcomes, sponsor, ids, tokenize = 'unicode61 remove_diacritics 2');
