# Prints the names of the profiles, one per line.
_pets_profiles() {
  local name head=1
  PETS_API_KEY='' PETS_BASE_URL='' PETS_MAX_WAIT='' PETS_PROFILE='' PETS_TIMEOUT='' \
    command pets profile list --output tsv --fields name 2>/dev/null </dev/null |
    while IFS= read -r name; do
      case $head$name in
        1*) head='' ;;
        '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) ;;
        *) printf '%s\n' "$name" ;;
      esac
    done
}

# Records the option $1, and sets source to the source of its values, or to nothing if it takes none.
_pets_take() {
  local entry
  source=''
  for entry in $options; do
    case ",${entry%%[=+]*}," in
      *",$1,"*)
        given="$given${entry%%[,=+]*} "
        case $entry in *=*) source=${entry#*=} source=${source%+} ;; esac
        return 0
        ;;
    esac
  done
}

# Records the short options $1 up to the first with a value, and sets letters to what follows that one.
_pets_cluster() {
  letters=$1 source=''
  while [ -n "$letters" ] && [ -z "$source" ]; do
    _pets_take "-${letters:0:1}"
    letters=${letters:1}
  done
}

# Parses $word, a word before the cursor.
_pets_step() {
  local source letters
  if [ -n "$pending" ]; then
    pending=''
  elif [ -n "$dashes" ]; then
    if [ "$argument $taken $word" = 'command 0 pets' ]; then
      command=pets given=' ' dashes=''
      _pets_command
    else
      taken=$((taken + 1))
    fi
  else
    case $word in
      --) dashes=$i ;;
      --*=*) _pets_take "${word%%=*}" ;;
      --*) _pets_take "$word" && pending=$source ;;
      -[!0-9]*)
        _pets_cluster "${word#-}"
        if [ -z "$letters" ]; then pending=$source; fi
        ;;
      *)
        case "$taken: $subcommands " in
          "0:"*"${word:+ $word }"*) command="$command $word" && _pets_command ;;
          *) taken=$((taken + 1)) ;;
        esac
        ;;
    esac
  fi
}

# Offers $1, followed by $2, if it begins with the word at the cursor.
_pets_offer() {
  if [ "${1:0:${#cur}}" = "$cur" ]; then
    COMPREPLY[${#COMPREPLY[@]}]=${1#"$cut"}$2
  fi
}

# Offers the values of the source $1, each preceded by $2.
_pets_values() {
  local choices list end head='' value=${cur#"$2"} choice
  if [ "$1" = files ]; then
    _pets_files
    return 0
  fi
  _pets_words "$1"
  if [ -n "$list" ]; then head=${value%"${value##*,}"}; fi
  for choice in $choices; do
    case ",$head" in
      *",$choice${end:-,}"*) ;;
      *) _pets_offer "$2$head$choice" "${end/ /$space}" ;;
    esac
  done
}

# Lets bash complete file names.
_pets_files() {
  compopt -o default +o nospace 2>/dev/null || :
}

# Offers the options that are not on the line yet, or that may be repeated.
_pets_options() {
  local entry names
  for entry in $options; do
    case "$given:$entry" in
      *" ${entry%%[,=+]*} "*:*[!+]) ;;
      *)
        names=${entry%%[=+]*}
        _pets_offer "${names%%,*}" "$space"
        case $names in *,*) _pets_offer "${names#*,}" "$space" ;; esac
        ;;
    esac
  done
}

# Completes the command line that begins at word $1 of COMP_WORDS.
_pets_inner() {
  local found
  if [ "$1" -lt "$COMP_CWORD" ]; then
    if declare -F _comp_command_offset >/dev/null; then
      _comp_command_offset "$1" || :
    elif declare -F _command_offset >/dev/null; then
      _command_offset "$1" || :
    else
      _pets_files
    fi
    return 0
  fi
  case $cur in
    */*) _pets_files ;;
    *) while IFS= read -r found; do _pets_offer "$found" "$space"; done < <(compgen -c -- "$cur") ;;
  esac
}

# Offers completions for $cur, the word at the cursor.
_pets_here() {
  local source letters
  if [ -n "$pending" ]; then
    _pets_values "$pending" ''
  elif [ -n "$dashes" ]; then
    if [ "$argument" = command ]; then
      _pets_inner "${starts[dashes + 1]}"
    elif [ "$taken" -eq 0 ]; then
      _pets_values "$argument" ''
    fi
  else
    case $cur in
      --*=*) _pets_take "${cur%%=*}" && _pets_values "$source" "${cur%%=*}=" ;;
      -*)
        _pets_options
        case $cur in
          -[!-]?*) _pets_cluster "${cur#-}" && _pets_values "$source" "${cur%"$letters"}" ;;
        esac
        ;;
      *)
        if [ "$taken" -eq 0 ]; then
          for source in $subcommands; do _pets_offer "$source" "$space"; done
          _pets_values "$argument" ''
        fi
        if [ "$cur$subcommands$argument" = '' ]; then _pets_options; fi
        ;;
    esac
  fi
}

_pets() {
  local IFS=$' \t\n' rest=${COMP_LINE:0:COMP_POINT} i=0 n=-1 token word words starts
  local command=pets given=' ' pending='' dashes='' taken=0 subcommands options argument
  local cur cut space=' ' nocase=''
  if shopt -q nocasematch; then nocase=1 && shopt -u nocasematch; fi
  words=() starts=() COMPREPLY=()
  _pets_command
  # bash also splits words at = and :, but for pets only white space separates words.
  while [ "$i" -le "$COMP_CWORD" ]; do
    token=${COMP_WORDS[i]} word=${rest#"${rest%%[![:space:]]*}"}
    if [ "$n" -lt 0 ] || [ "$word" != "$rest" ]; then
      n=$((n + 1))
      words[n]='' starts[n]=$i
    fi
    if [ "$i" -eq "$COMP_CWORD" ]; then token=$word; fi
    words[n]=${words[n]}$token rest=${word#"$token"}
    i=$((i + 1))
  done
  i=1
  while [ "$i" -lt "$n" ]; do
    case ${words[i]} in
      *[\<\>]) i=$((i + 1)) ;;
      [\<\>]* | [0-9\&][\<\>]*) ;;
      *) word=${words[i]//[\"\'\\]/} && _pets_step ;;
    esac
    i=$((i + 1))
  done
  # $2 is the part that bash will replace: the end of the word, after = or : or a quote.
  cur=${words[n]} cut=${cur%"$2"}
  case $cut in *[\"\']*) space='' cut=${cut//[\"\']/} ;; esac
  cur=$cut$2
  case $i:${words[n]} in
    "$n":[\<\>]* | "$n":[0-9\&][\<\>]*) _pets_files ;;
    "$n":*) _pets_here ;;
    *) _pets_files ;;
  esac
  if [ -n "$nocase" ]; then shopt -s nocasematch; fi
  return 0
}

if \type compopt >/dev/null 2>&1; then
  complete -o nospace -F _pets pets
else
  # Without compopt (bash 3.2), files are the fallback for every word.
  complete -o nospace -o default -F _pets pets
fi
[ -z "$_pets_aliases" ] || shopt -s expand_aliases
unset -v _pets_aliases
