package main

import (
	"context"
	"database/sql"
	"log"
	"net/http"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite"
)

// ---------- durable: as fast, and nothing is sent before it is on the disk ----------

// journal is what durability costs and nothing else: the input, the events and the message of each
// run are written by one goroutine, everything that waits in one transaction.
type journal struct{ writes chan *write }

// write is a row of one of three tables (0 inputs, 1 events, 2 messages), and how it ended.
type write struct {
	table int
	key   []byte // the run's id
	seq   int64
	value []byte
	done  chan error
}

var schema = []string{
	"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA locking_mode=EXCLUSIVE",
	"CREATE TABLE inputs(run TEXT, seq INTEGER, value BLOB)",
	"CREATE TABLE events(run TEXT, seq INTEGER, value BLOB)",
	"CREATE TABLE messages(run TEXT, seq INTEGER, value BLOB)",
}

// openJournal opens one in a temporary folder, which stays.
func openJournal() *journal {
	dir, err := os.MkdirTemp("", "durable-")
	if err != nil {
		log.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "durable.db"))
	if err != nil {
		log.Fatal(err)
	}
	c, err := db.Conn(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range schema {
		if _, err := c.ExecContext(context.Background(), s); err != nil {
			log.Fatal(s, ": ", err)
		}
	}
	j := &journal{writes: make(chan *write, 1024)}
	go j.run(c)
	return j
}

// run commits, over and over, what waits.
func (j *journal) run(c *sql.Conn) {
	prepare := func(s string) *sql.Stmt {
		stmt, err := c.PrepareContext(context.Background(), s)
		if err != nil {
			log.Fatal(s, ": ", err)
		}
		return stmt
	}
	begin, commit := prepare("BEGIN IMMEDIATE"), prepare("COMMIT")
	into := [...]*sql.Stmt{
		prepare("INSERT INTO inputs VALUES(?,?,?)"), prepare("INSERT INTO events VALUES(?,?,?)"), prepare("INSERT INTO messages VALUES(?,?,?)"),
	}
	exec := func(s *sql.Stmt, args ...any) {
		if _, err := s.Exec(args...); err != nil {
			log.Fatal(err)
		}
	}
	var group []*write
	for first := range j.writes {
		group = append(group[:0], first)
		for n := len(j.writes); n > 0; n-- {
			group = append(group, <-j.writes)
		}
		exec(begin)
		for _, w := range group {
			exec(into[w.table], string(w.key), w.seq, w.value)
		}
		exec(commit)
		for _, w := range group {
			w.done <- nil
		}
	}
}

// recorded is the journal of one run.
type recorded struct {
	*journal
	write
}

// put returns once the values, one for each table, are on the disk. An empty one is none.
func (r *recorded) put(values ...[]byte) {
	for table, value := range values {
		if len(value) == 0 {
			continue
		}
		r.seq++
		w := r.write
		w.table, w.value = table, value
		r.writes <- &w
	}
	for _, value := range values {
		if len(value) > 0 {
			<-r.done
		}
	}
}

var store *journal // of mode durable

// durable is fast behind a journal: what fast flushes, put has stored.
func durable(w http.ResponseWriter, r *http.Request) {
	fastWith(w, r, &recorded{journal: store, write: write{done: make(chan error, 3)}})
}
