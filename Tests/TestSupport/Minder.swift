import Foundation

/// A small process beside this one that kills what this one has started, as soon as this one has
/// ended: by itself, by SIGKILL or in any other way. It also removes temporary files.
///
/// It is told each program's group, and its standard input ends with this process, which alone has
/// the other end.
///
/// (`PR_SET_PDEATHSIG` would not do: it fires when the thread that started the program ends.)
package final class Minder: Sendable {
    package static let common = Minder()

    /// A variable that every program that a test starts has, and what that starts in turn.
    static let mark = (
        name: "STARTED_BY_TEST_PROCESS", value: "\(getpid())-\(UInt64.random(in: 0 ... .max))"
    )

    /// Where this process's temporary folders are. It is removed at the end.
    let folder: String
    private let lifeline: Int32

    /// `$1`: the mark, `$2`: the folder of temporary files.
    ///
    /// Some programs leave their group, and one may be started whose group is not told any more:
    /// they have the mark. Programs that end by themselves get five seconds.
    private static let script = """
        trap '' HUP INT QUIT TERM PIPE
        groups=' ' patient=' '
        while read -r word group; do
            case $word in
            watch) groups="$groups$group " ;;
            wait) patient="$patient$group " ;;
            forget)
                case $groups in *" $group "*)
                    groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac
                case $patient in *" $group "*)
                    patient="${patient%%" $group "*} ${patient#*" $group "}" ;; esac ;;
            esac
        done
        for group in $groups; do kill -KILL "-$group"; done
        tries=0
        while [ $tries -lt 50 ]; do
            left=
            for group in $patient; do kill -0 "-$group" && left=yes; done
            [ "$left" ] || break
            tries=$((tries + 1)); sleep 0.1
        done
        for group in $patient; do kill -KILL "-$group"; done
        for tries in 1 2 3; do
            for file in $(grep -lsxzF "$1" /proc/[0-9]*/environ); do
                process=${file#/proc/}; kill -KILL "${process%/environ}"
            done
        done
        rm -rf -- "$2"
        """

    private init() {
        let place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        folder = TemporaryFolder.make("\(place)/ipnd-test-")
        // A program of another user may go through to a folder that is open to it.
        chmod(folder, 0o711)
        var files = SpawnFiles()
        defer { files.closeTheirs() }
        do {
            lifeline = try files.addLifeline()
            let variables = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
            _ = try files.spawn(
                "/bin/sh",
                ["-c", Self.script, "minder", "\(Self.mark.name)=\(Self.mark.value)", folder],
                variables, ownSession: true)
        } catch {
            fatalError("cannot start the minder of test programs: \(error)")
        }
    }

    func watch(_ group: pid_t, endsByItself: Bool) {
        tell("\(endsByItself ? "wait" : "watch") \(group)\n")
    }

    func forget(_ group: pid_t) { tell("forget \(group)\n") }

    /// A line this short is sent whole (AF_UNIX, SOCK_STREAM: unix(7)).
    private func tell(_ line: String) {
        let bytes = Array(line.utf8)
        _ = send(lifeline, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
