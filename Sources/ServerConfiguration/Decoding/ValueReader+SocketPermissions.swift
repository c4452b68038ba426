import Platform
import SystemPackage

extension ValueReader {
    /// Reads the permissions of a Unix-domain socket's file, as chmod(1) writes them: `0660`.
    func socketPermissions(on address: SocketAddress?) -> FilePermissions? {
        guard let digits = filledText() else { return nil }
        if case .ip? = address {
            mistake(
                "only a Unix-domain socket has a file mode", "leave `mode` out, or use the firewall"
            )
            return nil
        }
        guard let permissions = Self.permissions(digits) else {
            mistake(
                "\(quoted(digits)) is not a file mode",
                "write a zero and three octal digits: `mode: \"0660\"`")
            return nil
        }
        // Connecting requires write permission and no other (unix(7)).
        guard !permissions.isDisjoint(with: [.ownerWrite, .groupWrite, .otherWrite]) else {
            mistake(
                "\(quoted(digits)) lets nobody connect: connecting needs write permission",
                "write `mode: \"0660\"` for the owner and the group")
            return nil
        }
        return permissions
    }

    /// Parses three octal digits, with or without a leading zero. There is no set-uid, set-gid or
    /// sticky bit, which have no meaning on a socket.
    private static func permissions(_ digits: String) -> FilePermissions? {
        guard (3...4).contains(digits.utf8.count), digits.utf8.count == 3 || digits.first == "0",
            digits.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let value = CInterop.Mode(digits, radix: 8)
        else { return nil }
        return FilePermissions(rawValue: value)
    }
}
