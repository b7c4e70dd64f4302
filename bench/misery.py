#!/usr/bin/env python3
"""misery.py: what others bear beside somebody who is a burden.

    python3 misery.py [--only stalled,searches,flood] [--out results/misery.md]

- stalled: the time of a token in 100 live streams, beside 500 readers that stop reading
- searches: the time of a plain read, beside 60 searches at once
- flood: the time of a neighbour's run, beside one user who posts without pause, 16 at once

Each is measured alone and beside it, in turns, ROUNDS times; the medians stand in the table. Times
are of the clock: the machine should be quiet. Needs what `make bench` builds; Linux only.
"""
import argparse, http.client, json, multiprocessing, os, socket, statistics, threading, time
from scale import HERE, MOCK, RUN, SERVER, Server, get, opened, pinned

ROUNDS = 3


def p99(times):
    return sorted(times)[min(len(times) - 1, round(len(times) * 0.99))]


def post(connection, user, thread, text="hello"):
    """Asks on a thread; returns the status and the seconds that the answer took."""
    body = json.dumps({"threadId": thread, "runId": f"r-{thread}", "messages": [{"id": f"m-{thread}", "role": "user", "content": text}], "tools": [], "context": [], "state": {}, "forwardedProps": {}})
    began = time.perf_counter()
    connection.request("POST", RUN, body, {"Content-Type": "application/json", "Accept": "text/event-stream", "X-User": user})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status == 200 and b"RUN_FINISHED" not in text:
        raise SystemExit(f"the run of {thread} did not finish: {text[-300:]!r}")
    return answer.status, time.perf_counter() - began


class Beside:
    """Repeats work in processes of their own until it is left. They give way to what is timed."""

    def __init__(self, count, work):
        self.over = multiprocessing.Event()
        self.processes = [multiprocessing.Process(target=self.repeat, args=(work, i), daemon=True) for i in range(count)]

    def repeat(self, work, i):
        os.nice(15)
        n = 0
        while not self.over.is_set():
            work(i, n)
            n += 1

    def __enter__(self):
        for p in self.processes:
            p.start()
        time.sleep(1)

    def __exit__(self, *_):
        self.over.set()
        for p in self.processes:
            p.join()


class Stalled:
    """Readers of a long run that stop reading after its first bytes."""

    def __init__(self, count):
        self.count, self.connections = count, []

    def __enter__(self):
        get(MOCK, "/__ctl?c=20000&b=400&d=1ms")
        self.run = threading.Thread(target=self.ask, daemon=True)
        self.run.start()
        time.sleep(1)
        for _ in range(self.count):
            c = socket.socket()
            c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            c.connect(tuple(p if i == 0 else int(p) for i, p in enumerate(SERVER.split(":"))))
            c.sendall(f"GET /v1/runs/r-long/events HTTP/1.1\r\nHost: {SERVER}\r\n\r\n".encode())
            self.connections.append(c)
        time.sleep(2)

    def ask(self):
        try:
            post(http.client.HTTPConnection(SERVER, timeout=120), "", "long")
        except (OSError, http.client.HTTPException):
            pass  # the server has been stopped

    def __exit__(self, *_):
        for c in self.connections:
            c.close()


def tokens(beside):
    with Server() as s:
        if not beside:
            return s.load("c=200&b=20&d=5ms", c=100, runs=3, warm=1, warmc=40, ramp="500ms")["token_ms"]["p99"]
        with Stalled(500):
            return s.load("c=200&b=20&d=5ms", c=100, runs=3, warm=1, warmc=40, ramp="500ms")["token_ms"]["p99"]


def reads(beside):
    with Server() as s:
        s.load("c=5&b=400", c=16, runs=125, msgs=10, msgsize=400, tools=0, ctx=0)
        get(MOCK, "/__ctl?c=5&b=20")
        post(http.client.HTTPConnection(SERVER, timeout=60), "", "plain")
        time.sleep(2)

        def search(i, n):
            get(SERVER, f"/v1/threads?limit=50&q=quick%20brown%20{'fox' if i % 2 else 'cha'}")

        def timed():
            c, times = http.client.HTTPConnection(SERVER, timeout=60), []
            for _ in range(500):
                began = time.perf_counter()
                c.request("GET", "/v1/threads/plain/messages")
                c.getresponse().read()
                times.append(time.perf_counter() - began)
            return p99(times) * 1000

        if not beside:
            return timed()
        with Beside(60, search):
            return timed()


def neighbours(beside):
    with Server(USERS="1") as s:
        get(MOCK, "/__ctl?c=20&b=20")

        def flood(i, n):
            c = http.client.HTTPConnection(SERVER, timeout=60)
            post(c, "flood", f"f{i}-{n}")
            c.close()

        def timed():
            times = []
            for n in range(10):
                for user in range(20):
                    status, seconds = post(http.client.HTTPConnection(SERVER, timeout=60), f"u{user}", f"n{n}-{user}")
                    if status != 200:
                        raise SystemExit(f"a neighbour was refused: {status}")
                    times.append(seconds)
            return p99(times) * 1000

        if not beside:
            return timed()
        with Beside(16, flood):
            return timed()


WHAT = {
    "stalled": (tokens, "a token of 100 live streams, beside 500 stalled readers", 1.2),
    "searches": (reads, "a plain read, beside 60 searches at once", 2),
    "flood": (neighbours, "a neighbour's run, beside a user who posts without pause", 2),
}


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--only", default=",".join(WHAT), help="some of them, with commas between")
    a.add_argument("--out", default=f"{HERE}/results/misery.md")
    a = a.parse_args()
    os.sched_setaffinity(0, {1})
    mock = pinned(1, f"{HERE}/bin/mockllm", "-addr", MOCK)
    lines = ["| p99 of | alone, ms | beside it, ms | ratio | goal |", "|---|---|---|---|---|"]
    try:
        opened(MOCK)
        for name in a.only.split(","):
            of, what, goal = WHAT[name]
            alone, beside = [], []
            for _ in range(ROUNDS):
                alone.append(of(False))
                beside.append(of(True))
                print(f"{time.strftime('%T')} {what}: {alone[-1]:.2f} and {beside[-1]:.2f} ms", flush=True)
            x, y = statistics.median(alone), statistics.median(beside)
            lines.append(f"| {what} | {x:.2f} | {y:.2f} | {y / x:.2f} | {goal} |")
    finally:
        mock.terminate()
    os.makedirs(os.path.dirname(os.path.abspath(a.out)), exist_ok=True)
    with open(a.out, "w") as f:
        f.write("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
