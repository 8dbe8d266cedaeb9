# Runs JavaScript in codex-code-mode-host: it reads messages in JSON, each behind its length in 4 bytes, and ends with its input.  So the input stays open
# until the script has ended.  How long that took is not printed: it differs each time.
message() {
  n=${#1}
  printf "\\$(printf %o $((n & 255)))\\$(printf %o $((n >> 8)))\\000\\000%s" "$1"
}

mkfifo in
codex-code-mode-host <in >out &
exec 3>in
message '{"type":"connection/hello","supportedVersions":[1],"requiredCapabilities":[],"optionalCapabilities":[]}' >&3
message '{"type":"operation/request","id":1,"request":{"method":"session/open","sessionId":"s","cellExecutionLimits":null}}' >&3
script='const a = []; for (let i = 0; i < 50000; i++) a.push(String(i * i)); text(a.sort().join().length + a[777]);'
message '{"type":"operation/request","id":2,"request":{"method":"session/execute","sessionId":"s","request":{"tool_call_id":"t","enabled_tools":[],"source":"'"$script"'"}}}' >&3
n=0
until grep -q cell/closed out || [ $((n += 1)) -gt 600 ]; do sleep 0.1; done
exec 3>&-
wait $!
code=$?
tr '\000' '\n' <out | grep -ao '{.*}' | sed 's/"code_mode_host_duration_ns":[0-9]*//'
rm in out
exit "$code"
