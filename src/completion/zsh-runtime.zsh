# Offers the names of the profiles.
_pets_profiles() {
  local -a lines names
  local expl
  lines=("${(@f)$(PETS_API_KEY='' PETS_BASE_URL='' PETS_MAX_WAIT='' PETS_PROFILE='' PETS_TIMEOUT='' command pets profile list --output tsv --fields name 2>/dev/null </dev/null)}")
  names=(${(M)lines[2,-1]:#[A-Za-z0-9][A-Za-z0-9._-]#})
  _wanted profiles expl profile compadd -a names
}

# Offers words for a comma-separated list, each at most once; the first argument is the suffix of each.
_pets_list() {
  local end=$1 word expl
  local -a left
  shift
  compset -P '*,'
  for word; do
    [[ ,${IPREFIX##*=} == *,$word${end:-,}* ]] || left+=($word)
  done
  _wanted values expl value compadd -S "$end" -a left
}

# Completes the command line after --, if there is one.
_pets_inner() {
  local dashes=${words[(i)--]}
  (( behind )) || return
  if (( dashes <= $#words )); then
    shift dashes words
    (( CURRENT -= dashes ))
  fi
  _normal
}

# Completes inside the command $1, whose words are $words.
_pets_at() {
  local -a specs subcommands
  local behind=0
  (( ${words[(I)--]} && ${words[(i)--]} < CURRENT )) && behind=1
  _pets_specs $1 || return
  if (( $#subcommands )); then
    _arguments -C -s -S : $specs '(-)1: :->subcommand' '(-)*:: :->inside' && ret=0
    case $state in
      (subcommand) _describe -t commands command subcommands && ret=0 ;;
      (inside)
        curcontext=${curcontext%:*:*}:${1// /-}-$line[1]:
        _pets_at "$1 $line[1]"
        ;;
    esac
  else
    _arguments -s -S : $specs && ret=0
  fi
}

_pets() {
  local curcontext=$curcontext context state state_descr ret=1
  local -a line
  local -A opt_args
  _pets_at pets
  return ret
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
