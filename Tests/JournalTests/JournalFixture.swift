@testable import Journal

/// A small journal on a simulated disk, to be damaged by tests: sixteen records, two in each frame,
/// in three segments with three, three and two frames of 2048 bytes.
struct JournalFixture {
    static let first = "0000000001.segment"
    static let second = "0000000007.segment"
    static let third = "0000000013.segment"
    static let names = [first, second, third]
    static let frameBytes = 2048

    static let options: JournalOptions = {
        var options = CrashWorkload.options
        options.segmentBytes = 8 << 10
        options.recordBytesMax = 1000
        options.frameBytesMax = 3 << 10
        return options
    }()

    /// Opens the journal; returns its records, from the snapshot and from replay.
    static func open(
        _ storage: any Storage, _ records: inout [[UInt8]]
    ) throws(JournalError) -> JournalWriter {
        try CrashWorkload.open(storage, options: options, &records)
    }

    var storage: SimulatedStorage

    /// - Parameters:
    ///   - idle: The writer was closed in order.
    ///   - snapshots: The records after which a snapshot is written.
    init(idle: Bool = false, snapshots: [Int] = []) throws {
        storage = SimulatedStorage()
        var none: [[UInt8]] = []
        let writer = try JournalFixture.open(storage, &none)
        for record in 1...16 {
            try writer.append { $0.append(contentsOf: Self.record(record)) }
            if record % 2 == 0 { try writer.commit() }
            if snapshots.contains(record), let point = writer.snapshotPoint {
                let file = try writer.maintenance.snapshot(of: point)
                for covered in 1...record { try file.append(section: 1, Self.record(covered)) }
                try file.finish()
            }
        }
        if idle { writer.close() }
    }

    static func record(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: 900)
    }

    static func path(_ name: String) -> String { CrashWorkload.directory + "/" + name }

    /// The content of a file; setting nil removes it.
    subscript(name: String) -> [UInt8]? {
        get {
            let disk = storage.disk
            guard case .success(let node) = storage.state.withLock({ $0.resolve(Self.path(name)) })
            else { return nil }
            return disk.files[node]?.current
        }
        nonmutating set {
            storage.state.withLock { state in
                guard let content = newValue else {
                    guard case .success(let place) = state.parent(of: Self.path(name)) else {
                        return
                    }
                    state.disk.directories[place.0]?.change([place.1: nil])
                    state.disk.directories[place.0]?.sync()
                    return
                }
                guard case .success(let node) = state.open(Self.path(name), creating: true) else {
                    return
                }
                state.disk.files[node] = SimulatedDisk.FileNode(durable: content, current: content)
            }
        }
    }

    /// Changes a file's bytes in place.
    func edit(_ name: String, _ change: (inout [UInt8]) -> Void) {
        var bytes = self[name] ?? []
        change(&bytes)
        self[name] = bytes
    }

    func rename(_ name: String, to newName: String) {
        let content = self[name]
        self[name] = nil
        self[newName] = content
    }

    /// Changes the file `identity`.
    func renote(_ change: (inout JournalNote) -> Void) {
        guard var note = JournalNote(String(decoding: self["identity"] ?? [], as: UTF8.self))
        else { preconditionFailure("there is no identity") }
        change(&note)
        self["identity"] = [UInt8](note.text.utf8)
    }

    func header(_ name: String) -> SegmentHeader {
        guard let bytes = self[name],
            case .success(let header) = bytes.withUnsafeBytes({ SegmentHeader.decode($0) })
        else { preconditionFailure("\(name) has no header") }
        return header
    }

    /// Writes another header with a right checksum.
    func reseal(_ name: String, _ change: (inout SegmentHeader) -> Void) {
        var header = header(name)
        change(&header)
        edit(name) { $0.replaceSubrange(0..<512, with: header.encoded()) }
    }

    /// Writes a frame of one record after the last one, valid except for the `change` to its
    /// header.
    func forge(
        firstSequence: UInt64 = 17, chain: ChainValue? = nil,
        _ change: (inout [UInt8], Salt) -> Void = { _, _ in }
    ) {
        let place = 512 + 2 * Self.frameBytes
        let salt = header(Self.third).salt
        edit(Self.third) { bytes in
            let last = Array(bytes[(place - Self.frameBytes)..<place])
            let link = last.withUnsafeBytes { ChainValue(hashing: $0) }
            var builder = FrameBuilder()
            builder.append { $0.append(contentsOf: "forged".utf8) }
            builder.seal(firstSequence: firstSequence, chain: chain ?? link, salt: salt)
            var frame = builder.bytes
            change(&frame, salt)
            bytes.replaceSubrange(place..<place + frame.count, with: frame)
        }
    }

    /// Opens the journal; returns the replayed records.
    func open() throws(JournalError) -> (writer: JournalWriter, records: [[UInt8]]) {
        var records: [[UInt8]] = []
        let writer = try JournalFixture.open(storage, &records)
        return (writer, records)
    }
}
