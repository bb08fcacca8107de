#compdef baton
# Asks `baton __complete -- WORD…` with the words so far, the last one unfinished; gets a candidate per line.
_baton() {
  local line
  local -a candidates
  while IFS= read -r line; do
    line=${line//:/\\:}
    candidates+=("${line/$'\t'/:}")
  done < <(baton __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#candidates} )); then _describe 'baton' candidates; else _files; fi
}
compdef _baton baton
