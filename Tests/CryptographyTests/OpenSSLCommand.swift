import Foundation
import TestSupport
import Testing

/// The `openssl` command, an independent implementation that makes the keys that this module must
/// read or refuse.
enum OpenSSLCommand {
    /// Standard output of `openssl` with `arguments`, fed with `input`.
    static func run(_ arguments: [String], input: String = "") throws -> Data {
        let finished = try TestSupport.run("openssl", arguments, input: input)
        try #require(finished.status == 0, "openssl \(arguments) failed: \(finished.errors)")
        return finished.bytes
    }

    /// The same as text.
    static func text(_ arguments: [String], input: String = "") throws -> String {
        try String(decoding: run(arguments, input: input), as: UTF8.self)
    }
}
