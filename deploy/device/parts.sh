# Settings, key, sound, units, CAN, the read-only system; what is said at the end; and taking it all away. Sourced by deploy/install.

UNITS=(glovebox.service)

make_settings() {
    local name text
    for name in "${ORDER[@]}"; do printf '%s=%s\n' "$name" "${CHOSEN[$name]}"; done >"$R$HOME_OF/choices"
    text=$(
        cat <<END
# Made by deploy/install. As long as nobody edits it, another installation writes it anew; after that it is yours.
# What there is to set: glovebox config show
profile = "${CHOSEN[profile]}"

[data]
folder = "$DATA/memory"
models = "$DATA/models"

[audio]
echo = "$([ "${CHOSEN[sound]}" = pipewire ] && echo system || echo builtin)"

[memory.key]
source = "credential"
$([ ! -s "$R$SECRET" ] || echo "sealed = \"$SECRET\"")

[power]
ignition = "${CHOSEN[ignition]}"
low_voltage = "${CHOSEN[low-voltage]}"
END
    )
    if [ "${CHOSEN[gpu]}" != none ]; then text+=$'\n\n[talker]\ngpu_layers = -1'; fi
    if [ -f "$R$SETTINGS" ] && [ "$(sha256sum <"$R$SETTINGS")" != "$(cat "$R$HOME_OF/settings" 2>/dev/null)" ]; then
        step "$SETTINGS was edited and stays as it is"
        return
    fi
    put "$SETTINGS" <<<"$text"
    sha256sum <"$R$SETTINGS" >"$R$HOME_OF/settings"
}

# 32 bytes that only this system can unseal; made once, kept by upgrades. Without it no memory can be read. Where systemd is older than 250
# it cannot seal: then the file is as readable as the disk, and that is said.
make_key() {
    if [ -s "$R$SECRET" ] || [ -s "$R$PLAIN_SECRET" ]; then return; fi
    local at=$SECRET seal=(systemd-creds encrypt --with-key=host --name=glovebox.key - -)
    [ -s "$R/etc/machine-id" ] || in_root systemd-machine-id-setup >&2
    if ! in_root sh -c 'command -v systemd-creds' >/dev/null; then
        say "  systemd-creds is not there (systemd 250 or newer): the key is kept UNSEALED in $PLAIN_SECRET; whoever has this disk has the key"
        at=$PLAIN_SECRET seal=(cat)
        printf '[Service]\nLoadCredentialEncrypted=\nLoadCredential=glovebox.key:%s\n' "$at" | put /etc/systemd/system/glovebox.service.d/key.conf
    elif booted && [ -z "$R" ] && systemd-creds has-tpm2 --quiet 2>/dev/null; then
        seal[2]=--with-key=host+tpm2
    fi
    if [ "$at" = "$SECRET" ] && ! [ -e "$R$MACHINES" ]; then : >"$R$HOME_OF/machines-secret"; fi
    step "Making the key of the memories"
    if [ ! -d "$R${at%/*}" ]; then
        mkdir -m 700 -- "$R${at%/*}"
        list "${at%/*}"
    fi
    (umask 077 && head -c 32 /dev/urandom | in_root "${seal[@]}" >"$R$at.new") || fail "the key could not be sealed: systemd-creds failed."
    mv -- "$R$at.new" "$R$at"
}

# systemd made a secret of this machine when our key was the first to be sealed. It goes with that key, but not where anything else may
# have been sealed with it since.
drop_machines_secret() {
    [ -f "$R$HOME_OF/machines-secret" ] && ! [ -e "$R$SECRET" ] || return 0
    if [ -n "$(find "$R"/etc/credstore.encrypted "$R"/usr/lib/credstore.encrypted -type f 2>/dev/null)" ] ||
        grep -rqs 'CredentialEncrypted=' "$R/etc/systemd/system"; then
        say "  $MACHINES stays: something else is sealed with it"
    else
        rm -f -- "$R$MACHINES"
    fi
}

make_sound() {
    # A USB microphone that falls asleep loses the first second of what is said.
    put /etc/udev/rules.d/60-glovebox.rules <"$ROOT/deploy/device/usb-sound.rules"
    local echo=/etc/pipewire/pipewire.conf.d/60-glovebox.conf
    if [ "${CHOSEN[sound]}" = pipewire ]; then
        put "$echo" <"$ROOT/deploy/device/echo-cancel.conf"
        put /etc/systemd/system/glovebox.service.d/sound.conf <<END
[Unit]
Wants=glovebox-sound-session.service
After=glovebox-sound-session.service

[Service]
Environment=PIPEWIRE_RUNTIME_DIR=/run/glovebox-sound
END
    else
        drop "$echo"
        drop /etc/systemd/system/glovebox.service.d/sound.conf
    fi
}

unit() { # NAME WANTED
    if [ "$2" = yes ]; then
        put "/etc/systemd/system/$1" <"$ROOT/deploy/systemd/$1"
        UNITS+=("$1")
    elif listed "/etc/systemd/system/$1"; then
        in_root systemctl disable ${BOOTED_NOW:+--now} "$1" >/dev/null 2>&1 || true
        drop "/etc/systemd/system/$1"
    fi
}

make_units() {
    local piped=no powered=no
    BOOTED_NOW=
    if booted; then BOOTED_NOW=yes; fi
    if [ "${CHOSEN[sound]}" = pipewire ]; then piped=yes; fi
    if [ "${CHOSEN[ignition]}" != none ] || [ "${CHOSEN[low-voltage]}" != none ]; then powered=yes; fi
    put /etc/systemd/system/glovebox.service <"$ROOT/deploy/systemd/glovebox.service"
    unit glovebox-sound.service $piped
    unit glovebox-sound-session.service $piped
    unit glovebox-power.service $powered
    unit glovebox-kiosk.service "${CHOSEN[kiosk]}"
}

make_network() {
    local link=/etc/systemd/network/80-glovebox-can.network fence=/etc/systemd/system/glovebox.service.d/can.conf
    if [ "${CHOSEN[can]}" = none ]; then
        drop "$link"
        drop "$fence"
        undo_networkd
        return
    fi
    put "$link" <<END
[Match]
Name=can0

[CAN]
BitRate=${CHOSEN[can]}
RestartSec=100ms
END
    printf '[Service]\nRestrictAddressFamilies=AF_CAN\n' | put "$fence"
    UNITS+=(systemd-networkd.service)
    in_root systemctl --quiet is-enabled systemd-networkd.service 2>/dev/null || : >"$R$HOME_OF/networkd"
}

# Only where it was not enabled before us.
undo_networkd() {
    if [ -f "$R$HOME_OF/networkd" ]; then
        in_root systemctl --quiet disable systemd-networkd.service >&2 || true
        rm -f -- "$R$HOME_OF/networkd"
    fi
}

enable_units() { in_root systemctl --quiet enable "${UNITS[@]}" >&2; }

start_units() {
    local one
    for one in "${UNITS[@]}"; do
        if [ "$one" != glovebox.service ]; then in_root systemctl restart "$one" || say "  $one did not start: journalctl -u $one says why"; fi
    done
}

# A system that is mounted read-only is writable for as long as this takes.
begin_writing() {
    if [ -z "$R" ] && ! [ -w /etc ]; then mount -o remount,rw / && trap 'mount -o remount,ro / 2>/dev/null || true' EXIT; fi
    mkdir -p "$R$HOME_OF"
}

make_read_only() {
    local table=$R/etc/fstab keep=$R$HOME_OF/fstab.before
    if [ "${CHOSEN[read-only]}" = no ]; then
        if [ -f "$keep" ]; then undo_read_only; fi
        return
    fi
    awk -v data="$DATA" '$1 !~ /^#/ && $2 == data { found = 1 } END { exit !found }' "$table" ||
        fail "a read-only system wants a partition of its own at $DATA, and /etc/fstab has none." \
            "Add a line for it (docs/install-pi5.md), mount it and run this again. All else is installed."
    if [ ! -f "$keep" ]; then cp -p -- "$table" "$keep"; fi
    awk '
        $1 !~ /^#/ && $2 == "/" { n = split($4, had, ","); $4 = "ro"; for (i = 1; i <= n; i++) if (had[i] !~ /^(ro|rw|defaults)$/) $4 = $4 "," had[i] }
        { print; if ($1 !~ /^#/) at[$2] = 1 }
        END { split("/tmp /var/tmp /var/log", three, " ")
              for (i = 1; i <= 3; i++) if (!(three[i] in at)) print "tmpfs", three[i], "tmpfs", "nosuid,nodev,size=64m", 0, 0 }' "$keep" >"$table.new"
    mv -- "$table.new" "$table"
    sha256sum <"$table" >"$R$HOME_OF/fstab.ours"
    printf '[Journal]\nStorage=volatile\n' | put /etc/systemd/journald.conf.d/60-glovebox.conf
    step "From the next start on the system is read-only"
}

undo_read_only() {
    local table=$R/etc/fstab keep=$R$HOME_OF/fstab.before
    if [ "$(sha256sum <"$table")" = "$(cat "$R$HOME_OF/fstab.ours")" ]; then
        cp -p -- "$keep" "$table"
        rm -f -- "$keep"
    else
        say "  /etc/fstab was edited: the one of before is $keep"
    fi
    drop /etc/systemd/journald.conf.d/60-glovebox.conf
}

tell_what_is_next() {
    say "Glovebox $VERSION is installed."
    if booted; then say "It runs: say “computer”. glovebox is $HOME_OF/current/.venv/bin/glovebox; glovebox doctor looks at microphone and loudspeaker."
    else say "It starts with the system."; fi
    if ! grep -q '^adapter *=' "$R$SETTINGS"; then say "It drives a simulated car until $SETTINGS names another ([vehicle]: docs/vehicle.md)."; fi
}

remove_all() {
    local packages
    [ -d "$R$HOME_OF" ] || fail "nothing is installed."
    hold_one_at_a_time
    step "Removing"
    local ours
    mapfile -t ours < <(sed -n 's|^/etc/systemd/system/\(glovebox[a-z-]*\.service\)$|\1|p' "$R$HOME_OF/made")
    in_root systemctl --quiet disable ${ours[@]+"${ours[@]}"} >/dev/null 2>&1 || true
    undo_networkd
    if booted; then in_root systemctl stop ${ours[@]+"${ours[@]}"} 2>/dev/null || true; fi
    if [ -f "$R$HOME_OF/fstab.before" ]; then undo_read_only; fi
    if [ $MEMORIES = yes ] || agreed "Shall all memories, their key and the models go, too? They cannot be had again"; then
        rm -rf -- "$R$DATA" "$R$SECRET" "$R$PLAIN_SECRET"
        if [ -f "$R$HOME_OF/user" ]; then in_root userdel glovebox || say "  the user glovebox stays: it still runs something"; fi
    else
        say "  memories, their key and the models stay: $DATA, $(cd "${R:-/}" && ls -d ".$SECRET" ".$PLAIN_SECRET" 2>/dev/null | cut -c2-)"
    fi
    if [ -s "$R$HOME_OF/packages" ] && { [ $PACKAGES = yes ] || agreed "Shall the packages go that were installed for Glovebox"; }; then
        mapfile -t packages <"$R$HOME_OF/packages"
        in_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -y purge "${packages[@]}" >&2 || say "  not all packages could be removed: see above"
    fi
    drop_all
    drop_machines_secret
    rm -rf -- "$R$KEPT" "$R$HOME_OF"
    if booted; then in_root systemctl daemon-reload; fi
    say "Glovebox is removed."
}
