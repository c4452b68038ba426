import Glibc

/// What people read when something is wrong.
enum StandardError {
    /// Writes a line at once, unbuffered.
    static func print(_ text: String) { put(text, to: STDERR_FILENO) }
}

/// What other programs read.
enum StandardOutput {
    /// Writes a line at once: whoever waits for it reads a pipe, which stdio would buffer whole.
    static func print(_ text: String) { put(text, to: STDOUT_FILENO) }

    /// Writes bytes as they are; false when nobody reads any more (`ipnd journal cat | head`).
    static func write(_ bytes: [UInt8]) -> Bool { put(bytes, to: STDOUT_FILENO) }
}

private func put(_ text: String, to descriptor: Int32) {
    _ = put(Array((text.hasSuffix("\n") ? text : text + "\n").utf8), to: descriptor)
}

private func put(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
            Glibc.write(descriptor, $0.baseAddress! + sent, bytes.count - sent)
        }
        guard count > 0 else {
            if count < 0, errno == EINTR { continue }
            return false
        }
        sent += count
    }
    return true
}
