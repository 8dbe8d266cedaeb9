set -f
total=0
for word in one two three; do
  total=$((total + ${#word}))
  case $word in t*) printf '%s starts with t\n' "$word" ;; esac
done
sorted=$(for word in pear apple fig; do echo "$word"; done | sort)
echo "$total" "$sorted"
text=
i=0
while [ "$i" -lt 300 ]; do text="$text.$i"; i=$((i + 1)); done
echo "${#text}" "${text%%.2*}"
no_such_command_here
echo "$?"
exit 3
