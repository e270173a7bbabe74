import { clearAssignments, profileCommand } from "./values.ts";

/** How the bash script reads the words before the cursor. */
export const bashReading = `
# The names of the profiles, one a line.
_pets_profiles() {
  local name head=1
  ${clearAssignments} \\
    command ${profileCommand} 2>/dev/null </dev/null |
    while IFS= read -r name; do
      case $head$name in
        1*) head='' ;;
        '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) ;;
        *) printf '%s\\n' "$name" ;;
      esac
    done
}

# Takes note of the option $1, and sets source to what its value may be; to nothing where it has none.
_pets_take() {
  local entry
  source=''
  for entry in $options; do
    case ",\${entry%%[=+]*}," in
      *",$1,"*)
        given="$given\${entry%%[,=+]*} "
        case $entry in *=*) source=\${entry#*=} source=\${source%+} ;; esac
        return 0
        ;;
    esac
  done
}

# Takes note of the short options $1, up to the first with a value; sets letters to what follows that.
_pets_cluster() {
  letters=$1 source=''
  while [ -n "$letters" ] && [ -z "$source" ]; do
    _pets_take "-\${letters:0:1}"
    letters=\${letters:1}
  done
}

# Reads $word, which stands before the cursor.
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
      --*=*) _pets_take "\${word%%=*}" ;;
      --*) _pets_take "$word" && pending=$source ;;
      -[!0-9]*)
        _pets_cluster "\${word#-}"
        if [ -z "$letters" ]; then pending=$source; fi
        ;;
      *)
        case "$taken: $subcommands " in
          "0:"*"\${word:+ $word }"*) command="$command $word" && _pets_command ;;
          *) taken=$((taken + 1)) ;;
        esac
        ;;
    esac
  fi
}

`;
