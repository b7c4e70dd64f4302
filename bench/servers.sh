# servers.sh: how to start each server. Sourced by run.sh.
# server NAME sets: CMD (array), HOSTPORT, URLPATH, PROTO, TOOL (mock /__ctl fragment), ENVV (array)
B=$PWD          # run.sh has changed to its own folder
UP=127.0.0.1:9901
server() {
  ENVV=(X=1); PROTO=agui; TOOL="tool=bench_lookup&tc=20"
  case $1 in
  pageside)   HOSTPORT=127.0.0.1:9920; URLPATH=/v1/agents/default/run; ENVV=(ADDR=$HOSTPORT UP=$UP PPROF=${PPROF:-}); CMD=($B/bin/server) ;;
  audited)    HOSTPORT=127.0.0.1:9920; URLPATH=/v1/agents/default/run; ENVV=(ADDR=$HOSTPORT UP=$UP AUDIT=a-key-of-enough-bytes PPROF=${PPROF:-}); CMD=($B/bin/server) ;;
  raw|fast|fast1|durable|std) HOSTPORT=127.0.0.1:9910; URLPATH=/agui; CMD=($B/bin/limit -mode $1 -addr $HOSTPORT -up $UP) ;;
  copilotkit) HOSTPORT=127.0.0.1:9913; URLPATH=/api/agent/default/run; ENVV=(COPILOTKIT_TELEMETRY_DISABLED=true DO_NOT_TRACK=1 NODE_ENV=production PORT=9913 UP=http://$UP/v1); CMD=(node $B/peers/copilotkit/server.mjs) ;;
  aisdk)      HOSTPORT=127.0.0.1:9914; URLPATH=/chat; PROTO=aisdk; ENVV=(NODE_ENV=production PORT=9914 UP=http://$UP/v1); CMD=(node $B/peers/aisdk/server.mjs) ;;
 
  direct)     HOSTPORT=$UP; URLPATH=/v1/chat/completions; PROTO=openai; CMD=() ;;
  ours)       # OURS_CMD must start our server as ONE process (exec), listening on OURS_HOSTPORT, with the mock at http://$UP/v1
              HOSTPORT=${OURS_HOSTPORT:-127.0.0.1:9920}; URLPATH=${OURS_PATH:-/agui}; TOOL=${OURS_TOOL:-$TOOL}; CMD=(${OURS_CMD:?set OURS_CMD}) ;;
  *) echo "no server $1" >&2; return 1 ;;
  esac
}
