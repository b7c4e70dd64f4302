// Package accesslog reads a web server's access log into a SQLite database for queries.
//
//	log, err := accesslog.Open(ctx, "access.log.gz") // or Load(ctx, reader), or Sample(ctx)
//	defer log.Close()
//	fmt.Println(log.Stats.Count, log.Stats.Bad)
//	rows, err := log.DB.QueryContext(ctx, "SELECT path FROM access_log WHERE status = 404")
//
// It understands the common and combined log formats as written by Apache httpd and nginx
// (https://httpd.apache.org/docs/current/logs.html#accesslog), plain or gzipped, with an optional
// virtual host in front and extra fields at the end. Invalid lines are counted and the first few
// are reported.
//
// The request line is split into method, path, query and protocol: path is the request target
// without its query string, query the part after the first "?". A "-" in the log is a null. In
// quoted fields \" and \\ are unescaped; other escapes (\xhh) stay as the server wrote them, so
// that no control character leaves the log.
package accesslog
