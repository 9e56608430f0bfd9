# What the set-up says: numbered steps, a live line while something long runs, plain lines where there is no terminal.
# Sourced by deploy/up. Everything goes to standard error.

STEP=0
STEPS=6
CHILD=
LIVE_EVERY_S=30 # seconds between plain lines where there is no terminal

step() { # TEXT
    STEP=$((STEP + 1))
    printf '[%d/%d] %s\n' "$STEP" "$STEPS" "$1" >&2
}

note() { # TEXT
    printf '      %s\n' "$1" >&2
}

fail() { # TEXT ...
    printf '\nSet-up stopped: %s\n' "$1" >&2
    shift
    local line
    for line in "$@"; do printf '  %s\n' "$line" >&2; done
    exit 1
}

# Runs a command with a live line: what it is, the last sign of progress in its log, the seconds so far.
watch_command() { # LABEL LOG ADVICE COMMAND ...
    local label=$1 log=$2 advice=$3 begun=$SECONDS told=$SECONDS status=0 sign
    shift 3
    mkdir -p "$(dirname "$log")"
    : >"$log"
    set -m # a process group of its own, so that all of it can be ended
    "$@" </dev/null >>"$log" 2>&1 &
    CHILD=$!
    set +m
    while kill -0 "$CHILD" 2>/dev/null; do
        sleep 0.3
        if [ -t 2 ]; then
            sign=$(progress_sign "$log")
            printf '\r\033[K      %s  %d s  %s' "$label" $((SECONDS - begun)) "${sign:0:60}" >&2
        elif [ $((SECONDS - told)) -ge $LIVE_EVERY_S ]; then
            told=$SECONDS
            note "$label: $((SECONDS - begun)) s so far  $(progress_sign "$log")"
        fi
    done
    wait "$CHILD" || status=$?
    CHILD=
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
    if [ "$status" -ne 0 ]; then
        printf '\nSet-up stopped: %s failed (exit code %d). The last lines of its log:\n\n' "$label" "$status" >&2
        tail -n 15 "$log" | sed 's/^/  | /' >&2
        if index_trouble "$log"; then
            advice="A package could not be fetched: look whether this machine reaches a Python package index that has it, and run this again."
        fi
        printf '\n  The whole log: %s\n  %s\n' "$log" "$advice" >&2
        exit 1
    fi
    note "$label: done in $((SECONDS - begun)) s"
}

# The newest sign of progress in a log of pip or ninja, shortened.
progress_sign() { # LOG
    tail -c 4000 "$1" 2>/dev/null | tr '\r' '\n' |
        grep -oE '^ *\[[0-9]+/[0-9]+\]|^ *\[ *[0-9]+%\]|(Collecting|Downloading|Installing collected packages|Building wheel for) ?[^ ]{0,40}' |
        tail -n 1 | tr -s ' ' || true
}

# Whether pip's log says that a package could not be had.
index_trouble() { # LOG
    grep -qE 'No matching distribution found|Could not find a version|Max retries exceeded|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError' "$1"
}

stop_child() {
    if [ -n "$CHILD" ]; then
        kill -TERM -- "-$CHILD" 2>/dev/null || true
        CHILD=
    fi
}
trap 'stop_child; unlock_setup' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
