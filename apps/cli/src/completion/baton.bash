# Asks `baton __complete -- WORD…` with the words so far, the last one unfinished; gets a candidate per line.
_baton() {
  local candidate
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    COMPREPLY+=("$candidate")
  done < <(baton __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # A value follows.
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _baton baton
