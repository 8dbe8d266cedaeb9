(( $+functions[_brawn_KIND] )) ||
_brawn_KIND() {
    local -a names
    names=(all "${(@f)$(command brawn toolchains --kind KIND --names 2>/dev/null)}")
    compadd "$@" -a names || _files "$@"
}
