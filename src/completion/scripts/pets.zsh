#compdef pets
# zsh completion for pets; see `pets completion --help` for how to install it.
# Aliases would be expanded in what follows.
[[ ! -o aliases ]] || _pets_aliases=1
'builtin' 'setopt' 'no_aliases'
_pets() {
  emulate -L zsh -o extended_glob
  local line kind
  local -a lines entries
  lines=("${(@f)$(command pets __complete zsh "${(@Q)words[2,CURRENT-1]}" ".${(Q)PREFIX}" 2>/dev/null)}")
  kind=$lines[1]
  case $kind in
    (files*) compset -P "${(b)kind#files }"; _files; return ;;
    (words) ;;
    (*) return 1 ;;
  esac
  for line in $lines[2,-1]; do
    line=${line//:/\\:}
    entries+=("${line/$'\t'/:}")
  done
  _describe -t values value entries
}
if [[ ${funcstack[1]-} == _pets ]]; then
  # Autoloaded from $fpath as the function _pets, and called for the first time.
  _pets "$@"
else
  (( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
  compdef _pets pets
fi
(( ! ${+_pets_aliases} )) || setopt aliases
unset _pets_aliases
