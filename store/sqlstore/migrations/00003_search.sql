-- Words come to the search index in pieces of some hundred messages. Fewer, larger merges of those pieces, and room for each of them in memory,
-- make writing it a quarter cheaper. A search looks through some more pieces.
INSERT INTO search (search, rank) VALUES ('automerge', 8);
INSERT INTO search (search, rank) VALUES ('hashsize', 4194304);
