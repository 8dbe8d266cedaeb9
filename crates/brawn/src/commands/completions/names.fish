# Whether the words in front of the cursor are those of subcommand $argv[1], and name no program; the others are its
# options with values.
function __fish_brawn_before_program
    __fish_brawn_using_subcommand $argv[1]
    or return
    set -l words (commandline -opc)
    set -e words[1..2]
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        if contains -- $word $argv[2..-1]
            set -e words[1]
        else if test "$word" = --
            not set -q words[1]
            return
        else if not string match -q -- '-*' $word
            return 1
        end
    end
    return 0
end

function __fish_brawn_names
    echo all
    command brawn toolchains --kind $argv[1] --names 2>/dev/null
end

