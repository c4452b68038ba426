# Shared by the other scripts; sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Without a home directory the compiler writes the expansions of macros into the current folder.
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}

# help_if_asked ARGUMENT … : prints the comment at the top of the script, and exits.
help_if_asked() {
    case ${1:-} in
    -h | --help)
        awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
        exit 0
        ;;
    esac
}

# need PACKAGE … : installs the missing Debian packages and lists them. Uses sudo if not root.
need() {
    local missing=() package status
    for package in "$@"; do
        status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) || true
        [[ $status == *'ok installed'* ]] || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    echo "installing Debian packages: ${missing[*]}" >&2
    alone install_packages "${missing[@]}" >&2
}

# install_packages PACKAGE … : as root. The signals that end a script do not end it halfway: dpkg
# would then refuse every later installation on this machine.
install_packages() (
    trap '' TERM HUP INT
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    # What an earlier installation, ended by force, has left undone.
    "${as_root[@]}" dpkg --configure -a || true
    "${as_root[@]}" apt-get update -qq
    # Services of these packages must not start by themselves: ports 80 and 9090 may be in use.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
        apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"
)

# alone COMMAND … : runs one command at a time, when concurrent scripts would install something.
alone() {
    mkdir -p "$root/.build"
    (
        flock 9
        "$@" 9>&-
    ) 9>"$root/.build/install.lock"
}

# Requirements of a build: the libraries of Package.swift, and Swift.
need_build() {
    need libssl-dev libsqlite3-dev libpq-dev libcurl4-openssl-dev pkg-config
    command -v swift >/dev/null && return 0
    echo "a Swift toolchain (6.2 or later) is needed: https://www.swift.org/install/linux/" >&2
    exit 69
}

# python_tool NAME REQUIREMENT … : prints the path of a program from PyPI; what is required is
# installed into .build/python. If PyPI is unreachable, says so and prints nothing.
python_tool() {
    local folder=$root/.build/python name=$1 missing=() requirement
    shift
    for requirement in "$@"; do
        [ -e "$folder/$requirement" ] || missing+=("$requirement")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        need python3-venv
        [ -x "$folder/bin/python3" ] || python3 -m venv "$folder" >&2
        # All in one turn of pip, and nothing compiled that no program may import: 22 seconds of a
        # processor for the libraries of the tests, in place of 58.
        local options=(--quiet --disable-pip-version-check --retries 1 --timeout 15 --no-compile)
        alone "$folder/bin/pip" install "${options[@]}" "${missing[@]}" >&2 || {
            echo "SKIPPED: what needs ${missing[*]}, because PyPI cannot be reached" >&2
            return 0
        }
        for requirement in "${missing[@]}"; do touch "$folder/$requirement"; done
    fi
    echo "$folder/bin/$name"
}

# Minimal toolchains lack the static libraries.
has_static_libraries() {
    [ -d "$(dirname "$(readlink -f "$(command -v swift)")")/../lib/swift_static" ]
}

# The compiler writes expanded macros into a folder of TMPDIR, which belongs to the user who builds
# first. For any other one Swift 6.3 writes them into the working directory, under random bytes.
build_tmp=${TMPDIR:-/tmp}/swift-build-$(id -u)
mkdir -p "$build_tmp"

swift_build() {
    TMPDIR=$build_tmp swift build "$@"
}

# release PRODUCT : makes a release build and prints its path. Swift's libraries are linked
# statically: one file to install, which also uses 5 MiB less memory.
release() {
    local options=(--package-path "$root" -c release)
    has_static_libraries && options+=(--static-swift-stdlib)
    swift_build "${options[@]}" --product "$1" >&2
    echo "$(swift build "${options[@]}" --show-bin-path)/$1"
}

# link_statically LIST FILE : links the objects of ipnd in LIST as `release` does, into FILE. They
# were compiled for the shared libraries, so those that Foundation is made of are named here. In a
# build for tests, `main` has another name.
link_statically() {
    local library options=()
    for library in ssl crypto pq curl sqlite3 CoreFoundation _FoundationICU \
        FoundationInternationalization _FoundationCShims _FoundationCollections stdc++; do
        options+=("-l$library")
    done
    swiftc -static-stdlib -o "$2" "@$1" "${options[@]}" -Xlinker --defsym=main=ipnd_main
}
