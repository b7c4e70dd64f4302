#!/usr/bin/env python3
"""report.py FILE.jsonl...: medians over rounds, per scenario, as Markdown tables.

A cell is the median over the rounds; [min-max] follows where it helps. 'x' columns are ratios to the row BASE (default: fast)."""
import json, sys, os, statistics as st
base = os.environ.get("BASE", "fast")
rows = {}
for f in sys.argv[1:]:
    for l in open(f):
        try: d = json.loads(l)
        except ValueError: continue
        rows.setdefault(d["scenario"], {}).setdefault(d["name"], []).append(d)
order = ["direct", "raw", "fast", "fast1", "fast20", "durable", "std", "pageside", "ours", "trpc", "eino", "copilotkit", "aisdk"]
def g(d, path):
    for k in path.split("."):
        if not isinstance(d, dict) or k not in d: return None
        d = d[k]
    return d
def vals(ds, path): return [v for v in (g(d, path) for d in ds) if v is not None]
def num(x):
    if x is None: return "-"
    if abs(x) >= 1000: return f"{x:,.0f}"
    if abs(x) >= 100: return f"{x:.0f}"
    if abs(x) >= 10: return f"{x:.1f}"
    return f"{x:.2f}"
cols = {
 "S0": [("runs/s","runs_per_s",1,0),("CPU ms/run (median)","server.cpu_ms_per_run",1,1),("min","server.cpu_ms_per_run",1,2),("TTFT p50 ms","ttft_ms.p50",1,0),("TTFT p99","ttft_ms.p99",1,0),("RSS peak MB","server.rss_peak_kb",1/1024,0)],
 "S1": [("runs/s","runs_per_s",1,0),("tokens/s","tokens_per_s",1,0),("CPU us/token (median)","server.cpu_us_per_token",1,1),("min","server.cpu_us_per_token",1,2),("CPU ms/run","server.cpu_ms_per_run",1,0),("TTFT p50 ms","ttft_ms.p50",1,0),("TTFT p99","ttft_ms.p99",1,0),("RSS peak MB","server.rss_peak_kb",1/1024,0),("bytes/run","bytes_per_run",1,0),("util %","server.cpu_util_pct",1,0)],
 "S1p": [("CPU us/token (median)","server.cpu_us_per_token",1,1),("min","server.cpu_us_per_token",1,2),("token latency p50 ms","token_ms.p50",1,0),("p99 ms","token_ms.p99",1,0),("run lag p50 ms","lag_ms.p50",1,0),("lag p99","lag_ms.p99",1,0),("TTFT p50","ttft_ms.p50",1,0),("server CPU %","server.cpu_util_pct",1,0)],
 "S2": [("run lag p50 ms","lag_ms.p50",1,0),("lag p99 ms","lag_ms.p99",1,0),("tokens/s","tokens_per_s",1,0),("CPU us/token","server.cpu_us_per_token",1,1),("min","server.cpu_us_per_token",1,2),("token p50 ms","token_ms.p50",1,0),("token p99 ms","token_ms.p99",1,0),("RSS peak MB","server.rss_peak_kb",1/1024,0),("errors","runs_err",1,0)],
 "S3": [("runs/s","runs_per_s",1,0),("CPU ms/run","server.cpu_ms_per_run",1,1),("min","server.cpu_ms_per_run",1,2),("total p50 ms","total_ms.p50",1,0),("p99","total_ms.p99",1,0),("events/run","events",None,0),("RSS peak MB","server.rss_peak_kb",1/1024,0),("errors","runs_err",1,0)],
 "S4": [("CPU ms/run","server.cpu_ms_per_run",1,1),("min","server.cpu_ms_per_run",1,2),("first event p50 ms","ttfe_ms.p50",1,0),("first text p50 ms","ttft_ms.p50",1,0),("first text p99","ttft_ms.p99",1,0),("runs/s","runs_per_s",1,0),("RSS peak MB","server.rss_peak_kb",1/1024,0),("response KB/run","bytes_per_run",1/1024,0)],
 "S5": [("port open ms","port_ms",1,1),("first run done ms","first_run_ms",1,1),("RSS after first run MB","rss_after_first_kb",1/1024,0)],
}
cols["S4a"] = cols["S4"]
cols["S6"] = cols["S1p"]
cols["S2b"] = [c for c in cols["S2"]] + [("RSS idle MB","server.rss_idle_kb",1/1024,0)]
cols["S2c"] = cols["S2b"]
for sc in sorted(rows):
    cs = cols.get(sc)
    if not cs: continue
    ns = [n for n in order if n in rows[sc]] + [n for n in rows[sc] if n not in order]
    nr = max(len(rows[sc][n]) for n in ns)
    fo = [v for n in ns for v in vals(rows[sc][n], "foreign_cpus")]
    print(f"\n### {sc} ({nr} rounds" + (f"; other programs' CPUs: median {st.median(fo):.2f}, max {max(fo):.2f}" if fo else "") + ")\n")
    head = ["server"]
    for h, p, k, m in cs: head += [h] + (["x"] if m else [])
    print("| " + " | ".join(head) + " |"); print("|" + "---|" * len(head))
    def cell(ds, p, k, m):
        if k is None: v = [g(d, p) / max(1, d["runs_ok"]) for d in ds]
        else: v = [x * k for x in vals(ds, p)]
        if not v: return None
        return min(v) if m == 2 else st.median(v)
    for n in ns:
        r = [n]
        for h, p, k, m in cs:
            v = cell(rows[sc][n], p, k, m); r.append(num(v))
            if m:
                b = cell(rows[sc].get(base, []), p, k, m) if base in rows[sc] else None
                r.append(num(v / b) if v and b else "-")
        print("| " + " | ".join(r) + " |")
