package accesslog

import "strings"

// families are looked for in this order: most browsers name older ones, too.
var families = []struct{ mark, name string }{
	{"bot", "Bot"}, {"crawl", "Bot"}, {"spider", "Bot"}, {"slurp", "Bot"}, {"feed", "Bot"}, {"archiver", "Bot"}, {"facebookexternalhit", "Bot"},
	{"tiny tiny rss", "Bot"}, {"scan", "Bot"}, {"monitor", "Bot"}, {"pingdom", "Bot"}, {"subscribers", "Bot"}, {"readers", "Bot"}, {"ezooms", "Bot"}, {"+http", "Bot"},
	{"curl/", "Tool"}, {"wget/", "Tool"}, {"python", "Tool"}, {"go-http-client", "Tool"}, {"java/", "Tool"}, {"libwww", "Tool"}, {"ruby", "Tool"}, {"okhttp", "Tool"}, {"puppet", "Tool"}, {"chef client", "Tool"},
	{"edg/", "Edge"}, {"edge/", "Edge"}, {"opr/", "Opera"}, {"opera", "Opera"},
	{"firefox/", "Firefox"}, {"chromium/", "Chrome"}, {"chrome/", "Chrome"}, {"crios/", "Chrome"}, {"android", "Android"},
	{"safari/", "Safari"}, {"applewebkit", "Safari"}, {"msie", "Internet Explorer"}, {"trident/", "Internet Explorer"},
}

// Browser is the family that a user agent names: Chrome, Firefox, Safari, …, "Bot" for crawlers and
// feed readers, "Tool" for libraries and command-line tools, "Other", or empty where there is no
// user agent.
func Browser(userAgent string) string {
	if userAgent == "" {
		return ""
	}
	lower := strings.ToLower(userAgent)
	for _, f := range families {
		if strings.Contains(lower, f.mark) {
			return f.name
		}
	}
	return "Other"
}
