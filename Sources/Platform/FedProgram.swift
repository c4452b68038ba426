import CLinux
import Glibc

/// Runs a program that reads a text on its standard input, such as sendmail(8), or that prints one,
/// such as a helper that fetches a key.
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
        run(input, seconds: seconds, keeping: 0).problem
    }

    /// The same without input. Returns what the program prints.
    ///
    /// - Parameter bytesMax: Bytes that are kept of it; the rest is discarded.
    package func output(
        bytesMax: Int, seconds: Int
    ) -> (printed: [UInt8], problem: String?) {
        run([], seconds: seconds, keeping: bytesMax)
    }

    private func run(
        _ input: [UInt8], seconds: Int, keeping bytesMax: Int
    ) -> (printed: [UInt8], problem: String?) {
        var pipes: [[Int32]] = []
        for _ in 0..<3 {
            var pipe: [Int32] = [-1, -1]
            guard ipnd_pipe_cloexec(&pipe) == 0 else {
                for descriptor in pipes.joined() { Glibc.close(descriptor) }
                return ([], "pipe: \(Self.text(errno))")
            }
            pipes.append(pipe)
        }
        let (given, output, errors) = (pipes[0], pipes[1], pipes[2])
        var process = pid_t()
        let problem = spawn(&process, input: given[0], output: output[1], errors: errors[1])
        for descriptor in [given[0], output[1], errors[1]] { Glibc.close(descriptor) }
        defer { for descriptor in [output[0], errors[0]] { Glibc.close(descriptor) } }
        if let problem {
            Glibc.close(given[1])
            return ([], problem)
        }
        let deadline = clock.now.advanced(seconds: seconds)
        var heard = [
            Heard(descriptor: output[0], bytesMax: bytesMax),
            Heard(descriptor: errors[0], bytesMax: Self.errorBytesMax),
        ]
        let isDone = feed(input, to: given[1], &heard, until: deadline)
        if !isDone { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard isDone else { return ([], "\(path) did not end within \(seconds) s") }
        guard status != 0 else { return (heard[0].bytes, nil) }
        let end =
            status & 0x7F == 0 ? "exit status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
        let words = String(decoding: heard[1].bytes, as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return ([], "\(path): \(end)\(words.isEmpty ? "" : ": \(words)")")
    }

    /// One of the program's outputs, with the bytes that were read from it.
    private struct Heard {
        let descriptor: Int32
        let bytesMax: Int
        var bytes: [UInt8] = []
        var isOpen = true
    }

    private func spawn(
        _ process: inout pid_t, input: Int32, output: Int32, errors: Int32
    ) -> String? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
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

    /// Writes the input and reads what the program writes until it ends. False after the deadline.
    private func feed(
        _ input: [UInt8], to descriptor: Int32, _ heard: inout [Heard],
        until deadline: MonotonicTime
    ) -> Bool {
        var rest = input[...]
        var open = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        defer { if open >= 0 { Glibc.close(open) } }
        while heard.contains(where: \.isOpen) {
            if rest.isEmpty, open >= 0 {
                Glibc.close(open)
                open = -1
            }
            // The kernel ignores negative descriptors.
            var watched = heard.map {
                pollfd(fd: $0.isOpen ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0)
            }
            watched.append(pollfd(fd: open, events: Int16(POLLOUT), revents: 0))
            let ready = poll(&watched, nfds_t(watched.count), clock.pollTimeout(until: deadline))
            if ready < 0, errno != EINTR { return true }
            if ready == 0, !(clock.now < deadline) { return false }
            guard ready > 0 else { continue }
            if watched[heard.count].revents != 0 {
                let count = rest.withUnsafeBytes { Glibc.write(open, $0.baseAddress, $0.count) }
                // A program that ends without reading all of it has its own reason, and its status.
                rest = count > 0 ? rest.dropFirst(count) : errno == EAGAIN ? rest : []
            }
            for index in heard.indices where watched[index].revents != 0 {
                Self.read(&heard[index])
            }
        }
        return true
    }

    private static func read(_ heard: inout Heard) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(heard.descriptor, &buffer, buffer.count)
        if count <= 0 { heard.isOpen = false }
        let room = max(0, heard.bytesMax - heard.bytes.count)
        heard.bytes += buffer[..<max(0, count)].prefix(room)
    }

    /// The texts as C strings, which the caller frees, and a null pointer.
    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { text in text.withCString { strdup($0) } } + [nil]
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
