# bash completion for pets; see `pets completion --help` for how to install it.
_pets() {
  local IFS=$'\n' kind line
  COMPREPLY=()
  {
    read -r kind || return 0
    while read -r line; do COMPREPLY[${#COMPREPLY[@]}]=$line; done
  } < <(command pets __complete bash "${COMP_WORDS[@]:1:COMP_CWORD-1}" ".${COMP_WORDS[COMP_CWORD]-}" 2>/dev/null)
  [[ $kind != files* ]] || return 0
  # Otherwise bash would offer files when there is nothing to offer.
  compopt +o default 2>/dev/null || :
}
complete -o default -F _pets pets
