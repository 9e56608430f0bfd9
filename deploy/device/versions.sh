# Versions side by side: built, tried, switched to, gone back from. Sourced by deploy/install.
#
#   /opt/glovebox/versions/NAME   a checkout with its environment; `.installed` is written last
#   /opt/glovebox/current         the one that runs; /opt/glovebox/previous the one before

HEALTH_S=${GLOVEBOX_HEALTH_S:-20} # seconds that a new version has to stay up once it is ready
PARTS=(deploy docs/licences.md memory models schemas vehicle voice LICENSE README.md pyproject.toml)

sources() { # every file that is installed, one a line
    (cd -- "$ROOT" && find "${PARTS[@]}" -type f ! -path '*/__pycache__/*' | LC_ALL=C sort)
}

version_name() {
    local digest
    digest=$(cd -- "$ROOT" && sources | tr '\n' '\0' | xargs -0 sha256sum | sha256sum | cut -c1-8)
    echo "$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$ROOT/deploy/__init__.py")-$digest"
}

make_version() {
    local mode=()
    VERSION=$(version_name)
    local at=$HOME_OF/versions/$VERSION
    if [ -f "$R$at/.installed" ] && [ "$(cat "$R$at/.installed")" = "$(version_mark)" ]; then
        step "Version $VERSION is there already"
        return
    fi
    step "Building version $VERSION (the first time takes minutes)"
    mkdir -p -- "$R$at"
    rm -f -- "$R$at/.installed"
    sources | tar -C "$ROOT" -cf - -T - | tar -C "$R$at" -xf - --no-same-owner
    case ${CHOSEN[profile]} in
        small) mode=(--small) ;;
        *) if [ $WITHOUT_PIPER = yes ]; then mode=(--without-piper); fi ;;
    esac
    in_root env HOME="$HOME_OF" GLOVEBOX_CACHE="$KEPT" GLOVEBOX_PROFILE="${CHOSEN[profile]}" GLOVEBOX_DATA__MODELS="$DATA/models" \
        GLOVEBOX_GPU="${CHOSEN[gpu]}" GLOVEBOX_WITH="$(brought)" "$at/deploy/up" ${mode[@]+"${mode[@]}"} --version >&2 || fail "version $VERSION could not be set up; what runs now was left alone."
    in_root chown -R glovebox:glovebox "$DATA/models"
    # Nothing is compiled later: the service cannot write there.
    in_root "$at/.venv/bin/python" -m compileall -q -j 0 "$at/deploy" "$at/memory" "$at/models" "$at/schemas" "$at/vehicle" "$at/voice" "$at/.venv/lib" \
        >/dev/null || true
    try_version "$at" || fail "version $VERSION does not answer; what runs now was left alone."
    version_mark >"$R$at/.installed"
}

version_mark() { echo "${CHOSEN[profile]} ${CHOSEN[gpu]} $WITHOUT_PIPER $(brought)"; }

# The extras that are installed, with commas; a CAN bus that is set up is to be used.
brought() {
    local with=${CHOSEN[with]}
    [ "$with" != none ] || with=
    if [ "${CHOSEN[can]}" != none ] && [[ ,$with, != *,can,* ]]; then with+=${with:+,}can; fi
    echo "$with"
}

# Whether a version answers as the service's user, with the settings that are there and a memory of its own.
try_version() { # FOLDER
    local scratch
    scratch=$(in_root mktemp -d)
    in_root chown glovebox:glovebox "$scratch"
    local done=0
    in_root runuser -u glovebox -- env HOME="$scratch" GLOVEBOX_DATA__MODELS="$DATA/models" "$1/.venv/bin/glovebox" --profile "${CHOSEN[profile]}" \
        --home "$scratch" --set memory.key.source=file --set vehicle.adapter=simulated say "set the temperature to 21 degrees" >&2 || done=1
    in_root rm -rf -- "$scratch"
    return $done
}

point() { # LINK FOLDER
    rm -f -- "$R$HOME_OF/$1.new"
    ln -s -- "$2" "$R$HOME_OF/$1.new"
    mv -T -- "$R$HOME_OF/$1.new" "$R$HOME_OF/$1" # one step: a cut of the power leaves the one or the other
}

pointed() { readlink "$R$HOME_OF/$1" 2>/dev/null || true; }

# Whether the service comes up, says that it is ready, and stays so.
healthy() {
    in_root systemctl restart glovebox.service || return 1
    sleep "$HEALTH_S"
    in_root systemctl --quiet is-active glovebox.service && [ "$(in_root systemctl show --property NRestarts --value glovebox.service)" = 0 ]
}

# What the drivers told: a newer version may change the form of a vault, and the older one could not read it.
copy_memory() { rm -rf -- "$R$DATA/memory.before" && cp -a -- "$R$DATA/memory" "$R$DATA/memory.before"; }

restore_memory() {
    if [ -d "$R$DATA/memory.before" ]; then
        rm -rf -- "$R$DATA/memory"
        mv -- "$R$DATA/memory.before" "$R$DATA/memory"
    fi
}

switch_over() {
    local before new=versions/$VERSION
    before=$(pointed current)
    enable_units
    if ! booted; then
        if [ -n "$before" ] && [ "$before" != "$new" ]; then point previous "$before"; fi
        point current "$new"
        tidy_versions
        return
    fi
    step "Starting version $VERSION"
    in_root systemctl daemon-reload
    in_root systemctl stop glovebox.service 2>/dev/null || true
    copy_memory
    point current "$new"
    if healthy; then
        rm -rf -- "$R$DATA/memory.before" # nothing that is forgotten from now on may live on in it
        if [ -n "$before" ] && [ "$before" != "$new" ]; then point previous "$before"; fi
        tidy_versions
        start_units
        return
    fi
    in_root systemctl stop glovebox.service 2>/dev/null || true
    restore_memory
    if [ -z "$before" ] || [ "$before" = "$new" ]; then
        fail "the service does not come up." "journalctl -u glovebox says why; ./deploy/install --remove takes everything away again."
    fi
    point current "$before"
    rm -rf -- "$R$HOME_OF/$new"
    in_root systemctl restart glovebox.service || true
    fail "version $VERSION did not come up and was taken back; ${before#versions/} runs again, with its memory as it was."
}

go_back() {
    local now before
    now=$(pointed current) before=$(pointed previous)
    [ -n "$before" ] && [ -d "$R$HOME_OF/$before" ] || fail "no version before this one is kept."
    hold_one_at_a_time
    step "Going back from ${now#versions/} to ${before#versions/}"
    point current "$before"
    point previous "$now"
    if booted && ! healthy; then
        point current "$now"
        point previous "$before"
        in_root systemctl restart glovebox.service || true
        fail "${before#versions/} does not come up, so ${now#versions/} goes on." \
            "Where the newer one has changed the form of a vault, glovebox vault restore brings the copy of before back: docs/security.md."
    fi
}

tidy_versions() {
    local one
    for one in "$R$HOME_OF"/versions/*; do
        case versions/${one##*/} in
            "$(pointed current)" | "$(pointed previous)") ;;
            *) rm -rf -- "$one" ;;
        esac
    done
}
