import Bytes
import Ledger
import Payments

/// The first piece of a snapshot. All numbers are LEB128; a text is its length and its UTF-8.
struct TablesHeader: Equatable {
    var version = TablesSnapshot.version
    var function: SipHash
    var sequence: UInt64
    var eventCount: Int
    var orderCount: Int
    var endpoints: [String]
    var ages: [AgeMarks.Mark]

    init(_ tables: StoreTables) {
        function = tables.function
        sequence = tables.sequence
        eventCount = tables.eventCount
        orderCount = tables.orderCount
        endpoints = tables.endpoints.names
        ages = tables.ages.marks
    }

    /// Nil when the bytes are of another version, or damaged.
    init?(_ bytes: [UInt8]) {
        var reader = LEB128Reader(bytes[...])
        guard let version = reader.next(), TablesSnapshot.readable.contains(version),
            let low = reader.next(), let high = reader.next(), let sequence = reader.next(),
            let events = reader.next(), let orders = reader.next(), let names = reader.next()
        else { return nil }
        self.version = version
        function = SipHash(key: (low, high))
        self.sequence = sequence
        eventCount = Int(clamping: events)
        orderCount = Int(clamping: orders)
        endpoints = []
        ages = []
        for _ in 0..<min(names, UInt64(EndpointNames.countMax)) {
            guard let count = reader.next(), let name = reader.text(count) else { return nil }
            endpoints.append(name)
        }
        guard let marks = reader.next() else { return nil }
        for _ in 0..<marks {
            guard let sequence = reader.next(), let moment = reader.next() else { return nil }
            let received = Timestamp(microseconds: Int64(bitPattern: moment))
            ages.append(AgeMarks.Mark(sequence: sequence, received: received))
        }
        guard reader.rest.isEmpty else { return nil }
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        let numbers = [
            version, function.key.0, function.key.1, sequence, UInt64(eventCount),
            UInt64(orderCount), UInt64(endpoints.count),
        ]
        for number in numbers { LEB128.append(number, to: &bytes) }
        for name in endpoints {
            LEB128.append(UInt64(name.utf8.count), to: &bytes)
            bytes.append(contentsOf: name.utf8)
        }
        LEB128.append(UInt64(ages.count), to: &bytes)
        for mark in ages {
            LEB128.append(mark.sequence, to: &bytes)
            LEB128.append(UInt64(bitPattern: mark.received.microseconds), to: &bytes)
        }
        return bytes
    }
}
