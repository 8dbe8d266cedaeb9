    # `--option=value` comes as three words.
    local joined=
    if [[ ${COMP_WORDS[COMP_CWORD]} == = ]]; then
        joined=1 cur= prev=${COMP_WORDS[COMP_CWORD-1]}
    elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
        joined=1 prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
