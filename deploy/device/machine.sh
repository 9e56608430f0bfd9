# Checks before anything is changed, Debian packages, the user and the folders. Sourced by deploy/install.

ROOM_MB=3000   # two versions of 700 MB, the build, models of 464 MB and 146 of what is computed from them
MEMORY_MB=900  # profile small; the others say what they want in docs/figures.md

check_all() {
    local wanting=0
    step "Looking at this system"
    look system "$(sed -n 's/^PRETTY_NAME=//p' "$R/etc/os-release" 2>/dev/null)" "a Debian or a relative"
    look processor "$(uname -m | grep -xE 'x86_64|aarch64')" "x86-64 or ARM64"
    look packages "$(in_root sh -c 'command -v apt-get')" "apt-get"
    look services "$(in_root sh -c 'command -v systemctl')" "systemd"
    look room "$(room_there)" "$ROOM_MB MB free for $HOME_OF"
    look memory "$(memory_there)" "$MEMORY_MB MB of memory"
    say "  board      $(board)"
    say "  sound card $(sound_there)"
    [ $wanting = 0 ] || fail "this system lacks what is named above; nothing was changed."
}

look() { # WHAT FOUND WANTED
    if [ -n "$2" ]; then
        say "$(printf '  %-10s %s' "$1" "$2")"
    else
        wanting=1
        say "$(printf '  %-10s MISSING: %s' "$1" "$3")"
    fi
}

room_there() {
    local free
    free=$(df -Pm "${R:-/}" | awk 'NR == 2 { print $4 }')
    if [ "$free" -ge $ROOM_MB ] || [ -d "$R$HOME_OF/current" ]; then echo "$free MB free"; fi
}

memory_there() {
    awk -v least=$MEMORY_MB '/^MemTotal:/ { if ($2 / 1024 >= least) printf "%d MB\n", $2 / 1024 }' /proc/meminfo
}

sound_there() { # the assistant waits for one that comes later
    if grep -q '^ *[0-9]' /proc/asound/cards 2>/dev/null; then echo there; else echo "none now"; fi
}

wanted_packages() {
    # What deploy/up would ask for, so that it finds everything there.
    echo python3 python3-venv python3-dev build-essential espeak-ng libportaudio2 alsa-utils
    if [ "${CHOSEN[sound]}" = pipewire ]; then echo pipewire pipewire-alsa wireplumber libspa-0.2-modules dbus-daemon; fi
    if [ "${CHOSEN[kiosk]}" = yes ]; then echo cage chromium; fi
    if [[ ${CHOSEN[ignition]} == gpio:* || ${CHOSEN[low-voltage]} == gpio:* ]]; then echo gpiod; fi
    if [ "${CHOSEN[can]}" != none ]; then echo can-utils; fi
}

there() { in_root dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }

make_packages() {
    local name missing=() before
    for name in $(wanted_packages); do there "$name" || missing+=("$name"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    step "Installing ${missing[*]}"
    before=$(in_root dpkg-query -W -f '${Package}\n' | sort)
    # At run level 1 Debian starts no service of a package; PipeWire and the like are started by our units.
    local get=(env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -y --no-install-recommends -o DPkg::Lock::Timeout=120 install)
    in_root "${get[@]}" "${missing[@]}" >&2 || { in_root apt-get update >&2 && in_root "${get[@]}" "${missing[@]}" >&2; } ||
        fail "${missing[*]} could not be installed." "Look at what apt-get says above, and run this again."
    in_root dpkg-query -W -f '${Package}\n' | sort | comm -13 <(printf '%s\n' "$before") - >>"$R$HOME_OF/packages"
}

make_user() {
    local group groups=()
    for group in audio video render input gpio; do
        if grep -q "^$group:" "$R/etc/group"; then groups+=("$group"); fi
    done
    if ! grep -q '^glovebox:' "$R/etc/passwd"; then
        step "Making the user glovebox"
        in_root useradd --system --home-dir "$DATA" --no-create-home --shell /usr/sbin/nologin --user-group glovebox
        : >"$R$HOME_OF/user"
    fi
    for group in ${groups[@]+"${groups[@]}"}; do in_root usermod --append --groups "$group" glovebox; done
}

make_folders() {
    local folder
    for folder in "$DATA" "$DATA/memory" "$DATA/models"; do
        mkdir -p -- "$R$folder"
        in_root chown glovebox:glovebox "$folder"
        chmod 700 "$R$folder"
    done
    mkdir -p -- "$R$KEPT"
}
