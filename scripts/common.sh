# Shared by the scripts beside it; sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# need PACKAGE … : installs the Debian packages that are missing, and says which. Uses sudo when not root.
need() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "installing Debian packages: ${missing[*]}" >&2
    # Services of these packages must not start by themselves: ports 80 and 9090 may be somebody else's.
    "${as_root[@]}" apt-get update -qq >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

need_swift() {
    command -v swift >/dev/null && return 0
    echo "a Swift toolchain (6.2 or later) is needed: https://www.swift.org/install/linux/" >&2
    exit 69
}

# release PRODUCT : builds it for use and prints its path. Swift's libraries are linked in: one file to install, which also
# takes 5 MiB less memory than with them beside it.
release() {
    local options=(--package-path "$root" -c release) toolchain
    toolchain=$(dirname "$(readlink -f "$(command -v swift)")")/..
    # Small toolchains come without what can be linked in.
    [ ! -d "$toolchain/lib/swift_static" ] || options+=(--static-swift-stdlib)
    swift build "${options[@]}" --product "$1" >&2
    echo "$(swift build "${options[@]}" --show-bin-path)/$1"
}
