import Bytes
import Cryptography
import JSON
import Payments

/// Compares the events that a request was read as with those that its vector expects.
struct VectorComparison {
    let entry: VectorEntry

    /// The differences so far, in the order in which they were found.
    private(set) var differences: [VectorDifference] = []

    init(_ entry: VectorEntry) { self.entry = entry }

    mutating func differ(_ member: String, expected: String, got: String) {
        differences.append(VectorDifference(member: member, expected: expected, got: got))
    }

    /// Compares all events of one request. Returns each reading with what it was expected as.
    mutating func compare(
        _ readings: [Notification]
    ) -> [(expected: JSONValue, reading: Notification)] {
        var expected = entry.value["expected"].map { Array($0.elements) } ?? []
        // An optional event is left out where the readings have none like it.
        for event in expected.reversed()
        where expected.count > readings.count && event["optional"]?.bool == true
            && !readings.contains(where: { VectorReading.type($0) == event["type"]?.string })
        {
            expected.removeAll { $0.rawBytes == event.rawBytes }
        }
        guard expected.count == readings.count else {
            differ(
                "expected", expected: "\(expected.count) events",
                got: "\(readings.count): \(readings.map(VectorReading.type))")
            return []
        }
        let pairs = Array(zip(expected, readings))
        for (place, (event, reading)) in pairs.enumerated() {
            compare(event, reading, at: pairs.count == 1 ? "" : "[\(place)]")
        }
        return pairs.map { (expected: $0.0, reading: $0.1) }
    }

    /// Whether a test event has no effect at an endpoint that counts none. What it would have
    /// meant is not reported then.
    func isDisarmed(_ event: JSONValue, _ reading: Notification) -> Bool {
        event["test"]?.bool == true && !entry.countsTests && reading.effect == .none
            && reading.flags.contains(.testMode)
    }

    private mutating func compare(_ event: JSONValue, _ reading: Notification, at place: String) {
        identity(event, reading, at: "identity\(place)")
        flags(event, reading, at: place)
        if let text = event["occurred"]?.string, !entry.isFetched {
            let moment = Timestamp(iso8601: text)
            if moment == nil || moment != reading.occurred {
                differ(
                    "occurred\(place)", expected: text,
                    got: reading.occurred?.rfc3339 ?? VectorReading.absent)
            }
        }
        if isDisarmed(event, reading) { return }
        let isOther = type(event, reading, at: place)
        let isQuiet = ["ignored", "unknown"].contains(event["type"]?.string ?? "")
        word("reference\(place)", event["reference"], reading.reference, mayAdd: isQuiet)
        word("alias\(place)", event["alias"], reading.alias, mayAdd: isQuiet)
        word("transaction\(place)", event["transaction"], reading.transaction, mayAdd: isQuiet)
        // Where the provider names no operation, its id follows from the event; where one id has
        // several operations, ours has an ending.
        let action = event["action"].flatMap { $0.isNull ? nil : $0.part }
        if action.map({ reading.effect.id?.utf8.starts(with: "\($0):".utf8) != true }) ?? true {
            word("action\(place)", event["action"], reading.effect.id, mayAdd: true)
        }
        if !isOther { amount(event, reading, at: place) }
        // The sum so far adds nothing to a refund that has its own.
        let hasOwn = event["minor"] != nil && event["effect"]?.string == "refund"
        total(
            event["refunded_at_least"], reading.refundedAtLeast, at: place, mayAdd: isQuiet,
            isRedundant: hasOwn || entry.isFetched)
        reason(event["reason"], reading.reason, at: "reason\(place)")
    }

    /// Returns whether the type is another that is as good.
    private mutating func type(
        _ event: JSONValue, _ reading: Notification, at place: String
    ) -> Bool {
        let type = VectorReading.type(reading)
        let others = entry.alsoRight + event.words("also_right")
        let expected = event["type"]?.string ?? ""
        if type != expected, others.contains(type) { return true }
        if type != expected, VectorReading.isOf(expected, reading) { return false }
        if type != expected {
            differ(
                "type\(place)", expected: ([expected] + others).joined(separator: " or "),
                got: "\(type) (status \(reading.status))")
        } else if type != "unknown", let effect = event["effect"]?.string,
            effect != VectorReading.effect(reading)
        {
            differ("effect\(place)", expected: effect, got: VectorReading.effect(reading))
        }
        return false
    }

    /// Each part must be in the id: the id may have more, such as the status, but not less. Whether
    /// equal identities have equal ids is judged over the whole file.
    private mutating func identity(
        _ event: JSONValue, _ reading: Notification, at member: String
    ) {
        let parts = event["identity"].map { $0.elements.map(\.part) } ?? []
        let digest = Hex.encode(SHA256.hash(entry.body))
        // What could not be understood is identified by its bytes.
        if VectorReading.isUnknown(reading), reading.id.contains(digest) { return }
        // What was fetched has the identity of the answer, not that of the message.
        if entry.isFetched, reading.id.hasPrefix("inquiry:"), parts.count == 1 { return }
        for part in parts where !part.isEmpty && !reading.id.contains(part.escapedPart) {
            differ(member, expected: parts.joined(separator: " : "), got: reading.id)
            return
        }
    }

    private mutating func flags(_ event: JSONValue, _ reading: Notification, at place: String) {
        let isTest = reading.flags.contains(.testMode)
        if (event["test"]?.bool ?? false) != isTest {
            differ(
                "test\(place)", expected: event["test"]?.bool == true ? "true" : "false",
                got: isTest ? "true" : "false")
        }
        let flags = reading.flags.map(\.rawValue)
        for flag in event.words("flags") where !flags.contains(flag) && flag != "test_mode" {
            // The order rules derive this one.
            if flag == Flag.amountUnknown.rawValue, reading.effect.amount == nil { continue }
            differ("flags\(place)", expected: flag, got: "\(flags)")
        }
    }

    private mutating func word(
        _ member: String, _ expected: JSONValue?, _ got: String?, mayAdd: Bool
    ) {
        let text = expected.flatMap { $0.isNull ? nil : $0.part }
        if text == nil, mayAdd || got == nil { return }
        if let text, let got, text.utf8.elementsEqual(got.utf8) { return }
        if text == nil || !isOptional(member) || got != nil {
            differ(
                member, expected: text ?? VectorReading.absent, got: got ?? VectorReading.absent)
        }
    }

    private func isOptional(_ member: String) -> Bool {
        entry.value.words("optional").contains { member.hasPrefix($0) }
    }

    private mutating func amount(_ event: JSONValue, _ reading: Notification, at place: String) {
        let isQuiet = ["ignored", "unknown"].contains(event["type"]?.string ?? "")
        let got = reading.effect.amount
        // A sum without a currency is in the parent payment's.
        let named = event["currency"]?.string ?? got?.currency.code
        guard let minor = event["minor"], let currency = named else {
            if got != nil, !isQuiet {
                differ(
                    "minor\(place)", expected: VectorReading.absent, got: VectorReading.text(got))
            }
            return
        }
        if isQuiet || isOptional("minor") && got == nil { return }
        let expected = "\(minor.part) \(currency)"
        if expected != VectorReading.text(got) {
            differ("minor\(place)", expected: expected, got: VectorReading.text(got))
        }
    }

    private mutating func total(
        _ expected: JSONValue?, _ got: Money?, at place: String, mayAdd: Bool, isRedundant: Bool
    ) {
        let text: String? = expected.map {
            if $0.kind == .object {
                "\($0["minor"]?.part ?? "") \($0["currency"]?.string ?? "")"
            } else {
                "\($0.part) \(got?.currency.code ?? "")"
            }
        }
        if text == nil, got == nil || mayAdd { return }
        if got == nil, isRedundant { return }
        if text != VectorReading.text(got) {
            differ(
                "refunded_at_least\(place)", expected: text ?? VectorReading.absent,
                got: VectorReading.text(got))
        }
    }

    /// A reason that is not expected is one more fact, and no difference.
    private mutating func reason(_ expected: JSONValue?, _ got: Reason?, at member: String) {
        guard let expected, !expected.isNull else { return }
        let isRight: Bool
        let wanted: Reason?
        if let text = expected.string {
            wanted = Reason(code: text, message: nil)
            let message = Reason(code: nil, message: text)
            isRight =
                got.map { $0.code == wanted?.code || $0.message == message?.message } ?? false
        } else {
            wanted = Reason(code: expected["code"]?.string, message: expected["message"]?.string)
            isRight = wanted == got
        }
        if !isRight {
            differ(
                member, expected: VectorReading.text(wanted), got: VectorReading.text(got))
        }
    }
}

extension JSONValue {
    /// A part of an identity: a text, the digits of a number, or nothing for null.
    fileprivate var part: String {
        string ?? lexeme ?? bool.map { $0 ? "true" : "false" } ?? ""
    }
}

extension String {
    /// The text as a part of an event's id, which has its separator escaped.
    fileprivate var escapedPart: String {
        replacing("%", with: "%25").replacing(":", with: "%3A")
    }
}
