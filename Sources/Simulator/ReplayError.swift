import Console
import Platform
import ServerConfiguration

/// Why a source cannot be read.
package enum ReplayError: Error, Sendable, Equatable {
    /// There is no such file or folder.
    case missing(String)
    /// A folder without segments and without `.http` files.
    case nothingToSend(String)
    /// A rejection log without this entry, or without any.
    case noEntry(String, id: String?)
    /// An entry of a rejection log is sealed, and this master key is not here.
    case sealed(String, id: String, master: String)
    /// An entry of a rejection log was erased.
    case erased(String, id: String)
    /// The source has no requests to this endpoint, only to those in `known`.
    case noEndpoint(String, known: [String])
    /// A file that is not a raw HTTP request.
    case notHTTP(String)
    /// The file cannot be read, or is longer than `FileContents.replayedBytesMax`.
    case unreadable(String, detail: String)

    package var reason: String {
        switch self {
        case .missing: "source_missing"
        case .nothingToSend, .noEntry: "source_empty"
        case .sealed: "source_sealed"
        case .erased: "source_erased"
        case .noEndpoint: "unknown_endpoint"
        case .notHTTP: "source_not_http"
        case .unreadable: "source_unreadable"
        }
    }
}

extension ReplayError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path): "\(path): no such file or folder"
        case .nothingToSend(let path):
            "\(path): neither a journal, a folder of .http files nor one with a rejection log"
        case .noEntry(let path, let id):
            id.map { "\(path): no entry \($0)" } ?? "\(path): no requests were refused"
        case .erased(let path, let id): "\(path): the request of the entry \(id) was erased"
        case .sealed(let path, let id, let master):
            "\(path): the entry \(id) is sealed with the master key \"\(master)\", which is not in "
                + "`personal.masterKeys`"
        case .noEndpoint(let name, let known):
            "--endpoint: nothing came to “\(TextTable.printable(String(name.prefix(60))))”; "
                + Suggestion.remedy(for: name, among: known)
        case .notHTTP(let path):
            "\(path): not a raw HTTP request (a request line, headers, an empty line, the body)"
        case .unreadable(let path, let detail): "\(path): \(detail)"
        }
    }
}

extension FileContents {
    /// The maximum size of the rejection log, far above that of a request.
    package static let replayedBytesMax = 64 << 20

    /// Reads a file or pipe from the command line.
    ///
    /// - Throws: `missing`, `unreadable`.
    package static func replayed(_ path: String) throws(ReplayError) -> [UInt8] {
        do throws(Problem) {
            return try FileContents(path: path, bytesMax: replayedBytesMax, allowsPipes: true).bytes
        } catch {
            if case .missing = error { throw .missing(path) }
            throw .unreadable(path, detail: error.clause)
        }
    }
}
