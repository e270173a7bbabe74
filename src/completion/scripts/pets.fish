# fish completion for pets; see `pets completion --help` for how to install it.
function __pets_complete
    command -q pets; or return
    set -l words (commandline -opc)
    while string match -qr '^[A-Za-z_]\w*=' -- $words[1]
        set -e words[1]
    end
    set -l current (commandline -ct | string unescape)
    set -l lines (command pets __complete fish $words[2..] ".$current" 2>/dev/null </dev/null)
    set -l kind (string split -m 1 ' ' -- $lines[1])
    switch "$kind[1]"
        case files
            set -l typed (string sub -s (math 1 + (string length -- "$kind[2]")) -- "$current")
            for file in (complete -C "'' $typed")
                echo "$kind[2]$file"
            end
        case '*'
            printf '%s\n' $lines[2..]
    end
end
complete -c pets -e
complete -c pets -f -a '(__pets_complete)'
