package accesslog

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

const oneLine = `10.0.0.1 - - [10/Oct/2000:13:55:36 +0000] "GET /a HTTP/1.1" 200 1 "-" "-"`

func load(t *testing.T, text string) *Log {
	t.Helper()
	log := must.Get(Load(t.Context(), strings.NewReader(text)))(t)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func count(t *testing.T, l *Log, condition string) (n int) {
	t.Helper()
	must.Do(t, l.DB.QueryRow("SELECT count(*) FROM access_log WHERE "+condition).Scan(&n))
	return n
}

func TestLoadToleratesBadLines(t *testing.T) {
	text := oneLine + "\r\n\n" + "garbage\n" + strings.Replace(oneLine, "/a", "/"+strings.Repeat("x", MaxLine), 1) + "\n" +
		strings.Replace(oneLine, "/a", "/b\xff\x00", 1) + "\n" + strings.Repeat("bad\n", 20) + strings.Replace(oneLine, "10/Oct", "09/Oct", 1)
	log := load(t, text)
	if log.Stats.Count != 3 || log.Stats.Bad != 22 || len(log.Stats.BadLines) != 10 {
		t.Fatalf("%+v", log.Stats)
	}
	if b := log.Stats.BadLines[0]; b.Line != 3 || b.Reason == "" {
		t.Errorf("first bad line %+v", b)
	}
	if b := log.Stats.BadLines[1]; b.Line != 4 || !strings.Contains(b.Reason, "longer than 65536") {
		t.Errorf("long line %+v", b)
	}
	must.Be(t, count(t, log, "timestamp < unixepoch('2000-10-10') * 1000"), 1, "lines of the day before")
	if count(t, log, "_id = 26") != 1 || count(t, log, "_id = 1 AND raw LIKE '%\"-\"'") != 1 {
		t.Error("_id is the number of the line, raw the line without its end")
	}
}

func TestLoadGzip(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(oneLine + "\n" + oneLine + "\n"))
	_ = w.Close()
	log := load(t, zipped.String())
	must.Be(t, log.Stats.Count, 2, "%+v", log.Stats)
	_, err := Load(t.Context(), bytes.NewReader(zipped.Bytes()[:zipped.Len()-10]))
	must.Fail(t, err, "read line", "a gzip that is cut off")
}

func TestLoadRefusesOtherFiles(t *testing.T) {
	if _, err := Load(t.Context(), strings.NewReader("a,b\n1,2\n")); !errors.Is(err, ErrNoEvents) {
		t.Errorf("%v", err)
	}
	if log := load(t, ""); log.Stats.Count != 0 {
		t.Errorf("an empty log is no error: %+v", log.Stats)
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "none.log")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestDatabaseIsReadOnlyAndRemoved(t *testing.T) {
	log := must.Get(Load(t.Context(), strings.NewReader(oneLine)))(t)
	for _, statement := range []string{"DELETE FROM access_log", "CREATE TABLE x (y)", "PRAGMA query_only = 0; DELETE FROM access_log"} {
		if _, err := log.DB.Exec(statement); err == nil {
			t.Errorf("%s succeeded", statement)
		}
	}
	must.Do(t, log.Close())
	if err := log.DB.Ping(); err == nil {
		t.Error("it is still open")
	}
}

func TestOpenNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "web server.log")
	must.Do(t, os.WriteFile(path, []byte(oneLine), 0o600))
	log, err := Open(t.Context(), path)
	if err != nil || log.Name != "web server.log" {
		t.Fatalf("%v, %v", log, err)
	}
	_ = log.Close()
}

func TestSampleHoldsItsIncidents(t *testing.T) {
	var lines strings.Builder
	if err := WriteSample(&lines); err != nil || strings.Count(lines.String(), "\n") != 13448 {
		t.Error(strings.Count(lines.String(), "\n"), err)
	}
	log := must.Get(Sample(t.Context()))(t)
	defer func() { _ = log.Close() }()
	if log.Stats.Bad != 0 || log.Stats.Count < 2_000 || log.Stats.Count > 20_000 {
		t.Errorf("%+v", log.Stats)
	}
	if n := count(t, log, "timestamp NOT BETWEEN 1773273600000 AND 1773359999000"); n != 0 {
		t.Errorf("%d events are not on 12 March 2026", n)
	}
	inBurst := count(t, log, "status = 502 AND path = '/api/checkout' AND timestamp/60000%1440 BETWEEN 14*60+12 AND 14*60+52")
	if all := count(t, log, "status = 502"); inBurst < 40 || inBurst != all {
		t.Errorf("%d of %d failures are in the burst", inBurst, all)
	}
	scan := count(t, log, "clientip = '203.0.113.66' AND status = 404 AND timestamp/60000%1440 BETWEEN 3*60+5 AND 3*60+27")
	if all := count(t, log, "clientip = '203.0.113.66'"); scan < 300 || scan < all*9/10 {
		t.Errorf("the scanner got %d of %d", scan, all)
	}
	must.Be(t, count(t, log, "path LIKE '/internal/%' AND user = 'deploy'"), 2, "deployments")
}

func TestBrowser(t *testing.T) {
	for agent, want := range map[string]string{
		"": "", "Mozilla/5.0 (X11; rv:135.0) Gecko/20100101 Firefox/135.0": "Firefox", "Mozilla/5.0 Chrome/133.0 Safari/537.36 Edg/133.0": "Edge",
		"Mozilla/5.0 (iPhone) AppleWebKit/605 Version/18.3 Mobile Safari/604.1": "Safari", "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 6.0)": "Internet Explorer",
		"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)": "Bot", "Wget/1.21": "Tool", "something else": "Other",
	} {
		must.Be(t, Browser(agent), want, "%q", agent)
	}
}
