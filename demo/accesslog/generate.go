package accesslog

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"
)

// day is midnight UTC of the day of the sample log.
var day = time.Date(2026, time.March, 12, 0, 0, 0, 0, time.UTC)

// visits is the number of visits of the day, which makes about 11,000 lines.
const visits = 1500

// Generate writes a plausible day of a small shop's web server as a combined log: the same bytes on
// every machine. Traffic follows the time of day, with crawlers and feed readers. It contains two
// incidents: a scanner probes for vulnerabilities from 03:05 to 03:27, and after a deployment at
// 14:10 the checkout fails with 502 until the rollback at 14:52.
func Generate(w io.Writer) error {
	g := &generator{random: rand.New(rand.NewPCG(0, 0x5eed))}
	for range visits {
		g.visit()
	}
	g.crawlers()
	g.scanner()
	g.deployments()
	slices.SortStableFunc(g.lines, func(a, b sampleLine) int { return a.at.Compare(b.at) })
	out := bufio.NewWriter(w)
	for _, l := range g.lines {
		if _, err := fmt.Fprintf(out, "%s - %s [%s] \"%s %s HTTP/1.1\" %d %s \"%s\" \"%s\"\n", l.ip, l.user, l.at.Format(timeLayout),
			l.method, l.target, l.status, l.size(), orDash(l.referrer), l.agent); err != nil {
			return fmt.Errorf("write sample log: %w", err)
		}
	}
	return out.Flush()
}

type generator struct {
	random *rand.Rand
	lines  []sampleLine
}

type sampleLine struct {
	at                              time.Time
	ip, user, method, target, agent string
	referrer                        string
	status, bytes                   int
}

func (l sampleLine) size() string {
	if l.bytes == 0 {
		return "-"
	}
	return fmt.Sprint(l.bytes)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

const shop = "https://shop.example"

// hourWeights is the traffic of each hour: a quiet night, a lunch peak and a higher one in the
// evening.
var hourWeights = []int{14, 9, 6, 5, 5, 8, 16, 30, 45, 55, 60, 66, 74, 70, 62, 60, 62, 66, 74, 84, 88, 74, 48, 27}

var browsers = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/133.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/133.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/133.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:135.0) Gecko/20100101 Firefox/135.0",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/133.0.0.0 Safari/537.36 Edg/133.0.0.0",
}

var pages = []string{"/", "/", "/products", "/products/trail-shoe", "/products/rain-jacket", "/products/day-pack", "/products/head-lamp",
	"/products/tent-2p", "/search", "/cart", "/blog/", "/blog/packing-light", "/about", "/help/returns"}

var referrers = []string{"", "", "https://www.google.com/", "https://duckduckgo.com/", "https://www.bing.com/", "https://news.example/gear"}

var searches = []string{"tent", "rain+jacket", "shoes+42", "head+lamp", "stove", "sleeping+bag"}

func pick[T any](g *generator, items []T) T { return items[g.random.IntN(len(items))] }

// between returns a random number from low to high, inclusive.
func (g *generator) between(low, high int) int { return low + g.random.IntN(high-low+1) }

func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

func (g *generator) clock(hour, minute int) time.Time {
	return day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

// moment returns a random second of the day, more often in busy hours.
func (g *generator) moment() time.Time {
	total := 0
	for _, w := range hourWeights {
		total += w
	}
	n := g.random.IntN(total)
	for hour, w := range hourWeights {
		if n < w {
			return g.clock(hour, 0).Add(time.Duration(g.random.IntN(3600)) * time.Second)
		}
		n -= w
	}
	return day
}

func (g *generator) add(l sampleLine) {
	if l.user == "" {
		l.user = "-"
	}
	if l.at.Before(day.Add(24 * time.Hour)) {
		g.lines = append(g.lines, l)
	}
}

// address returns a client address from the ranges reserved for documentation (RFC 5737, RFC 3849).
func (g *generator) address() string {
	switch {
	case g.chance(12):
		return fmt.Sprintf("2001:db8:%x::%x", g.between(1, 0xfff), g.between(1, 0xffff))
	case g.chance(50):
		return fmt.Sprintf("198.51.100.%d", g.between(1, 254))
	}
	return fmt.Sprintf("192.0.2.%d", g.between(1, 254))
}

// visit is one visitor who views some pages and may buy something.
func (g *generator) visit() {
	at, ip, agent, from := g.moment(), g.address(), pick(g, browsers), pick(g, referrers)
	cached := g.chance(35)
	for range g.between(1, 5) {
		target, status := g.page()
		g.add(sampleLine{at: at, ip: ip, method: "GET", target: target, agent: agent, referrer: from, status: status, bytes: g.between(2_000, 38_000)})
		from = shop + target
		g.assets(at, ip, agent, from, cached)
		cached = true
		at = at.Add(time.Duration(g.between(4, 90)) * time.Second)
	}
	if g.chance(30) {
		g.checkout(at, ip, agent)
	}
}

// page is a visitor's request, sometimes for something gone, moved or broken.
func (g *generator) page() (target string, status int) {
	switch n := g.random.IntN(1000); {
	case n < 8:
		return pick(g, []string{"/products/winter-sale", "/blog/2019/old-post", "/press", "/catalog.pdf"}), 404
	case n < 20:
		return "/blog", 301
	case n < 23:
		return "/search?q=%25", 500
	}
	target = pick(g, pages)
	if target == "/search" {
		target += "?q=" + pick(g, searches)
	}
	return target, 200
}

func (g *generator) assets(at time.Time, ip, agent, from string, cached bool) {
	for _, asset := range []string{"/assets/app.css", "/assets/app.js", "/favicon.ico"}[:g.between(0, 3)] {
		l := sampleLine{at: at.Add(time.Second), ip: ip, method: "GET", target: asset, agent: agent, referrer: from, status: 200, bytes: g.between(900, 90_000)}
		switch {
		case asset == "/favicon.ico" && g.chance(6):
			l.status, l.bytes = 404, 162
		case cached && g.chance(60):
			l.status, l.bytes = 304, 0
		}
		g.add(l)
	}
}

// checkout is a purchase. During the bad deployment most of them fail, and people try again.
func (g *generator) checkout(at time.Time, ip, agent string) {
	g.add(sampleLine{at: at, ip: ip, method: "GET", target: "/cart", agent: agent, referrer: shop + "/products", status: 200, bytes: g.between(4_000, 9_000)})
	for range g.between(4, 7) {
		at = at.Add(time.Duration(g.between(5, 20)) * time.Second)
		l := sampleLine{at: at, ip: ip, method: "POST", target: "/api/checkout", agent: agent, referrer: shop + "/cart", status: 201, bytes: g.between(300, 700)}
		broken := at.After(g.clock(14, 12)) && at.Before(g.clock(14, 52))
		if broken && g.chance(88) {
			l.status, l.bytes = 502, 157
		}
		g.add(l)
		if l.status == 201 {
			return
		}
	}
}

func (g *generator) crawlers() {
	for range 420 {
		g.add(sampleLine{at: day.Add(time.Duration(g.random.IntN(86400)) * time.Second), ip: fmt.Sprintf("203.0.113.%d", g.between(10, 14)), method: "GET", target: pick(g, pages),
			agent: "Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example/about)", status: 200, bytes: g.between(2_000, 38_000)})
	}
	for minute := 0; minute < 24*60; minute += 15 {
		g.add(sampleLine{at: g.clock(0, minute), ip: "203.0.113.20", method: "GET", target: "/blog/feed.xml", agent: "FeedFetcher/4.0 (12 subscribers)", status: 304})
	}
	for minute := 0; minute < 24*60; minute += 5 {
		g.add(sampleLine{at: g.clock(0, minute), ip: "10.0.0.9", method: "GET", target: "/healthz", agent: "uptime-monitor/1.8", status: 200, bytes: 2})
	}
}

var probes = []string{"/wp-login.php", "/wp-admin/setup-config.php", "/.env", "/.git/config", "/phpmyadmin/index.php", "/admin.php", "/backup.zip", "/config.json",
	"/cgi-bin/test.cgi", "/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php", "/server-status", "/shell.php", "/old/db.sql", "/api/v1/users?id=1%27"}

// scanner is a client that requests missing pages, at most twice a second.
func (g *generator) scanner() {
	at := g.clock(3, 5)
	for at.Before(g.clock(3, 27)) {
		status := 404
		if g.chance(4) {
			status = 403
		}
		g.add(sampleLine{at: at, ip: "203.0.113.66", method: "GET", target: pick(g, probes), agent: "python-requests/2.31.0", status: status, bytes: 162})
		at = at.Add(time.Duration(g.between(1, 4)) * time.Second)
	}
}

func (g *generator) deployments() {
	for _, d := range []struct {
		at     time.Time
		target string
	}{{g.clock(14, 10), "/internal/deploy?release=2026.3.12-1"}, {g.clock(14, 52), "/internal/rollback?release=2026.3.11-4"}} {
		g.add(sampleLine{at: d.at, ip: "10.0.0.5", user: "deploy", method: "POST", target: d.target, agent: "deploy-agent/1.4", status: 200, bytes: 64})
	}
}
