package opensearch

import (
	"fmt"

	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// container is the id of the memory container: each caller finds her own threads in it.
const container = "pageside"

const (
	sessionsIndex = ".plugins-ml-am-" + container + "-memory-sessions"
	// what sessions are sorted by
	updated = "last_updated_time"
)

func checkContainer(x *server.Exchange) error {
	if id := x.Request.PathValue("container"); id != container {
		return notFound("Memory container not found: %s", id)
	}
	return nil
}

func notFound(format string, args ...any) error {
	return server.NotFound(fmt.Sprintf(format, args...))
}

func getContainer(x *server.Exchange) error {
	if err := checkContainer(x); err != nil {
		return err
	}
	x.JSON(object{
		"name": container, "description": "The threads of the caller.",
		"configuration": object{"index_prefix": container, "disable_history": false, "disable_session": false},
	})
	return nil
}

// sessionOf returns a thread as a session.
func sessionOf(t run.Thread) object {
	return object{
		"memory_container_id": container, "summary": t.Title, "created_time": t.CreatedAt.UnixMilli(),
		updated: t.UpdatedAt.UnixMilli(),
	}
}

// searchSessions lists the caller's threads, newest first.
func searchSessions(x *server.Exchange) error {
	if err := checkContainer(x); err != nil {
		return err
	}
	q, err := readSearch(x, updated)
	if err != nil {
		return err
	}
	if q.field != "" {
		return server.BadField("query", "must be match_all: sessions have no other search here")
	}
	list, total, more, err := threads(x, q.from, q.size)
	if err != nil {
		return err
	}
	found := []object{}
	for _, t := range list {
		found = append(found, object{"_id": t.ID, "_source": sessionOf(t), "sort": []int64{t.UpdatedAt.UnixMilli()}})
	}
	x.JSON(hits(sessionsIndex, total, more, found))
	return nil
}

// threads returns some of the caller's threads, how many there are up to one beyond these, and
// whether there are more. OpenSearch Dashboards has a next page if more are counted than it has
// asked for, whatever the relation says.
func threads(x *server.Exchange, from, size int) (list []run.Thread, total int, more bool, err error) {
	for cursor := ""; ; {
		page, err := x.Threads().List(run.ThreadQuery{Cursor: cursor, Limit: from + size + 1 - total})
		if err != nil {
			return nil, 0, false, fmt.Errorf("list sessions: %w", err)
		}
		for _, t := range page.Items {
			if total >= from && len(list) < size {
				list = append(list, t.Thread)
			}
			total++
		}
		if cursor = page.Next; cursor == "" || total > from+size {
			return list, total, cursor != "", nil
		}
	}
}

// session returns the thread that the path names.
func session(x *server.Exchange) (run.Thread, error) {
	if err := checkContainer(x); err != nil {
		return run.Thread{}, err
	}
	return threadOf(x, x.Request.PathValue("session"))
}

// threadOf returns one of the caller's threads.
func threadOf(x *server.Exchange, id string) (run.Thread, error) {
	t, err := x.Threads().Get(id)
	return t, server.OrNotFound(err, "Memory not found: "+id)
}

func getSession(x *server.Exchange) error {
	t, err := session(x)
	if err == nil {
		x.JSON(sessionOf(t))
	}
	return err
}

// deleteSession deletes a thread, until it is restored or purged.
func deleteSession(x *server.Exchange) error {
	t, err := session(x)
	if err != nil {
		return err
	}
	if err := x.Threads().Delete(t.ID); err != nil {
		return err
	}
	x.JSON(deleted(sessionsIndex, t.ID))
	return nil
}

// deleted is what OpenSearch says of a document that was deleted.
func deleted(index, id string) object {
	return object{
		"_index": index, "_id": id, "_version": 2, "result": "deleted",
		"_shards": object{"total": 1, "successful": 1, "failed": 0}, "_seq_no": 1, "_primary_term": 1,
	}
}
