import Foundation
import TestSupport
import Testing

/// The interface between systemd and a service, with the test in systemd's role.
@Suite(.ownThreads) struct LifeCycleSystemdTests {
    /// The service manager's notification socket.
    private final class Supervisor {
        let path: String
        private let descriptor: Int32

        init(_ folder: String) throws {
            path = "\(folder)/notify"
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(status == 0)
            var timeout = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size)
            )
        }

        deinit { close(descriptor) }

        /// Returns the next message, without the progress messages of a start.
        func next() -> String {
            var word = nextOfAll()
            while word.hasPrefix("EXTEND_TIMEOUT_USEC=") { word = nextOfAll() }
            return word
        }

        func nextOfAll() -> String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test func `readiness reload watchdog and stop are told`() throws {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let supervisor = try Supervisor(folder)
        let instance = try Instance(starts: false)
        instance.environment = ["NOTIFY_SOCKET": supervisor.path]
        try instance.start()
        #expect(supervisor.next() == "READY=1")
        instance.process.signal(SIGHUP)
        let reloading = supervisor.next()
        #expect(reloading.hasPrefix("RELOADING=1\nMONOTONIC_USEC="), "\(reloading)")
        #expect(supervisor.next() == "READY=1")
        #expect(instance.stop() == 0)
        #expect(supervisor.next() == "STOPPING=1")
    }

    @Test func `a start that replays asks for time`() throws {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let supervisor = try Supervisor(folder)
        let instance = try Instance(starts: false)
        instance.environment = ["NOTIFY_SOCKET": supervisor.path]
        try instance.start()
        #expect(supervisor.nextOfAll() == "EXTEND_TIMEOUT_USEC=60000000")
        #expect(supervisor.nextOfAll() == "READY=1")
        #expect(instance.stop() == 0)
    }

    @Test func `the watchdog hears from it`() throws {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let supervisor = try Supervisor(folder)
        let instance = try Instance(starts: false)
        instance.environment = ["NOTIFY_SOCKET": supervisor.path, "WATCHDOG_USEC": "100000"]
        try instance.start()
        let words = Set((0..<4).map { _ in supervisor.next() })
        #expect(words == ["READY=1", "WATCHDOG=1"])
    }

    /// Keys that only root may read and an unprivileged user, as systemd sets up for `DynamicUser=`
    /// and `LoadCredential=`.
    @Test func `what it may not read comes as a credential`() throws {
        let setting = try CredentialSetting()
        guard setting.isPossible else { return print("SKIPPED: it takes setpriv") }
        let instance = setting.instance
        try setting.start()
        let client = try instance.client()
        try client.send(
            SandboxProvider("antom", of: instance).delivery(reference: "CRED-1").request())
        #expect(try client.receive().status == 200)
        // A copy that is older than its file is of a replaced key.
        try setting.replace("keys/antom.pem")
        instance.process.signal(SIGHUP)
        #expect(
            eventually {
                instance.logText.contains("reload refused")
                    && instance.logText.contains("restart the service")
            }, "\(instance.logText)")
        #expect(instance.stop() == 0)
    }

    /// If the folder is not readable either, the ages cannot be compared, and only the copy is
    /// used.
    @Test func `a credential of a file that cannot be seen is taken`() throws {
        let setting = try CredentialSetting()
        guard setting.isPossible else { return print("SKIPPED: it takes setpriv") }
        try setting.replace("keys/antom.pem")
        try setting.start(hidesFolders: true)
        let client = try setting.instance.client()
        try client.send(
            SandboxProvider("antom", of: setting.instance).delivery(reference: "CRED-2").request())
        #expect(try client.receive().status == 200)
        #expect(setting.instance.stop() == 0)
    }

    /// A copy that is older than its file is of a replaced key, also at the start.
    @Test func `a credential that is older than its file is not taken`() throws {
        let setting = try CredentialSetting()
        guard setting.isPossible else { return print("SKIPPED: it takes setpriv") }
        try setting.replace("keys/antom.pem")
        let error = #expect(throws: Instance.NotReady.self) { try setting.start() }
        #expect(error?.status == 78)
        #expect(error?.log.contains("restart the service") == true, "\(String(describing: error))")
    }

    @Test func `a file that nobody passes is a mistake`() throws {
        let setting = try CredentialSetting()
        guard setting.isPossible else { return print("SKIPPED: it takes setpriv") }
        try FileManager.default.removeItem(atPath: "\(setting.credentials)/keys_antom.pem")
        let error = #expect(throws: Instance.NotReady.self) { try setting.start() }
        #expect(error?.status == 78)
        #expect(error?.log.contains("LoadCredential=") == true, "\(String(describing: error))")
    }

    /// The shell acts as systemd: it passes a bound socket as descriptor 3 to the program that
    /// replaces it.
    @Test func `a socket that systemd bound is used`() throws {
        let python = try #require(installedProgram("python3"))
        let instance = try Instance(starts: false)
        let script = """
            import os, socket, sys
            s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
            port = s.getsockname()[1]
            path = sys.argv[2]
            text = open(path).read().replace("127.0.0.1:0", "127.0.0.1:%d" % port, 1)
            open(path, "w").write(text)
            os.dup2(s.fileno(), 3); os.set_inheritable(3, True)
            os.environ["LISTEN_FDS"] = "1"; os.environ["LISTEN_PID"] = str(os.getpid())
            os.execv(sys.argv[1], [sys.argv[1], "serve", "--config", path])
            """
        instance.launcher = [python, "-c", script, Binary.ipnd, instance.configurationFile]
        // The port is already bound: without the inherited socket the start would fail.
        try instance.start()
        let client = try instance.client()
        try client.send(
            SandboxProvider("antom", of: instance).delivery(reference: "SOCKET-1").request())
        #expect(try client.receive().status == 200)
        #expect(instance.stop() == 0)
    }

    @Test func `the unit file is what systemd understands`() throws {
        let unit = SourceTree.url("config/ipnd.service").path
        let text = try String(contentsOfFile: unit, encoding: .utf8)
        var section = ""
        var settings: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("[") {
                section = String(line)
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(String.init)
            try #require(parts.count == 2 && !section.isEmpty, "\(line)")
            settings["\(section)\(parts[0])"] = parts[1]
        }
        #expect(settings["[Service]Type"] == "notify")
        #expect(settings["[Service]ExecStart"]?.contains("ipnd serve --config") == true)
        for key in ["NoNewPrivileges", "PrivateTmp", "DynamicUser"] {
            #expect(settings["[Service]\(key)"] == "yes", "\(key)")
        }
        #expect(settings["[Service]ProtectSystem"] == "strict")
        #expect(settings["[Unit]Documentation"] == "man:ipnd(1)")
        // Otherwise systemd would stop restarting after the fifth exit with 71 in five seconds.
        #expect(settings["[Unit]StartLimitIntervalSec"] == "0")
        #expect(settings["[Service]RestartPreventExitStatus"] == "64 72 78")
        guard let analyze = installedProgram("systemd-analyze") else { return }
        let verdict = try run(analyze, ["verify", "--man=no", unit])
        // The binary is not where the unit expects it; only that may be reported.
        let complaints = verdict.errors.split(separator: "\n").filter {
            $0.contains("ipnd.service") && !$0.contains("is not executable")
        }
        #expect(complaints.isEmpty, "\(verdict.errors)")
        // The exposure is in tenths: 1.5 of 10. Versions before 250 cannot check a file.
        let exposure = try run(
            analyze, ["security", "--offline=true", "--threshold=15", unit])
        guard !exposure.errors.contains("unrecognized option") else { return }
        #expect(exposure.status == 0, "\(exposure.output.suffix(200))\(exposure.errors)")
    }
}
