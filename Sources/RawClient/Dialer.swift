import Glibc

/// Creates connected, non-blocking sockets.
enum Dialer {
    /// Tries every address of the name in the resolver's order (RFC 6724).
    ///
    /// - Throws: The error of the last address.
    static func connect(_ place: Destination.Place, _ deadline: Deadline) throws(ClientError)
        -> Int32
    {
        switch place {
        case .unix(let path): try connectUnix(path, deadline)
        case .host(let host, let port): try connect(host, port, deadline)
        }
    }

    private static func connect(
        _ host: String, _ port: UInt16, _ deadline: Deadline
    ) throws(ClientError) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard status == 0, let list = unsafe list else {
            let detail = unsafe String(cString: gai_strerror(status))
            throw .nameNotResolved(host: host, detail: detail)
        }
        defer { unsafe freeaddrinfo(list) }
        let name = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        var failure = ClientError.nameNotResolved(host: host, detail: "no address")
        var next: UnsafeMutablePointer<addrinfo>? = unsafe list
        while let entry = unsafe next?.pointee {
            do throws(ClientError) {
                return unsafe try connect(
                    entry.ai_family, entry.ai_addr, entry.ai_addrlen, name, deadline)
            } catch {
                failure = error
            }
            unsafe next = unsafe entry.ai_next
        }
        throw failure
    }

    private static func connectUnix(
        _ path: String, _ deadline: Deadline
    ) throws(ClientError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // `Destination` has checked that the path fits with its final NUL.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            unsafe room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        let outcome: Result<Int32, ClientError> = unsafe withUnsafePointer(to: &address) {
            pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let length = socklen_t(MemoryLayout<sockaddr_un>.size)
                return Result { () throws(ClientError) in
                    unsafe try connect(AF_UNIX, address, length, "unix:\(path)", deadline)
                }
            }
        }
        return try outcome.get()
    }

    private static func connect(
        _ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t, _ name: String,
        _ deadline: Deadline
    ) throws(ClientError) -> Int32 {
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw .unreachable(name, errno: errno) }
        do throws(ClientError) {
            if unsafe Glibc.connect(descriptor, address, length) != 0 {
                // EAGAIN means a Unix-domain listener with a full backlog (connect(2)).
                guard errno == EINPROGRESS else { throw failure(errno, name) }
                try deadline.wait(POLLOUT, on: descriptor)
                let code = pendingError(of: descriptor)
                guard code == 0 else { throw failure(code, name) }
            }
        } catch {
            close(descriptor)
            throw error
        }
        // A request is one write: waiting to fill a segment (Nagle) would only delay it.
        var one: Int32 = 1
        if family != AF_UNIX {
            _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        }
        return descriptor
    }

    private static func failure(_ code: Int32, _ name: String) -> ClientError {
        code == ECONNREFUSED ? .refused(name) : .unreachable(name, errno: code)
    }

    private static func pendingError(of descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(4)
        let status = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return status == 0 ? code : errno
    }
}
