# Sets __pets_command to the command at the cursor, __pets_given to the options before the cursor, and
# __pets_taken to the number of arguments before it.
function __pets_read
    set -l line (commandline -cp | string collect)
    test "$line" = "$__pets_line"; and return
    set -g __pets_line $line
    set -g __pets_command pets
    set -g __pets_given
    set -g __pets_taken 0
    set -g __pets_behind 0
    set -l value 0
    set -l words (commandline -opc)
    while string match -qr '^[A-Za-z_]\w*=' -- $words[1]
        set -e words[1]
    end
    for word in $words[2..]
        if test $value = 1
            set value 0
        else if test $__pets_behind = 1
            set __pets_taken (math $__pets_taken + 1)
        else if test "$word" = --
            set __pets_behind 1
        else if string match -qr -- '^--[^=]*=' $word
            set -a __pets_given (string replace -r '=.*' '' -- $word)
        else if string match -qr -- '^--' $word
            set -a __pets_given $word
            contains -- $word $__pets_valued; and set value 1
        else if string match -qr -- '^-[^0-9]' $word
            set -l letters (string sub -s 2 -- $word | string split '')
            for place in (seq (count $letters))
                set -a __pets_given -$letters[$place]
                if contains -- -$letters[$place] $__pets_valued
                    test $place = (count $letters); and set value 1
                    break
                end
            end
        else if contains -- "$__pets_command $word" $__pets_commands
            set __pets_command "$__pets_command $word"
        else
            set __pets_taken (math $__pets_taken + 1)
        end
    end
    # The last option still lacks its value, so it does not count as given.
    test $value = 1; and set -e __pets_given[-1]
    return 0
end

# Returns whether the cursor is in the command $argv[1] (or $argv[1] is empty), and none of the forms of an
# option in $argv[2..] was given.
function __pets_option
    __pets_read
    test -z "$argv[1]" -o "$argv[1]" = "$__pets_command"; or return 1
    for form in $argv[2..]
        contains -- $form $__pets_given; and return 1
    end
    return 0
end

# Returns whether the cursor is at the first argument of the command $argv[1].
function __pets_argument
    __pets_read
    test "$argv[1]" = "$__pets_command" -a $__pets_taken = 0
end

# Returns whether the cursor is after the -- of the command $argv[1].
function __pets_inner
    __pets_read
    test "$argv[1]" = "$__pets_command" -a $__pets_behind = 1
end

# Completes what follows -- as a command line of its own.
function __pets_complete_inner
    complete -C (commandline -cp | string replace -r '^.*?\s--\s+' '' | string collect)
end

# Prints the names of the profiles.
function __pets_profiles
    command -q pets; or return
    PETS_API_KEY= PETS_BASE_URL= PETS_MAX_WAIT= PETS_PROFILE= PETS_TIMEOUT= command pets profile list --output tsv --fields name 2>/dev/null </dev/null |
        string match -r '^[A-Za-z0-9][A-Za-z0-9._-]*$' | tail -n +2
end

# Prints the words $argv[2..] that may follow the comma-separated list at the cursor, each at most once;
# $argv[1] is the suffix of each.
function __pets_list
    set -l end $argv[1]
    set -l head (commandline -ct | string replace -r '^(--[^=]*=)' '' | string match -r '^.*,')
    for word in $argv[2..]
        set -l separator $end
        test -z "$end"; and set separator ,
        string match -q -- "*,$word$separator*" ",$head"; or printf "%s\n" "$head$word$end"
    end
end
