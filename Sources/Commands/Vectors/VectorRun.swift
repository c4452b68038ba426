import Bytes
import Cryptography
import JSON
import Payments
import Providers

/// Runs a file of vectors through the rules of one provider: verify, read, apply to the order,
/// answer.
///
/// Genuine requests and traps come to one endpoint, one after the other, so that a repetition is
/// one. A negative comes alone.
package struct VectorRun {
    private let descriptor: ProviderDescriptor

    package init(_ descriptor: ProviderDescriptor) { self.descriptor = descriptor }

    package func report(on file: VectorFile) -> VectorReport {
        var conversation = VectorConversation(descriptor, file)
        var report = VectorReport()
        report.genuine = file.genuine.count
        report.negatives = file.negatives.count
        report.traps = file.traps.count
        for entry in file.genuine + file.negatives + file.traps {
            let differences = conversation.differences(of: entry)
            guard !differences.isEmpty else { continue }
            report.failures.append(
                VectorFailure(id: entry.id, list: entry.list.word, differences: differences))
        }
        return report
    }
}

/// The requests of one file in their order, and what the endpoint knows after each.
private struct VectorConversation {
    /// The outcome of a request.
    enum Verdict {
        case read([Notification], key: String)
        case refused(Refusal)
    }

    /// An expected event, and how its like was read before.
    private struct Known {
        var id: String
        var content: String
    }

    private let descriptor: ProviderDescriptor
    private let file: VectorFile
    private var providers: [[UInt8]: any Provider] = [:]
    private var readings: [String: [Notification]] = [:]
    private var ledger = VectorLedger()
    private let transmissions = TransmissionMemory()
    private var known: [String: Known] = [:]
    private var identities: [String: String] = [:]

    init(_ descriptor: ProviderDescriptor, _ file: VectorFile) {
        self.descriptor = descriptor
        self.file = file
    }

    mutating func differences(of entry: VectorEntry) -> [VectorDifference] {
        var found = VectorComparison(entry)
        let digest = Hex.encode(SHA256.hash(entry.body))
        if let expected = entry.value["request"]?["body_sha256"]?.string, expected != digest {
            found.differ("body_sha256", expected: expected, got: digest)
        }
        let provider: any Provider
        do throws(SettingsError) {
            provider = try self.provider(of: entry)
        } catch {
            found.differ(
                "config.\(error.key)", expected: "a setting of \(descriptor.name)",
                got: error.message)
            return found.differences
        }
        switch (verdict(on: entry, by: provider, &found), entry.refusal) {
        case (.refused(let refusal), let expected?):
            compare(refusal, expected, provider.answer(.refused(refusal)), &found)
        case (.read(let read, _), let expected?):
            guard !entry.alsoRight.contains("accepted") else { break }
            found.differ(
                "expected", expected: "refused with \(expected)",
                got: "accepted as \(read.map(VectorReading.type))")
        case (.refused(let refusal), nil):
            found.differ(
                "expected", expected: "accepted",
                got: "refused with \(refusal.reason): \(refusal.detail)")
        case (.read(let read, let key), nil):
            readings[entry.id] = read
            if let place = entry.value["key"]?.int64, key != String(place + 1) {
                found.differ("key", expected: "number \(place + 1)", got: key)
            }
            for (event, reading) in found.compare(read) {
                compare(event, reading, &found)
            }
            compare(provider.answer(.accepted), &found)
            compareOrder(after: read, &found)
        }
        return found.differences
    }

    /// The endpoint's rules. Entries with the same settings share them, so that what they
    /// remember of a request is known at the next. A negative gets its own.
    private mutating func provider(
        of entry: VectorEntry
    ) throws(SettingsError) -> any Provider {
        let isShared = entry.list != .negative && entry.value["certificates"] == nil
        let key = Array(entry.config.rawBytes)
        if isShared, let provider = providers[key] { return provider }
        let settings = try VectorSettings(descriptor: descriptor).settings(entry.config)
        let provider = try file.environment.with(entry).provider(
            descriptor, settings,
            after: entry.list == .negative ? TransmissionMemory() : transmissions)
        if isShared { providers[key] = provider }
        return provider
    }

    private func verdict(
        on entry: VectorEntry, by provider: some Provider, _ found: inout VectorComparison
    ) -> Verdict {
        do throws(Refusal) {
            let verified = try provider.verify(entry.delivery)
            try provider.claim(verified.evidence)
            if let question = provider.question(about: verified.evidence) {
                return try look(question, verified.key, entry, &found)
            }
            return .read(provider.notifications(in: verified.evidence), key: verified.key)
        } catch {
            return .refused(error)
        }
    }

    /// Asks as the receiver does, and takes the entry's `fetch` for the provider's answer.
    private func look(
        _ question: InquiryQuestion, _ key: String, _ entry: VectorEntry,
        _ found: inout VectorComparison
    ) throws(Refusal) -> Verdict {
        guard let fetch = entry.value["fetch"], let answer = fetch["answer"],
            let status = answer["status"]?.int64
        else { throw .unavailable("not_fetched", "the vector has no `fetch` with an answer") }
        let finding: InquiryFinding
        do {
            let settings = try VectorSettings(descriptor: descriptor).settings(entry.config)
            guard let inquirer = try descriptor.inquiry?.make(settings) else {
                throw Refusal.unavailable("not_fetched", "\(descriptor.name) cannot be asked")
            }
            var conversation = InquiryConversation(question)
            let now = entry.delivery.received
            guard case .ask(let request) = try inquirer.next(conversation, now: now) else {
                throw Refusal.unavailable("not_fetched", "it was not asked")
            }
            compare(request, fetch["request"], &found)
            conversation.append(
                InquiryExchange(
                    request,
                    InquiryAnswer(
                        status: Int(status), headers: [],
                        body: Array((answer["body"]?.string ?? "").utf8), received: now)))
            guard case .found(let result) = try inquirer.next(conversation, now: now) else {
                throw Refusal.unavailable("not_fetched", "it asked again")
            }
            finding = result
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .unavailable("not_fetched", "\(error)")
        }
        switch finding.verdict {
        case .answered, .absent:
            return .read(finding.facts.map(\.notification), key: key)
        default: throw .unavailable(finding.reason, finding.detail)
        }
    }

    /// Method, target and each header that the vector has.
    private func compare(
        _ request: InquiryRequest, _ expected: JSONValue?, _ found: inout VectorComparison
    ) {
        guard let expected else { return }
        let url = expected["url"]?.string ?? ""
        if expected["method"]?.string != request.method || !url.hasSuffix(request.target) {
            found.differ(
                "fetch.request", expected: "\(expected["method"]?.string ?? "") \(url)",
                got: "\(request.method) \(request.target)")
        }
        for header in expected["headers"].map({ Array($0.elements) }) ?? [] {
            let parts = header.elements.map { $0.string ?? "" }
            guard parts.count == 2 else { continue }
            let got = request.headers.first { $0.isNamed(parts[0]) }
            if got?.value.elementsEqual(parts[1].utf8) != true {
                found.differ(
                    "fetch.request.\(parts[0])", expected: parts[1],
                    got: got.map { String(decoding: $0.value, as: UTF8.self) }
                        ?? VectorReading.absent)
            }
        }
    }
}

extension VectorConversation {
    /// The reason code, and the status of the answer where it is the expected code. Another code
    /// that is as good may have another status, too.
    private func compare(
        _ refusal: Refusal, _ expected: String, _ answer: Answer, _ found: inout VectorComparison
    ) {
        let codes = [expected] + found.entry.alsoRight
        guard codes.contains(refusal.reason) else {
            return found.differ(
                "expected", expected: "refused with \(codes.joined(separator: " or "))",
                got: "refused with \(refusal.reason): \(refusal.detail)")
        }
        let status = found.entry.value["http"] ?? found.entry.value["answer"]?["status"]
        guard let status = status?.int64, refusal.reason == expected else { return }
        let statuses = [status] + file.otherRefusals
        if !statuses.contains(Int64(answer.status)) {
            found.differ(
                "http", expected: statuses.map(String.init).joined(separator: " or "),
                got: String(answer.status))
        }
    }

    /// The answer to an accepted request, byte for byte.
    private func compare(_ answer: Answer, _ found: inout VectorComparison) {
        guard let expected = found.entry.value["answer"] else { return }
        let right = [expected] + (expected["also_right"].map { Array($0.elements) } ?? [])
        let isRight = right.contains {
            $0["status"]?.int64 == Int64(answer.status)
                && Array(($0["body"]?.string ?? "").utf8) == answer.body
        }
        if isRight { return }
        func text(_ status: String, _ body: String) -> String { "\(status) “\(body)”" }
        found.differ(
            "answer",
            expected: right.map {
                text($0["status"]?.lexeme ?? "", $0["body"]?.string ?? "")
            }.joined(separator: " or "),
            got: text(String(answer.status), String(decoding: answer.body, as: UTF8.self)))
    }

    /// Whether the endpoint sees this event as new or as a repetition, as the file does.
    private mutating func compare(
        _ event: JSONValue, _ reading: Notification, _ found: inout VectorComparison
    ) {
        guard let identity = event["identity"] else { return }
        let parts = String(decoding: identity.rawBytes, as: UTF8.self)
        let content = ["type", "reference", "action", "minor", "currency"].map {
            event[$0]?.string ?? ""
        }.joined(separator: "\n")
        let before = known[parts]
        if let before, before.id != reading.id {
            found.differ(
                "identity", expected: "the id of the same event before, \(before.id)",
                got: reading.id)
        }
        if let other = identities[reading.id], other != parts {
            found.differ(
                "identity", expected: "another id than that of \(other)", got: reading.id)
        }
        known[parts] = known[parts] ?? Known(id: reading.id, content: content)
        identities[reading.id] = parts
        let (outcome, order) = ledger.record(reading)
        if let before, !found.isDisarmed(event, reading) {
            let expected: VectorLedger.Outcome =
                before.content == content ? .duplicate : .conflict
            if outcome != expected, outcome != .duplicate {
                found.differ(
                    "repetition", expected: expected.rawValue, got: outcome.rawValue)
            }
        } else if before == nil, outcome == .duplicate || outcome == .conflict {
            found.differ("repetition", expected: "a new event", got: outcome.rawValue)
        }
        // Where what happened is not signed, two messages may contradict each other.
        guard found.entry.list == .trap, event["type"]?.string == "paid", let order,
            order.flags.contains(.contradicted), event["unsigned"] == nil
        else { return }
        found.differ("order.flags", expected: "no contradiction", got: "contradicted")
    }

    /// The order after the vectors before and this one; and that no test makes it paid.
    private func compareOrder(after read: [Notification], _ found: inout VectorComparison) {
        let entry = found.entry
        let events = entry.value["expected"].map { Array($0.elements) } ?? []
        let isTest = events.contains { $0["test"]?.bool ?? false }
        if isTest, !entry.countsTests, let order = VectorLedger.order(after: read) {
            if [.paid, .partiallyRefunded, .refunded].contains(order.status) {
                found.differ(
                    "test", expected: "no order that a test made paid",
                    got: order.status.rawValue)
            }
        }
        guard let expected = entry.value["order"] else { return }
        var life: [Notification] = []
        for id in entry.value.words("after") {
            guard let before = readings[id] else {
                found.differ("after", expected: "an accepted vector \(id)", got: "none")
                continue
            }
            life += before
        }
        let order = VectorLedger.order(after: life + read)
        let minor: (Money?) -> String = { $0.map { String($0.minor) } ?? VectorReading.absent }
        for (member, value) in expected.members {
            let got: String
            switch member {
            case "status": got = order?.status.rawValue ?? VectorReading.absent
            case "captured": got = minor(order?.captured)
            case "refunded": got = minor(order?.refunded)
            default: continue
            }
            let wanted = value.string ?? value.lexeme ?? VectorReading.absent
            if got != wanted {
                let flags = order?.flags.map(\.rawValue) ?? []
                found.differ(
                    "order.\(member)", expected: wanted,
                    got: flags.isEmpty ? got : "\(got), flags \(flags)")
            }
        }
    }
}
