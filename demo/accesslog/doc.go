// Package accesslog reads a web server's access log and keeps it in SQLite, where queries can run
// on it.
//
//	log, err := accesslog.Open(ctx, "access.log.gz") // or Load(ctx, reader), or Sample(ctx)
//	defer log.Close()
//	fmt.Println(log.Stats.Total, log.Stats.Bad)
//	rows, err := log.DB().QueryContext(ctx, "SELECT path FROM access_log WHERE status = 404")
//
// It understands the common and the combined log format as Apache httpd and nginx write them
// (https://httpd.apache.org/docs/current/logs.html#accesslog), plain or compressed with gzip, with
// a virtual host in front or extra fields at the end. Lines it cannot read are counted and the
// first few are reported; they never stop it.
//
// The request line is split into method, path, query and protocol: path is the request target
// without its query string, query what stands after the first "?", without it. A "-" in the log is
// a null. In quoted fields \" and \\ are unescaped; other escapes (\xhh) stay as the server wrote
// them, so that no control character gets out of the log.
//
// What queries look like is package ppl's business, how a person sees the log package demo's.
package accesslog
