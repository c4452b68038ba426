import Journal
import Platform
import Synchronization
import SystemPackage
import TestSupport

/// A `Storage` on a `SimulatedDisk` that counts its operations, loses power at a given one, or
/// fails it.
final class SimulatedStorage: Storage {
    /// Planted defects, which the simulation must notice.
    struct PlantedDefects: OptionSet {
        let rawValue: Int
        /// fdatasync and fsync of files return without doing anything.
        static let neverSyncs = PlantedDefects(rawValue: 1)
        /// fsync of directories returns without doing anything.
        static let skipsDirectorySync = PlantedDefects(rawValue: 2)
        /// A write of identical bytes is skipped, as if recovery did not rewrite the last frame.
        static let skipsRewriting = PlantedDefects(rawValue: 4)
        /// Writes of only zeros into a named segment are skipped, as if recovery did not cut a torn
        /// tail.
        static let skipsCutting = PlantedDefects(rawValue: 8)
        /// Only the name and not the content is made durable before a rename.
        static let skipsFileSync = PlantedDefects(rawValue: 16)
    }

    enum Operation: String, CaseIterable, Sendable {
        case open, create, lock, makeDirectory, list, rename, link, unlink, fsyncDirectory
        case read, write, allocate, fdatasync, fsync, status

        /// Whether a power cut at this operation leaves another state than one before it.
        var changes: Bool {
            switch self {
            case .open, .lock, .list, .read, .status: false
            default: true
            }
        }
    }

    enum Plan: Sendable {
        case nothing
        /// The power fails at the N-th changing operation: a write has reached the kernel's memory,
        /// any other operation has not.
        case powerCut(at: Int)
        /// The N-th operation fails, once or from then on. A failed sync has marked the pages
        /// clean.
        case failure(at: Int, Errno, forever: Bool)
        /// All operations of this kind fail.
        case failing(Operation, Errno)
        /// Every write takes at most one piece, and is interrupted every other time.
        case shortWrites
    }

    struct State {
        var disk: SimulatedDisk
        var plan: Plan
        var defects: PlantedDefects
        var operations = 0
        var changes = 0
        var isDown = false
        var hasFailed = false
        var locked: Set<Int> = []
        var interrupts = false
        var generator = SeededGenerator(crashSeed: 7)
        var log: [Operation] = []
    }

    let state: Mutex<State>
    private let time = LeapingClock(wallMicroseconds: 1_800_000_000_000_000)
    var clock: any Clock { time }

    init(_ disk: SimulatedDisk = .init(), plan: Plan = .nothing, defects: PlantedDefects = []) {
        state = Mutex(State(disk: disk, plan: plan, defects: defects))
    }

    var disk: SimulatedDisk { state.withLock { $0.disk } }
    var operations: Int { state.withLock { $0.operations } }
    var changes: Int { state.withLock { $0.changes } }
    var hasFailed: Bool { state.withLock { $0.hasFailed } }
    func advance(days: Int64) { time.advance(days: days) }
    /// Moves only the wall clock.
    func jump(days: Int64) { time.jump(days: days) }
    func setPlan(_ plan: Plan) { state.withLock { $0.plan = plan } }

    /// Runs one operation under the plan.
    func perform<Value: Sendable>(
        _ operation: Operation, _ body: (inout State) -> Result<Value, Errno>
    ) throws(Errno) -> Value {
        let result: Result<Value, Errno> = state.withLock { state in
            if let error = state.enter(operation) { return .failure(error) }
            let result = body(&state)
            state.leave()
            return result
        }
        return try result.get()
    }

    func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile {
        let node = try perform(use == .creating ? .create : .open) { state in
            state.open(path, creating: use == .creating)
        }
        return SimulatedFile(storage: self, node: node, isLocked: false)
    }

    func lock(_ path: String) throws(Errno) -> any StorageFile {
        let node = try perform(.lock) { state -> Result<Int, Errno> in
            state.open(path, creating: false, orCreating: true).flatMap { node in
                state.locked.insert(node).inserted ? .success(node) : .failure(.wouldBlock)
            }
        }
        return SimulatedFile(storage: self, node: node, isLocked: true)
    }

    func lockDirectory(_ path: String) throws(Errno) -> any LockedDirectory {
        let node = try perform(.lock) { state -> Result<Int, Errno> in
            state.resolve(path).flatMap { node in
                guard state.disk.directories[node] != nil else { return .failure(.notDirectory) }
                return state.locked.insert(node).inserted ? .success(node) : .failure(.wouldBlock)
            }
        }
        return SimulatedDirectory(
            SimulatedFile(storage: self, node: node, isLocked: true), storage: self, node: node)
    }

    func identity(of path: String) throws(Errno) -> FileIdentity {
        try perform(.status) { state in
            state.resolve(path).map { FileIdentity(device: 0, inode: UInt64($0)) }
        }
    }

    func makeDirectory(_ path: String) throws(Errno) {
        try perform(.makeDirectory) { state -> Result<Void, Errno> in
            state.parent(of: path).flatMap { parent, name in
                guard state.disk.directories[parent]?.current[name] == nil else {
                    return .failure(.fileExists)
                }
                let node = state.disk.addDirectory()
                state.disk.directories[parent]?.change([name: node])
                return .success(())
            }
        }
    }

    func list(_ directory: String) throws(Errno) -> [String] {
        try perform(.list) { state in
            state.resolve(directory).flatMap { node in
                guard let names = state.disk.directories[node] else {
                    return .failure(.notDirectory)
                }
                return .success(names.current.keys.sorted())
            }
        }
    }

    func rename(_ path: String, to newPath: String) throws(Errno) {
        try perform(.rename) { state -> Result<Void, Errno> in
            state.resolve(path).flatMap { node in
                state.parent(of: path).flatMap { parent, name in
                    state.parent(of: newPath).flatMap { newParent, newName in
                        precondition(parent == newParent, "the journal renames in one directory")
                        state.disk.directories[parent]?.change([name: nil, newName: node])
                        return .success(())
                    }
                }
            }
        }
    }

    func link(_ path: String, to newPath: String) throws(Errno) {
        try perform(.link) { state -> Result<Void, Errno> in
            state.resolve(path).flatMap { node in
                state.parent(of: newPath).flatMap { parent, name in
                    guard state.disk.directories[parent]?.current[name] == nil else {
                        return .failure(.fileExists)
                    }
                    state.disk.directories[parent]?.change([name: node])
                    return .success(())
                }
            }
        }
    }

    func unlink(_ path: String) throws(Errno) {
        try perform(.unlink) { state -> Result<Void, Errno> in
            state.parent(of: path).flatMap { parent, name in
                guard state.disk.directories[parent]?.current[name] != nil else {
                    return .failure(.noSuchFileOrDirectory)
                }
                state.disk.directories[parent]?.change([name: nil])
                return .success(())
            }
        }
    }

    func fsyncDirectory(_ path: String) throws(Errno) {
        try perform(.fsyncDirectory) { state -> Result<Void, Errno> in
            state.resolve(path).map { node in
                if !state.defects.contains(.skipsDirectorySync) {
                    state.disk.directories[node]?.sync()
                }
            }
        }
    }

    func bytesAvailable(_ directory: String) throws(Errno) -> Int { 1 << 30 }
    func randomBits() -> UInt64 { state.withLock { $0.generator.next() } }
}

extension SimulatedStorage.State {
    /// Counts an operation; returns its planned error.
    mutating func enter(_ operation: SimulatedStorage.Operation) -> Errno? {
        if isDown { return .ioError }
        operations += 1
        log.append(operation)
        if operation.changes { changes += 1 }
        switch plan {
        case .nothing, .shortWrites:
            return nil
        case .powerCut(let number):
            guard operation.changes, changes == number, operation != .write else { return nil }
            isDown = true
            return .ioError
        case .failure(let number, let error, let forever):
            guard operations == number || forever && operations > number else { return nil }
            return fail(error)
        case .failing(let kind, let error):
            return operation == kind ? fail(error) : nil
        }
    }

    /// Stops everything after a write at which the power fails.
    mutating func leave() {
        if case .powerCut(let number) = plan, changes == number { isDown = true }
    }

    private mutating func fail(_ error: Errno) -> Errno {
        hasFailed = true
        return error
    }

    func resolve(_ path: String) -> Result<Int, Errno> {
        var nodes = [0]
        for name in path.split(separator: "/") {
            if name == ".." {
                if nodes.count > 1 { nodes.removeLast() }
                continue
            }
            guard let directory = disk.directories[nodes[nodes.count - 1]] else {
                return .failure(.notDirectory)
            }
            guard let node = directory.current[String(name)] else {
                return .failure(.noSuchFileOrDirectory)
            }
            nodes.append(node)
        }
        return .success(nodes[nodes.count - 1])
    }

    func parent(of path: String) -> Result<(Int, String), Errno> {
        let parts = path.split(separator: "/")
        return resolve(parts.dropLast().joined(separator: "/")).map {
            ($0, String(parts[parts.count - 1]))
        }
    }

    mutating func open(
        _ path: String, creating: Bool, orCreating: Bool = false
    ) -> Result<Int, Errno> {
        switch resolve(path) {
        case .success(let node):
            guard disk.files[node] != nil else { return .failure(.isDirectory) }
            if creating { disk.files[node]?.truncate() }
            return .success(node)
        case .failure(let error):
            guard error == .noSuchFileOrDirectory, creating || orCreating else {
                return .failure(error)
            }
            return parent(of: path).map { parent, name in
                let node = disk.addFile()
                disk.directories[parent]?.change([name: node])
                return node
            }
        }
    }
}
