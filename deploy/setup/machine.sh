# What the machine must have: a Python, a compiler where something has to be built, Debian packages, room on the disk.
# Sourced by deploy/up.

NEEDED_MB=1500 # the environment (about 700 MB, for development 1,200) and the build

find_python() {
    local candidate
    for candidate in ${GLOVEBOX_PYTHON:+"$GLOVEBOX_PYTHON"} python3 python3.12 python3.13 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
        if [ -n "${GLOVEBOX_PYTHON:-}" ]; then
            fail "GLOVEBOX_PYTHON is $GLOVEBOX_PYTHON, which is no Python 3.11 or newer." "Name another, or unset it."
        fi
    done
    fail "no Python 3.11 or newer was found (python3 is: $(python3 --version 2>&1 || echo none))." \
        "Install one (Debian 12 or newer: apt install python3 python3-venv python3-dev), or name it in GLOVEBOX_PYTHON."
}

python_has() { # PYTHON CODE
    "$1" -c "$2" >/dev/null 2>&1
}

has_portaudio() { # PYTHON
    python_has "$1" 'import ctypes; ctypes.CDLL("libportaudio.so.2")'
}

# Names of the Debian packages that are missing, one a line.
missing_packages() { # PYTHON BUILDS
    command -v espeak-ng >/dev/null || echo espeak-ng
    has_portaudio "$1" || echo libportaudio2
    python_has "$1" 'import ensurepip, venv' || echo python3-venv
    if [ "$2" = yes ]; then
        command -v c++ >/dev/null && command -v make >/dev/null || echo build-essential
        python_has "$1" 'import os, sysconfig; os.stat(os.path.join(sysconfig.get_paths()["include"], "Python.h"))' ||
            echo python3-dev
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    [ "${GLOVEBOX_NO_APT:-}" != 1 ] && command -v apt-get >/dev/null &&
        { [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; }
}

apt_install() { # PACKAGE ...
    export DEBIAN_FRONTEND=noninteractive
    local options=(-y --no-install-recommends -o DPkg::Lock::Timeout=120)
    as_root apt-get install "${options[@]}" "$@" ||
        { as_root apt-get update && as_root apt-get install "${options[@]}" "$@"; }
}

has_mosquitto() {
    PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v mosquitto >/dev/null
}

# The MQTT broker that some tests start. Without it they are skipped and say so: nothing else wants it.
offer_mosquitto() {
    if has_mosquitto; then return; fi
    if ! may_install; then
        note "mosquitto is not installed, and cannot be from here: the tests of the MQTT adapter will be skipped"
        return
    fi
    # Debian would also start it as a service; at run level 1 it does not.
    RUNLEVEL=1 watch_command "installing mosquitto, for the tests" "$LOGS/apt-mosquitto.log" "" apt_install_or_not mosquitto
    has_mosquitto || note "mosquitto could not be installed: the tests of the MQTT adapter will be skipped"
}

has_chromium() {
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null
}

# The browser that the tests of the driver's screen drive. Without it they are skipped and say so.
offer_chromium() {
    if has_chromium; then return; fi
    if ! may_install; then
        note "chromium is not installed, and cannot be from here: the tests of the screen in a browser will be skipped"
        return
    fi
    watch_command "installing chromium, for the tests" "$LOGS/apt-chromium.log" "" apt_install_or_not chromium
    has_chromium || note "chromium could not be installed: the tests of the screen in a browser will be skipped"
}

apt_install_or_not() { # PACKAGE ...
    apt_install "$@" || true
}

check_machine() { # PYTHON BUILDS
    local missing room
    mapfile -t missing < <(missing_packages "$1" "$2")
    if [ ${#missing[@]} -gt 0 ]; then
        if ! may_install; then
            fail "this machine lacks: ${missing[*]}." \
                "They are Debian packages, and they cannot be installed from here (no apt, or no right to use it)." \
                "Have them installed (apt install ${missing[*]}) and run this again."
        fi
        watch_command "installing ${missing[*]}" "$LOGS/apt.log" "Install them by hand (apt install ${missing[*]}) and run this again." \
            apt_install "${missing[@]}"
        mapfile -t missing < <(missing_packages "$1" "$2")
        if [ ${#missing[@]} -gt 0 ]; then
            fail "${missing[*]} still missing after installing." "If the Python is not Debian's own ($1), its headers and venv must come with it."
        fi
    fi
    room=$(df -Pm "$ROOT" | awk 'NR == 2 { print $4 }')
    if [ "$room" -lt $NEEDED_MB ]; then
        fail "$room MB are free at $ROOT; the set-up takes up to $NEEDED_MB MB." "Make room and run this again."
    fi
}
