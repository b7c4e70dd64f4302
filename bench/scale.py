#!/usr/bin/env python3
"""scale.py: how the server's cost grows with what there is of it.

    python3 scale.py [--only followers,tools] [--large] [--out results/scale]

Each dimension is measured at a few sizes, each with a server of its own on processor 0; the mock
provider, the load generator and this program have processor 1. A point is the server's processor
time for what the dimension counts, so that other programs hardly matter. The exponent is the slope
of the line through the logarithms of the larger half of the points: 1 is linear. Writes OUT.md, a
table, and OUT.svg, a picture. Needs what `make bench` builds; Linux only. Exits with 1 where an
exponent is above LIMIT.
"""
import argparse, http.client, json, math, os, resource, selectors, socket, subprocess, sys, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
MOCK, SERVER = "127.0.0.1:9901", "127.0.0.1:9920"
RUN = "/v1/agents/default/run"
LIMIT = 1.15
TICK = 1000 / os.sysconf("SC_CLK_TCK")


def get(host, path):
    c = http.client.HTTPConnection(host, timeout=120)
    c.request("GET", path)
    r = c.getresponse()
    body = r.read()
    c.close()
    if r.status != 200:
        raise SystemExit(f"GET {path}: {r.status} {body[:200]!r}")
    return body


def pinned(cpu, *command, **env):
    return subprocess.Popen(["taskset", "-c", str(cpu), *command], env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def opened(host):
    for _ in range(400):
        try:
            socket.create_connection(host.split(":"), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"nothing listens on {host}")


class Server:
    """A server with an empty store."""

    def __init__(self, **env):
        self.env = env

    def __enter__(self):
        self.process = pinned(0, f"{HERE}/bin/server", ADDR=SERVER, UP=MOCK, **self.env)
        opened(SERVER)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK

    def load(self, mock, **options):
        """Runs the load generator; returns what it says, where every run was right."""
        get(MOCK, f"/__ctl?{mock}")
        options = {"max": "600s", "timeout": "600s", "warm": 0, **options}
        flags = [part for name, value in options.items() for part in (f"-{name}", str(value))]
        done = subprocess.run(["taskset", "-c", "1", f"{HERE}/bin/load", "-url", f"http://{SERVER}{RUN}", "-pid", str(self.process.pid), *flags], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"load {flags}: {done.stderr or done.stdout}"[:600])
        return json.loads(done.stdout)

    def each(self, path, times=200):
        """Processor ms of one GET."""
        get(SERVER, path)
        before = self.cpu()
        for _ in range(times):
            get(SERVER, path)
        return (self.cpu() - before) / times


def warm(s):
    s.load("c=20&b=20", c=8, runs=20)


def runs_of(n, mock="c=20&b=20", **options):
    """Processor ms of a run."""
    with Server() as s:
        warm(s)
        return s.load(mock, **options)["server"]["cpu_ms_per_run"]


def tokens(n):
    return runs_of(n, f"c={n}&b=20", c=4, runs=max(2, 20_000 // n))


def live(n):
    """All runs together: each has 30 tokens, one in a second, and they begin at 250 a second."""
    with Server() as s:
        warm(s)
        return s.load("c=30&b=20&d=1s", c=n, runs=1, ramp=f"{max(1, n // 250)}s", msgs=1, tools=0, ctx=0)["server"]["cpu_ms"]


def messages(n):
    return runs_of(n, c=2, runs=max(4, 4_000 // n), msgs=n, msgsize=200)


def context(n):
    return runs_of(n, c=4, runs=100, ctx=max(1, n // 2048), ctxsize=min(n, 2048))


def tools(n):
    return runs_of(n, c=4, runs=100, tools=n)


def followers(n):
    """A run of 200 tokens, 20 ms apart, that n others follow."""
    with Server() as s:
        warm(s)
        get(MOCK, "/__ctl?c=200&b=20&d=20ms&ttft=2s")
        run = {"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": "hello"}], "tools": [], "context": [], "state": {}, "forwardedProps": {}}
        before = s.cpu()
        asking = threading.Thread(target=post, args=(run,))
        asking.start()
        time.sleep(0.5)
        follow("/v1/runs/r/events", n)
        asking.join()
        return s.cpu() - before


def post(body):
    c = http.client.HTTPConnection(SERVER, timeout=600)
    c.request("POST", RUN, json.dumps(body), {"Content-Type": "application/json", "Accept": "text/event-stream"})
    text = c.getresponse().read()
    if b"RUN_FINISHED" not in text:
        raise SystemExit(f"the run did not finish: {text[-300:]!r}")


def follow(path, n):
    """Reads the stream n times at once, to its end."""
    request = f"GET {path} HTTP/1.1\r\nHost: {SERVER}\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n".encode()
    ready, open_, ended = selectors.DefaultSelector(), 0, 0
    for _ in range(n):
        c = socket.create_connection(SERVER.split(":"), 60)
        c.sendall(request)
        c.setblocking(False)
        ready.register(c, selectors.EVENT_READ, bytearray())
        open_ += 1
    while open_:
        for key, _ in ready.select():
            part = key.fileobj.recv(1 << 16)
            if part:
                key.data[:] = (key.data + part)[-400:]
                continue
            ended += b"RUN_FINISHED" in key.data
            ready.unregister(key.fileobj)
            key.fileobj.close()
            open_ -= 1
    if ended != n:
        raise SystemExit(f"{ended} of {n} followers saw the end")


def threads(n):
    """With n threads stored: a run on a new thread, a page of the list, a search that finds little."""
    with Server() as s:
        s.load("c=1&b=20", c=64, runs=math.ceil(n / 64), msgs=1, msgsize=100, tools=0, ctx=0)
        time.sleep(2)  # the search index catches up
        run = s.load("c=20&b=20", c=4, runs=200)["server"]["cpu_ms_per_run"]
        return {"threads: a run": run, "threads: a page of the list": s.each("/v1/threads?limit=20"), "threads: a search": s.each("/v1/threads?limit=20&q=nowhere")}


DIMENSIONS = {
    "followers": (followers, [1, 10, 100, 1000], "followers of a run of 200 tokens: all of it"),
    "live": (live, [10, 100, 1000, 5000], "live runs of 30 tokens: all of them"),
    "tokens": (tokens, [100, 1000, 10_000, 100_000], "tokens of a run: the run"),
    "messages": (messages, [10, 100, 1000, 10_000], "messages of a new thread: the run"),
    "context": (context, [2048, 8192, 32_768, 65_536], "bytes of context: the run"),
    "tools": (tools, [1, 10, 100, 500], "tools offered: the run"),
    "threads": (threads, [1000, 10_000, 100_000], "threads stored"),
}


def exponent(points):
    """The slope over the larger half of the points, by least squares."""
    half = [(math.log(n), math.log(max(ms, 1e-3))) for n, ms in points[len(points) // 2 - 1 + len(points) % 2:]]
    mx, my = (sum(v[i] for v in half) / len(half) for i in (0, 1))
    return sum((x - mx) * (y - my) for x, y in half) / sum((x - mx) ** 2 for x, _ in half)


def measure(names, large):
    series = {}
    for name in names:
        of, sizes, what = DIMENSIONS[name]
        for n in sizes + ([1_000_000] if large and name == "threads" else []):
            cost = of(n)
            for title, ms in (cost if isinstance(cost, dict) else {what: cost}).items():
                series.setdefault(title, []).append((n, ms))
                print(f"{time.strftime('%T')} {title}: {n:,} {ms:.3f} ms", flush=True)
    return series


def figure(ms):
    return f"{ms:.3g}" if ms < 100 else f"{ms:,.0f}"


def table(series):
    lines = ["| what grows: whose cost | processor time, ms | exponent |", "|---|---|---|"]
    for title, points in series.items():
        costs = " · ".join(f"{n:,}: {figure(ms)}" for n, ms in points)
        lines.append(f"| {title} | {costs} | {exponent(points):.2f} |")
    return "\n".join(lines) + "\n"


def picture(series):
    """Small multiples on logarithmic scales, each beside the line of what is linear."""
    width, height, columns = 250, 190, 3
    rows = math.ceil(len(series) / columns)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * columns} {height * rows}" font-family="system-ui, sans-serif" font-size="10">', '<rect width="100%" height="100%" fill="#fff"/>']
    for i, (title, points) in enumerate(series.items()):
        left, top = i % columns * width + 40, i // columns * height + 30
        w, h = width - 75, height - 60
        xs, ys = [math.log10(n) for n, _ in points], [math.log10(max(ms, 1e-3)) for _, ms in points]
        span = max(xs[-1] - xs[0], max(ys) - min(ys), 1e-9)
        at = lambda x, y: (left + (x - xs[0]) / span * w, top + h - (y - min(ys)) / span * h)
        line = " ".join("%.1f,%.1f" % at(x, y) for x, y in zip(xs, ys))
        (x1, y1), (x2, y2) = at(xs[-1] - (span and min(span, xs[-1] - xs[0])), ys[-1] - (xs[-1] - xs[0])), at(xs[-1], ys[-1])
        out.append(f'<text x="{left - 30}" y="{top - 14}" font-weight="600" fill="#1a1c23">{title}</text>')
        out.append(f'<clipPath id="c{i}"><rect x="{left}" y="{top}" width="{w}" height="{h}"/></clipPath>')
        out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#c3c6d1" stroke-dasharray="3 3" clip-path="url(#c{i})"/>')
        out.append(f'<polyline points="{line}" fill="none" stroke="#4655d4" stroke-width="2"/>')
        for (n, ms), x, y in zip(points, xs, ys):
            px, py = at(x, y)
            out.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="#4655d4"/>')
            out.append(f'<text x="{px:.1f}" y="{top + h + 14}" text-anchor="middle" fill="#5c6070">{n if n < 1000 else f"{n / 1000:.0f} k"}</text>')
            out.append(f'<text x="{px:.1f}" y="{py - 6:.1f}" text-anchor="middle" fill="#1a1c23">{figure(ms)}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--only", default=",".join(DIMENSIONS), help="dimensions, with commas between them")
    a.add_argument("--large", action="store_true", help="a million threads too")
    a.add_argument("--out", default=f"{HERE}/results/scale")
    a = a.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    os.sched_setaffinity(0, {1})
    mock = pinned(1, f"{HERE}/bin/mockllm", "-addr", MOCK)
    try:
        opened(MOCK)
        series = measure(a.only.split(","), a.large)
    finally:
        mock.terminate()
    os.makedirs(os.path.dirname(a.out), exist_ok=True)
    for ending, text in ((".md", table(series)), (".svg", picture(series))):
        with open(a.out + ending, "w") as f:
            f.write(text)
    print(table(series))
    steep = [title for title, points in series.items() if exponent(points) > LIMIT]
    if steep:
        sys.exit("grows faster than linear: " + "; ".join(steep))


if __name__ == "__main__":
    main()
