// Package egress calls addresses from a configuration or a model, with an HTTP client that cannot
// be tricked into reaching the server's own network.
//
//	guard, err := egress.New(egress.Policy{Hosts: []string{"api.example.com"}})
//	…
//	resp, err := guard.Client().Get("https://api.example.com/v1/papers")
//	if blocked, ok := errors.AsType[*egress.Error](err); ok {
//		// egress to "api.example.com" is not allowed: it leads to 10.0.0.7, a private
//		// address; to allow it, add api.example.com to egress.private
//		log.Print(blocked)
//	}
//
// The decisive check comes last, on the address about to be connected to, so a name that resolves
// differently after a check gains nothing. Before that, URLs are read strictly: only http and
// https, no user name, no address in disguise, only configured ports. Redirects stay on their host.
// Bodies and times are limited, and proxies from the environment are ignored.
package egress
