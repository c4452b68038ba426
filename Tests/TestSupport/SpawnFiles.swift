import Foundation

/// The descriptors of a new process (posix_spawn(3)): only the three standard ones.
struct SpawnFiles {
    /// Ends of pipes that only the new process needs.
    private var theirs: [Int32] = []
    /// The descriptor that becomes each standard descriptor; nil for /dev/null.
    private var sources: [Int32?] = [nil, nil, nil]
    private var inputFile = "/dev/null"

    /// Returns the end that the test writes.
    mutating func addInput(_ input: Child.Input) throws -> FileHandle? {
        switch input {
        case .nothing: return nil
        case .file(let path):
            inputFile = path
            return nil
        case .pipe:
            let (reading, writing) = try Self.pipe()
            theirs.append(reading)
            sources[0] = reading
            return FileHandle(fileDescriptor: writing, closeOnDealloc: true)
        }
    }

    /// Returns the end that the test reads.
    mutating func add(_ output: Child.Output, as number: Int) throws -> FileHandle? {
        switch output {
        case .nothing: return nil
        case .descriptor(let descriptor): sources[number] = descriptor
        case .output: sources[number] = sources[1]
        case .pipe:
            let (reading, writing) = try Self.pipe()
            theirs.append(writing)
            sources[number] = writing
            return FileHandle(fileDescriptor: reading, closeOnDealloc: true)
        }
        return nil
    }

    private typealias CloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// posix_spawn_file_actions_addclosefrom_np of glibc 2.34, which Swift does not import.
    private static let closeFrom: CloseFrom = {
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            fatalError("the tests need glibc 2.34 or newer")
        }
        return unsafeBitCast(symbol, to: CloseFrom.self)
    }()

    mutating func closeTheirs() {
        for descriptor in theirs { close(descriptor) }
        theirs = []
    }

    /// Creates a pipe whose ends no other program inherits, and that are not standard descriptors,
    /// even if the test process was started without those.
    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw Child.CannotStart(program: "pipe", errno: errno) }
        let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        for end in ends { close(end) }
        return (moved[0], moved[1])
    }

    func spawn(
        _ program: String, _ arguments: [String], _ variables: [String: String],
        ownSession: Bool = false
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number: Int32 in 0...2 {
            if let source = sources[Int(number)] {
                posix_spawn_file_actions_adddup2(&actions, source, number)
            } else {
                let path = number == 0 ? inputFile : "/dev/null"
                posix_spawn_file_actions_addopen(
                    &actions, number, path, number == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        guard Self.closeFrom(&actions, 3) == 0 else {
            throw Child.CannotStart(program: program, errno: errno)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        // POSIX_SPAWN_SETSID is 0x80, which Swift does not import. A session has a group.
        let group = ownSession ? 0x80 : POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(
            &attributes, Int16(group | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, program, &actions, &attributes, &words, &settings)
        guard status == 0 else { throw Child.CannotStart(program: program, errno: status) }
        return process
    }

    /// Makes the other end of a socket standard input, for a process that must notice when this one
    /// has ended: the kernel closes the socket then.
    mutating func addLifeline() throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw Child.CannotStart(program: "socketpair", errno: errno)
        }
        let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        for end in ends { close(end) }
        theirs.append(moved[0])
        sources[0] = moved[0]
        return moved[1]
    }
}
