import CPostgreSQL

extension Command {
    /// Queues it at libpq; false when that cannot send any more.
    func send(_ handle: OpaquePointer) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            let base = buffer.baseAddress.map { UnsafeRawPointer($0) }
            let values = places.map { place in
                place.flatMap { place in
                    (base ?? Self.nothing).map {
                        ($0 + place.lowerBound).assumingMemoryBound(to: CChar.self)
                    }
                }
            }
            let lengths = places.map { Int32($0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: places.count)
            let count = Int32(places.count)
            if statement.name.isEmpty {
                return PQsendQueryParams(
                    handle, statement.sql, count, types, values, lengths, formats, 1) == 1
            }
            return PQsendQueryPrepared(
                handle, statement.name, count, values, lengths, formats, 1) == 1
        }
    }

    /// Where a value of no bytes stands: anywhere but at the null pointer, which means null.
    private static var nothing: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: 1) }
}
