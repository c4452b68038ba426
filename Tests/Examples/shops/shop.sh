total() { jq -r --arg name "$1/$2" '.[$name] // empty' totals.json; }
position() { [ ! -s state.json ] || jq -r '"\(.position.store) \(.position.after)"' state.json; }
apply() {
  [ ! -e steps ] || echo >>steps
  [ ! -e steps ] || [ $(($(wc -l <steps) % 3)) != 1 ] || exit 9
  [ -s state.json ] || echo '{}' >state.json
  jq -R 'split("\u001f")' | jq -s --slurpfile old state.json --arg store "$1" --arg after "$2" '
    {position: {store: $store, after: ($after | tonumber)},
     decisions: (reduce .[] as $e (($old[0].decisions // {}); . + {"\($e[1])/\($e[2])": "\($e[0]) \($e[3])"}))}
    ' >state.new && mv state.new state.json || return 1
  [ ! -e steps ] || [ $(($(wc -l <steps) % 3)) != 2 ] || exit 9
}
