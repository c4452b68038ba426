import Foundation
import TestSupport
import Testing

/// `ipnd receive` on a port that the kernel chose.
final class Receiving {
    private let program: BackgroundProgram
    let url: String

    var output: String { program.output }
    /// The lines that it printed about requests.
    var lines: [String] { output.split(separator: "\n").dropFirst().map(String.init) }

    init(_ arguments: [String]) throws {
        program = try BackgroundProgram(
            Binary.ipnd, ["receive", "--listen", "127.0.0.1:0"] + arguments)
        let program = program
        let isReady = eventually { program.output.contains("\n") }
        try #require(isReady, "\(program.output)")
        let first = program.output.split(separator: "\n").first ?? ""
        try #require(first.hasPrefix("ready "), "\(program.output)")
        url = "http://\(first.dropFirst(6))/hook"
    }

    deinit { program.kill() }
}

/// `ipnd listen`, which runs until it is stopped.
final class Listening {
    private let program: BackgroundProgram

    var output: String { program.output }

    init(_ instance: Instance, to url: String, _ arguments: [String]) throws {
        program = try BackgroundProgram(
            Binary.ipnd,
            ["listen", "--config", instance.configurationFile, "--forward", url] + arguments)
    }

    /// Waits until it has its start position.
    func awaitStart() throws {
        let isReady = eventually { output.contains("forwarding to") }
        try #require(isReady, "\(output)")
    }

    deinit { program.kill() }
}

extension Instance {
    /// Creates an instance whose admin listener keeps its address after a restart.
    static func onAdminSocket(in folder: TemporaryFolder) throws -> Instance {
        try Instance(edit: { text in
            text.replacing(
                "admin: {address: \"127.0.0.1:0\"",
                with: "admin: {address: \"unix:\(folder.path)/admin\"")
        })
    }
}
