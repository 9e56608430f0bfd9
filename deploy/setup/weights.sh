# Pretrained weights: fetched by `glovebox models get` into one folder of this user, for all checkouts; never part of the repository.
# Sourced by deploy/up.

WEIGHTS_STAMP=$VENV/.glovebox-weights

# For whom and for what weights were fetched: another value means that it is worth another look.
weights_digest() {
    { printf '%s\n' "$HOME" "${XDG_DATA_HOME:-}" "${XDG_CONFIG_HOME:-}" "${GLOVEBOX_PROFILE:-}" "$(cut -d' ' -f2 "$STAMP")"
        cat "$ROOT"/models/catalog.toml "$ROOT"/deploy/default.toml "$ROOT"/deploy/profiles/*.toml; } | sha256sum | cut -d' ' -f1
}

# Without them everything works with what the repository carries, so nothing stops here.
offer_weights() {
    if [ "$(cat "$WEIGHTS_STAMP" 2>/dev/null)" = "$(weights_digest)" ]; then return; fi
    if "$VENV/bin/glovebox" models get >&2; then
        note "making the sound of what is said again and again, once: a minute or two"
        "$VENV/bin/glovebox" speak --ahead >&2 || note "going on without it: it is made in idle time"
        weights_digest >"$WEIGHTS_STAMP.new"
        mv -- "$WEIGHTS_STAMP.new" "$WEIGHTS_STAMP"
    else
        note "going on with what the repository carries; ./deploy/up tries again next time, ./deploy/up --small does not"
    fi
}
