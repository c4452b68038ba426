import CLinux
import Glibc

/// Runs a program that reads a text on its standard input, such as sendmail(8).
package struct FedProgram {
    private let path: String
    private let arguments: [String]
    private let clock: any Clock

    /// Bytes of standard error that a message shows.
    private static let errorBytesMax = 500

    package init(_ path: String, _ arguments: [String], clock: any Clock) {
        self.path = path
        self.arguments = arguments
        self.clock = clock
    }

    /// Runs the program to its end, at most for `seconds`; then it is killed. Blocks the calling
    /// thread. Returns why it failed; nil if its status is 0.
    package func run(_ input: [UInt8], seconds: Int) -> String? {
        var given: [Int32] = [-1, -1]
        var errors: [Int32] = [-1, -1]
        guard ipnd_pipe_cloexec(&given) == 0, ipnd_pipe_cloexec(&errors) == 0 else {
            return "pipe: \(Self.text(errno))"
        }
        var process = pid_t()
        let problem = spawn(&process, input: given[0], errors: errors[1])
        Glibc.close(given[0])
        Glibc.close(errors[1])
        defer { Glibc.close(errors[0]) }
        if let problem {
            Glibc.close(given[1])
            return problem
        }
        let deadline = clock.now.advanced(seconds: seconds)
        let said = feed(input, to: given[1], errors: errors[0], until: deadline)
        if said == nil { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard let said else { return "\(path) did not end within \(seconds) s" }
        guard status != 0 else { return nil }
        let end =
            status & 0x7F == 0 ? "exit status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
        let words = said.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\(path): \(end)\(words.isEmpty ? "" : ": \(words)")"
    }

    private func spawn(_ process: inout pid_t, input: Int32, errors: Int32) -> String? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The server ignores SIGPIPE and blocks the signals that it waits for.
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = Self.copies([path] + arguments)
        defer { for word in words { free(word) } }
        var surroundings: [UnsafeMutablePointer<CChar>?] = Self.copies([
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
        ])
        defer { for word in surroundings { free(word) } }
        let code = posix_spawn(&process, path, &actions, &attributes, &words, &surroundings)
        return code == 0 ? nil : "\(path): \(Self.text(code))"
    }

    /// Writes the input and reads what the program says until it ends. Nil after the deadline.
    private func feed(
        _ input: [UInt8], to descriptor: Int32, errors: Int32, until deadline: MonotonicTime
    ) -> String? {
        var rest = input[...]
        var open = descriptor
        var said: [UInt8] = []
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        defer { if open >= 0 { Glibc.close(open) } }
        while true {
            if rest.isEmpty, open >= 0 {
                Glibc.close(open)
                open = -1
            }
            var watched = [pollfd(fd: errors, events: Int16(POLLIN), revents: 0)]
            if open >= 0 { watched.append(pollfd(fd: open, events: Int16(POLLOUT), revents: 0)) }
            let ready = poll(&watched, nfds_t(watched.count), clock.pollTimeout(until: deadline))
            if ready < 0, errno != EINTR { return String(decoding: said, as: UTF8.self) }
            if ready == 0, !(clock.now < deadline) { return nil }
            if watched.count > 1, watched[1].revents != 0 {
                let count = rest.withUnsafeBytes { Glibc.write(open, $0.baseAddress, $0.count) }
                // A program that ends without reading all of it has its own reason, and its status.
                rest = count > 0 ? rest.dropFirst(count) : errno == EAGAIN ? rest : []
            }
            guard watched[0].revents != 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(errors, &buffer, buffer.count)
            if count <= 0 { return String(decoding: said, as: UTF8.self) }
            said += buffer[..<count].prefix(max(0, Self.errorBytesMax - said.count))
        }
    }

    /// The texts as C strings, which the caller frees, and a null pointer.
    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { text in text.withCString { strdup($0) } } + [nil]
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
