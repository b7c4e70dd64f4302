package egress

import "net/netip"

// kind classifies an address.
type kind string

const (
	public      kind = "" // reachable from anywhere
	loopback    kind = "a loopback address"
	private     kind = "a private address"
	shared      kind = "an address shared behind a carrier's NAT"
	linkLocal   kind = "a link-local address"
	metadata    kind = "a cloud provider's metadata address"
	multicast   kind = "a multicast address"
	unspecified kind = "an unspecified address"
	reserved    kind = "a reserved address"
	translated  kind = "an address that is translated into another one"
)

// internal reports whether hosts of a private network may have such addresses. No service has an
// address of the other kinds.
func (k kind) internal() bool { return k == loopback || k == private || k == shared }

type block struct {
	prefix netip.Prefix
	kind   kind
}

// blocks are the special blocks of the IANA registries for IPv4 and IPv6 (RFC 6890 and its
// successors), and the addresses of cloud metadata services. The first block that contains an
// address decides.
var blocks = parse(
	"168.63.129.16/32", metadata, // Azure, in the middle of public space
	"169.254.169.254/32", metadata,
	"169.254.170.2/32", metadata, // AWS ECS
	"100.100.100.200/32", metadata, // Alibaba
	"192.0.0.192/32", metadata, // Oracle
	"fd00:ec2::/64", metadata, // AWS
	"fd20:ce::254/128", metadata, // Google

	"0.0.0.0/8", unspecified,
	"10.0.0.0/8", private,
	"100.64.0.0/10", shared,
	"127.0.0.0/8", loopback,
	"169.254.0.0/16", linkLocal,
	"172.16.0.0/12", private,
	"192.0.0.0/24", reserved,
	"192.0.2.0/24", reserved,
	"192.88.99.0/24", translated, // relays of 6to4
	"192.168.0.0/16", private,
	"198.18.0.0/15", reserved,
	"198.51.100.0/24", reserved,
	"203.0.113.0/24", reserved,
	"224.0.0.0/4", multicast,
	"240.0.0.0/4", reserved,

	"::/128", unspecified,
	"::1/128", loopback,
	"fc00::/7", private,
	"fe80::/10", linkLocal,
	"fec0::/10", private, // site-local, deprecated and still routed by some
	"ff00::/8", multicast,
	"2001::/32", translated, // Teredo
	"2001::/23", reserved,
	"2001:db8::/32", reserved,
	"2002::/16", translated, // 6to4
	"3fff::/20", reserved,
)

var (
	nat64 = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052: the last 32 bits are an IPv4 address
	// all of IPv6 that is assigned as global unicast
	global = netip.MustParsePrefix("2000::/3")
)

func parse(pairs ...any) []block {
	var bs []block
	for i := 0; i < len(pairs); i += 2 {
		bs = append(bs, block{netip.MustParsePrefix(pairs[i].(string)), pairs[i+1].(kind)})
	}
	return bs
}

// kindOf returns the kind of an address, or of the IPv4 address embedded in it.
func kindOf(addr netip.Addr) kind {
	addr = addr.WithZone("").Unmap()
	for _, b := range blocks {
		if b.prefix.Contains(addr) {
			return b.kind
		}
	}
	if addr.Is4() {
		return public
	}
	if nat64.Contains(addr) && kindOf(lastFour(addr)) == public {
		return public // the way out of an IPv6-only network
	}
	if nat64.Contains(addr) {
		return translated
	}
	if !global.Contains(addr) {
		return reserved
	}
	if isISATAP(addr) {
		return translated
	}
	return public
}

func lastFour(addr netip.Addr) netip.Addr {
	b := addr.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}

// isISATAP reports whether the interface identifier is one of RFC 5214, which tunnels to the IPv4
// address at its end.
func isISATAP(addr netip.Addr) bool {
	b := addr.As16()
	return (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
