#!/usr/bin/env bash
# Builds the harness and the server and measures them beside the yardstick, in interleaved rounds. Linux only: it pins processes
# to two processors and reads /proc. Set SERVERS, SCEN and ROUNDS as bench/README.md says.
#   scripts/bench.sh scale|misery [FLAGS]   runs bench/scale.py or bench/misery.py instead
set -euo pipefail
cd "$(dirname "$0")/../bench"
mkdir -p bin results
for program in mockllm load limit server; do go build -o "bin/$program" "./$program"; done
if [[ ${1:-} == @(scale|misery) ]]; then exec python3 "$1.py" "${@:2}"; fi
out=${OUT:-results/bench-$(date +%m%d-%H%M%S).jsonl}
SERVERS=${SERVERS:-fast durable pageside} SCEN=${SCEN:-S0 S1 S1p S3 S4 S5} ROUNDS=${ROUNDS:-3} OUT=$out ./run.sh
python3 report.py "$out"
