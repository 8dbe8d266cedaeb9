# Sets `program` to the place of the word that names a program, if it is in front of the cursor.  $1 has the options
# with values.
_brawn_program() {
    for ((program = 2; program < COMP_CWORD; program++)); do
        if [[ ${COMP_WORDS[program + 1]} == = ]]; then
            ((program += 2))
        elif [[ " $1 " == *" ${COMP_WORDS[program]} "* ]]; then
            ((program++))
        elif [[ ${COMP_WORDS[program]} == -- ]]; then
            ((++program < COMP_CWORD))
            return
        elif [[ ${COMP_WORDS[program]} != -* ]]; then
            return 0
        fi
    done
    return 1
}

# The names of toolchains of kind $1 that begin with $2; they are no words of a script.
_brawn_names() {
    local name
    while IFS= read -r name; do
        if [[ $name == "$2"* ]]; then
            printf -v name %q "$name"
            COMPREPLY+=("$name")
        fi
    done < <(echo all; command brawn toolchains --kind "$1" --names 2>/dev/null)
}

