import Glibc

/// The content of a disk and of the kernel's memory: files and directories, each with a durable and
/// a current state, and the ordered changes between them. Directories are strict: a name is durable
/// only after fsync of its directory.
struct SimulatedDisk {
    static let sectorBytes = 512

    /// A part of a write within one sector.
    struct Piece {
        var offset: Int
        var bytes: ArraySlice<UInt8>
    }

    struct FileNode {
        var durable: [UInt8] = []
        var current: [UInt8] = []
        /// The writes since the last sync, in order.
        var pending: [Piece] = []

        /// Whether the disk has what the kernel's memory has. In tests, which are not optimized,
        /// `==` of two arrays takes a call for each byte, and this is asked for every crash state.
        var isDurable: Bool {
            durable.count == current.count && memcmp(durable, current, current.count) == 0
        }

        mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
            Self.put(bytes, at: offset, into: &current)
            var start = bytes.startIndex
            while start < bytes.endIndex {
                let place = offset + start - bytes.startIndex
                let room = SimulatedDisk.sectorBytes - place % SimulatedDisk.sectorBytes
                let end = min(start + room, bytes.endIndex)
                pending.append(Piece(offset: place, bytes: bytes[start..<end]))
                start = end
            }
        }

        /// Writes dirty pieces back. Pieces that a failed sync marked clean stay in memory only.
        mutating func sync() {
            for piece in pending { Self.put(piece.bytes, at: piece.offset, into: &durable) }
            pending = []
        }

        /// O_TRUNC. The loss of the old content is durable at once: the journal truncates only
        /// files that it no longer needs.
        mutating func truncate() {
            self = FileNode()
        }

        static func put(_ bytes: ArraySlice<UInt8>, at offset: Int, into content: inout [UInt8]) {
            let end = offset + bytes.count
            if content.count < end {
                content += Bytes.zeros(end - content.count)
            }
            content.withUnsafeMutableBytes { target in
                bytes.withUnsafeBytes { source in
                    UnsafeMutableRawBufferPointer(rebasing: target[offset..<end])
                        .copyMemory(from: source)
                }
            }
        }
    }

    struct DirectoryNode {
        var durable: [String: Int] = [:]
        var current: [String: Int] = [:]
        /// The changes since the last sync: names with their new files. A rename is one change.
        var pending: [[String: Int?]] = []

        mutating func change(_ changes: [String: Int?]) {
            pending.append(changes)
            Self.apply(changes, to: &current)
        }

        mutating func sync() {
            durable = current
            pending = []
        }

        static func apply(_ changes: [String: Int?], to names: inout [String: Int]) {
            for (name, node) in changes { names[name] = node }
        }
    }

    var files: [Int: FileNode] = [:]
    var directories: [Int: DirectoryNode] = [0: DirectoryNode()]
    private var nextNode = 1

    func isLinked(_ node: Int) -> Bool {
        directories.values.contains { $0.current.values.contains(node) }
    }

    mutating func addFile() -> Int {
        defer { nextNode += 1 }
        files[nextNode] = FileNode()
        return nextNode
    }

    mutating func addDirectory() -> Int {
        defer { nextNode += 1 }
        directories[nextNode] = DirectoryNode()
        return nextNode
    }

    /// The state after a power cut.
    func afterPowerCut(_ choice: inout CutChoice) -> SimulatedDisk {
        var result = self
        // In the order of the numbers, so that a seed always gives the same state.
        for (number, file) in files.sorted(by: { $0.key < $1.key })
        where !file.pending.isEmpty || !file.isDurable {
            var content = file.durable
            for (index, piece) in file.pending.enumerated()
            where choice.keepsPiece(index, of: file.pending.count) {
                FileNode.put(piece.bytes, at: piece.offset, into: &content)
            }
            result.files[number] = FileNode(durable: content, current: content)
        }
        for (number, directory) in directories.sorted(by: { $0.key < $1.key }) {
            var names = directory.durable
            for changes in directory.pending where choice.keepsChange() {
                DirectoryNode.apply(changes, to: &names)
            }
            result.directories[number] = DirectoryNode(durable: names, current: names)
        }
        return result
    }

    /// The state that a process finds after a kill: everything that the running system sees,
    /// durable or not.
    func afterKill() -> SimulatedDisk { self }

    /// Maximum number of pending pieces of a file, which is the number of prefixes to try.
    var pendingPieces: Int { files.values.map(\.pending.count).max() ?? 0 }
}
