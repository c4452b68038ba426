import Foundation

/// A small helper process that kills the programs that this process started as soon as this process
/// has ended, even by SIGKILL. It also removes temporary files.
///
/// This process sends it each program's group. Its standard input ends with this process, which
/// alone holds the other end.
///
/// (`PR_SET_PDEATHSIG` does not suffice: it fires when the thread that started the program ends.)
package final class Minder: Sendable {
    package static let common = Minder()

    /// A variable in the environment of every program that a test starts, inherited by its
    /// children.
    static let mark = (
        name: "STARTED_BY_TEST_PROCESS", value: "\(getpid())-\(UInt64.random(in: 0 ... .max))"
    )

    /// The folder of this process's temporary folders, removed at the end.
    let folder: String
    private let lifeline: Int32

    /// `$1`: the mark, `$2`: the folder of temporary files.
    ///
    /// Some programs leave their group, and the group of a program started last may not have been
    /// sent: they are found by the mark. Programs that end by themselves get five seconds.
    private static let script = """
        trap '' HUP INT QUIT TERM PIPE
        groups=' ' patient=' ' folders=
        while read -r word group; do
            case $word in
            watch) groups="$groups$group " ;;
            wait) patient="$patient$group " ;;
            remove) folders="$folders $group" ;;
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
        rm -rf -- "$2" $folders
        """

    private init() {
        let place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        folder = TemporaryFolder.make("\(place)/ipnd-test-")
        // Lets programs of other users reach a folder that is open to them.
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

    /// Removes a folder at the end that is not below ``folder``. The program that uses it may be
    /// killed before it can.
    ///
    /// - Parameter path: Without blanks.
    package func remove(_ path: String) { tell("remove \(path)\n") }

    /// A line this short is sent as a whole (AF_UNIX, SOCK_STREAM: unix(7)).
    private func tell(_ line: String) {
        let bytes = Array(line.utf8)
        _ = send(lifeline, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
