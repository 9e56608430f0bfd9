# The two packages that come as source only, built once and kept: llama-cpp-python (minutes) and hnswlib (half a minute).
# Sourced by deploy/up.

CACHE=${GLOVEBOX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/glovebox}
RECIPE=1 # raise it when the build flags below change: wheels of another recipe are left alone
BUILT=(llama-cpp-python hnswlib)

# Folder of the wheels that fit this Python, machine and C library.
wheel_folder() { # PYTHON
    "$1" -c 'import platform, sys, sysconfig; print("-".join((
        sys.implementation.cache_tag, sysconfig.get_platform(), platform.libc_ver()[0] + platform.libc_ver()[1])))' |
        sed "s|^|$CACHE/wheels/|; s|\$|-r$RECIPE$(cpu_suffix)$(gpu_suffix)|"
}

# One more part of the folder's name where the build is made for more or less than the usual processor.
cpu_suffix() {
    case $(uname -m) in
        x86_64) grep -qw avx2 /proc/cpuinfo || echo -native ;;
        aarch64) grep -qw asimddp /proc/cpuinfo && echo -dotprod || true ;;
    esac
}

# GLOVEBOX_GPU=cuda builds llama.cpp for NVIDIA's GPUs, which wants nvcc; anything else builds it for the processor alone.
gpu_suffix() {
    if [ "${GLOVEBOX_GPU:-none}" = cuda ]; then echo -cuda; fi
}

pinned() { # NAME
    sed -n "s/^$1==\([^ ;]*\).*/\1/p" "$ROOT/deploy/constraints.txt"
}

# The kept wheel of a package, checked; nothing if there is none. A damaged one is removed.
kept_wheel() { # PYTHON FOLDER NAME
    local wheel
    for wheel in "$2/${3//-/_}-$(pinned "$3")-"*.whl; do
        [ -f "$wheel" ] || continue
        if "$1" -m zipfile -t "$wheel" >/dev/null 2>&1; then
            echo "$wheel"
            return
        fi
        rm -f -- "$wheel"
    done
}

all_kept() { # PYTHON FOLDER
    local name
    for name in "${BUILT[@]}"; do
        [ -n "$(kept_wheel "$1" "$2" "$name")" ] || return 1
    done
}

# Flags for llama.cpp. Without LLAVA (images) and the common library, which its Python package does not load, the build takes half as
# long. GGML_NATIVE=OFF: a wheel for every machine with AVX2 (every x86-64 since about 2015), not only for this one.
# The build splits them as a shell does (shlex), so the path is quoted for it.
llama_flags() {
    local quote="'" flags
    flags="-DLLAVA_BUILD=OFF -DCMAKE_PROJECT_llama.cpp_INCLUDE='${ROOT//$quote/$quote\\$quote$quote}/deploy/setup/without_common.cmake'"
    if [ -n "$(gpu_suffix)" ]; then flags+=" -DGGML_CUDA=ON"; fi
    case $(cpu_suffix) in
        -native) echo "$flags -DGGML_NATIVE=ON" ;;
        -dotprod) echo "$flags -DGGML_NATIVE=OFF -DGGML_CPU_ARM_ARCH=armv8.2-a+dotprod+fp16" ;;
        *) echo "$flags -DGGML_NATIVE=OFF" ;;
    esac
}

# In an environment of its own, of files that were fetched by digest; the source has one, too.
build_wheel() { # NAME INTO FOLDER
    grep -A1 "^$1==" "$ROOT/deploy/setup/hashes.txt" >"$2/source.txt"
    "$VENV/bin/python" -m venv "$2/env"
    "$2/env/bin/python" -m pip install --no-index --no-deps --require-hashes --find-links "$3" --requirement "$LOGS/building.txt"
    CMAKE_ARGS="$(llama_flags)" HNSWLIB_NO_NATIVE=1 PATH="$2/env/bin:$PATH" "$2/env/bin/python" -m pip wheel --verbose --no-deps \
        --no-cache-dir --no-build-isolation --no-binary :all: --require-hashes --wheel-dir "$2" --requirement "$2/source.txt"
}

build_wheels() { # FOLDER
    local name into
    mkdir -p "$1"
    rm -rf -- "$1"/.building.* # of a run that was interrupted
    for name in "${BUILT[@]}"; do
        if [ -z "$(kept_wheel "$VENV/bin/python" "$1" "$name")" ]; then
            into=$(mktemp -d "$1/.building.XXXXXX")
            watch_command "building $name $(pinned "$name")" "$LOGS/build-$name.log" \
                "Look in the log for the first error of the compiler or of CMake, mend its cause and run this again." \
                build_wheel "$name" "$into" "$1"
            mv -- "$into"/*.whl "$1/"
            rm -rf -- "$into"
        fi
    done
}
