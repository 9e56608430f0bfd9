# Files in the system that is installed to, every one of them listed, so that nothing else is ever removed. Sourced by deploy/install.

HOME_OF=/opt/glovebox            # programs and what the installer knows
DATA=/var/lib/glovebox           # the one folder that is written: memory/ and models/
SETTINGS=/etc/glovebox/glovebox.toml
SECRET=/etc/credstore.encrypted/glovebox.key
PLAIN_SECRET=/etc/credstore/glovebox.key # where systemd cannot seal
MACHINES=/var/lib/systemd/credential.secret # systemd's own, with which it seals
KEPT=/var/cache/glovebox         # built wheels

in_root() { # COMMAND ...
    if [ -n "$R" ]; then chroot "$R" "$@"; else "$@"; fi
}

booted() { [ -d "$R/run/systemd/system" ]; }

need_rights() {
    [ "$(id -u)" = 0 ] || [ -w "${R:-/}" ] || fail "this needs root's rights." "Run it with sudo."
}

hold_one_at_a_time() {
    mkdir -p "$R$HOME_OF"
    exec 8>"$R$HOME_OF/lock"
    flock -n 8 || fail "another installation of this system is running."
}

listed() { grep -qxF -- "$1" "$R$HOME_OF/made" 2>/dev/null; }
list() { listed "$1" || printf '%s\n' "$1" >>"$R$HOME_OF/made"; }

# Standard input as a file of ours; one that was there before us is not touched.
put() { # PATH [MODE]
    if [ -e "$R$1" ] && ! listed "$1"; then
        fail "$1 is there already and is not ours." "Move it away and run this again."
    fi
    local folder=$1 made=()
    while folder=$(dirname -- "$folder") && [ ! -d "$R$folder" ]; do made+=("$folder"); done
    mkdir -p -- "$(dirname -- "$R$1")"
    for folder in ${made[@]+"${made[@]}"}; do list "$folder"; done
    list "$1"
    cat >"$R$1.new"
    chmod "${2:-644}" "$R$1.new"
    mv -- "$R$1.new" "$R$1"
}

# Take a file of ours away that an earlier choice had made.
drop() { # PATH
    if listed "$1"; then
        rm -f -- "$R$1"
        grep -vxF -- "$1" "$R$HOME_OF/made" >"$R$HOME_OF/made.new" || true
        mv -- "$R$HOME_OF/made.new" "$R$HOME_OF/made"
    fi
}

# Everything on the list, files before the folders that were made for them.
drop_all() {
    local path
    if [ -f "$R$HOME_OF/made" ]; then
        while read -r path; do [ -d "$R$path" ] || rm -f -- "$R$path"; done <"$R$HOME_OF/made"
        sort -r "$R$HOME_OF/made" | while read -r path; do
            [ ! -d "$R$path" ] || rmdir -- "$R$path" 2>/dev/null || say "  $path is not empty and stays"
        done
    fi
}
