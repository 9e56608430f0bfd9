# What the installer says and asks. Sourced by deploy/install.

say() { printf '%s\n' "$1" >&2; }
step() { printf -- '- %s\n' "$1" >&2; }

fail() { # TEXT ...
    printf 'Stopped: %s\n' "$1" >&2
    shift
    local line
    for line in "$@"; do printf '  %s\n' "$line" >&2; done
    exit 1
}

declare -A ALLOWED=(
    [profile]='small|default|pi5|jetson' [sound]='pipewire|alsa' [kiosk]='yes|no' [can]='none|[0-9]+' [read-only]='yes|no' [gpu]='none|cuda'
    [ignition]='none|vehicle|file:/[^ "]+|gpio:[a-z0-9]+/[0-9]+(:low)?' [low-voltage]='none|file:/[^ "]+|gpio:[a-z0-9]+/[0-9]+(:low)?'
    [with]='none|(kuksa|can|mqtt|wyoming)(,(kuksa|can|mqtt|wyoming))*'
)
ORDER=(profile sound kiosk with can ignition low-voltage read-only gpu)
declare -A ASKED=(
    [profile]='Which models: small, default, pi5 or jetson' [sound]='Sound through pipewire, or straight to the card (alsa)'
    [kiosk]='The screen on this device, yes or no' [can]='Bits a second of can0, or none'
    [ignition]='Ignition: none, vehicle, file:PATH or gpio:CHIP/LINE' [low-voltage]='Low voltage: none, file:PATH or gpio:CHIP/LINE'
    [with]='Packages to reach a vehicle or another computer: none, or kuksa, can, mqtt, wyoming with commas' [read-only]='Read-only system, yes or no'
)

# The model's name of a board, from its device tree; empty where there is none.
board() { cat "$R/proc/device-tree/model" 2>/dev/null | tr -d '\0' || true; }

usual() { # NAME
    case $1 in
        profile)
            case $(board) in
                *'Raspberry Pi 5'* | *'Compute Module 5'*) echo pi5 ;;
                *Jetson* | *Orin*) echo jetson ;;
                *) echo default ;;
            esac ;;
        sound) echo alsa ;;
        kiosk | read-only) echo no ;;
        *) echo none ;;
    esac
}

# Every choice: as it is given, else as it was the last time, else asked, else the usual one.
choose() {
    local name value given
    for name in "${ORDER[@]}"; do
        value=${CHOSEN[$name]:-}
        if [ -z "$value" ]; then
            value=$(sed -n "s/^$name=//p" "$R/opt/glovebox/choices" 2>/dev/null || true)
            value=${value:-$(usual "$name")}
            if [ $UNATTENDED = no ] && [ -n "${ASKED[$name]:-}" ]; then
                read -r -p "${ASKED[$name]} [$value]: " given || given=
                value=${given:-$value}
            fi
        fi
        CHOSEN[$name]=$value
        allowed "$name"
    done
}

allowed() { # NAME
    [[ ${CHOSEN[$1]} =~ ^(${ALLOWED[$1]})$ ]] || fail "--$1 cannot be \"${CHOSEN[$1]}\"." \
        "It is $(sed -n "s/^#   --$1 *//p" "$ROOT/deploy/install" | tr -s ' '). ./deploy/install --help says more."
}

agreed() { # QUESTION
    local given=
    [ $UNATTENDED = no ] && read -r -p "$1 (yes or no) [no]: " given
    [ "$given" = yes ]
}
