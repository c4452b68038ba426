import ArgumentParser
import Configuration
import Glibc
import JSON
import Platform
import RawClient
import TLS

/// Asks the admin listener of a running server, as the configuration describes it.
final class AdminConnection {
    private let client: RawClient
    private let token: [UInt8]?
    private let clock = SystemClock()

    /// Whether a server that answered once is waited for when it does not.
    var keepsTrying = false
    private var hasAnswered = false

    /// The first and the longest pause between two tries.
    private static let pauseMillisecondsMin: UInt64 = 100
    private static let pauseMillisecondsMax: UInt64 = 5000

    /// Longer than the longest `wait`, and a page of the largest records.
    private static let exchangeMilliseconds = 90_000
    private static let bodyBytesMax = 64 << 20

    /// What else can be done where no server answers.
    private let alternative: String

    /// Throws an exit status after saying why.
    convenience init(_ options: ReadingOptions) throws {
        try self.init(
            options.file, url: options.url, alternative: "; read with --journal DIR",
            when: " when no server runs")
    }

    /// The same for what only a server can do.
    convenience init(acting options: ReadingOptions) throws {
        try self.init(options.file, url: options.url, alternative: "", when: "")
    }

    /// The same for what only a server can answer, and soon where `exchangeSeconds` is given.
    convenience init(_ options: ServerOptions, exchangeSeconds: Int? = nil) throws {
        try self.init(
            options.file, url: options.url, alternative: "", when: "",
            exchangeMilliseconds: exchangeSeconds.map { 1000 * $0 })
    }

    private convenience init(
        _ file: ConfigurationOption, url: Destination?, alternative: String, when: String,
        exchangeMilliseconds: Int? = nil
    ) throws {
        let configuration = try file.load()
        guard let admin = configuration.admin else {
            throw AdminFailure(
                text: "\(configuration.file) has no `admin:`\(alternative)", isTemporary: false
            ).told()
        }
        try self.init(
            admin, url: url, alternative: alternative + when,
            exchangeMilliseconds: exchangeMilliseconds)
    }

    /// The admin listener of a configuration that is read already.
    convenience init(_ admin: AdminConfiguration, url: Destination?, exchangeSeconds: Int) throws {
        try self.init(
            admin, url: url, alternative: "", exchangeMilliseconds: 1000 * exchangeSeconds)
    }

    private init(
        _ admin: AdminConfiguration, url: Destination?, alternative: String,
        exchangeMilliseconds: Int?
    ) throws {
        self.alternative = alternative
        token = admin.token
        let destination = url ?? AdminURL.destination(admin)
        var tls: TLSClient?
        if destination.usesTLS {
            // OpenSSL writes without MSG_NOSIGNAL: a server that is gone must be an error code.
            signal(SIGPIPE, SIG_IGN)
            do throws(TLSError) {
                // The server's own certificate, from the same configuration, is whom to trust.
                tls = try TLSClient(
                    trust: admin.tls.map { .file($0.primary.certificate) } ?? .systemRoots)
            } catch {
                throw AdminFailure(text: "\(error)", isTemporary: false).told()
            }
        }
        var limits = ClientLimits()
        limits.exchangeMillisecondsMax = exchangeMilliseconds ?? Self.exchangeMilliseconds
        limits.bodyBytesMax = Self.bodyBytesMax
        client = RawClient(destination, tls: tls, limits: limits)
    }

    /// The answer's JSON, when its status is 200; nil for 404. Throws an exit status after saying
    /// what the server said.
    ///
    /// Where ``keepsTrying`` is set, a server that answered once is waited for: it is restarted
    /// while somebody follows it.
    func get(_ target: String) throws -> JSONDocument? {
        try patiently { () throws(AdminFailure) in try attempt("GET", target) }
    }

    /// The same where 404 is a name that the server does not know.
    func known(_ target: String) throws -> JSONDocument {
        try patiently { () throws(AdminFailure) in
            let answer = try exchange("GET", target)
            let document = try json(of: answer)
            guard answer.status == 200 else { throw refusal(answer.status, document) }
            return document
        }
    }

    /// What an answer is to somebody who can go on without one.
    enum Look {
        /// Status 200.
        case found(JSONValue)
        /// Status 404.
        case absent
        /// Why there is no answer.
        case failed(String)
    }

    func look(_ target: String) -> Look {
        do throws(AdminFailure) {
            return try attempt("GET", target).map { .found($0.root) } ?? .absent
        } catch {
            return .failed(error.text)
        }
    }

    /// An answer of any status but those of a server that is about to start or to end.
    struct Answer {
        let status: Int
        let body: JSONValue
        let retryAfterSeconds: Int?
    }

    /// Has something done that may be done twice. Throws an exit status after saying why there is
    /// no answer; a server that answered once is waited for as `get` does.
    func ask(_ method: String, _ target: String) throws -> Answer {
        try patiently { () throws(AdminFailure) in
            let answer = try exchange(method, target)
            let body = try json(of: answer)
            guard ![502, 503, 504].contains(answer.status) else {
                throw refusal(answer.status, body)
            }
            return Answer(
                status: answer.status, body: body.root,
                retryAfterSeconds: answer.value("retry-after").flatMap { Int($0) })
        }
    }

    private func patiently<Value>(_ body: () throws(AdminFailure) -> Value) throws -> Value {
        var pause = Self.pauseMillisecondsMin
        var isTold = false
        while true {
            do throws(AdminFailure) {
                let value = try body()
                hasAnswered = true
                return value
            } catch {
                guard keepsTrying, hasAnswered, error.isTemporary else {
                    throw error.told()
                }
                if !isTold {
                    StandardError.print("ipnd: \(error.text); retrying until it answers")
                    isTold = true
                }
                clock.block(until: clock.now.advanced(nanoseconds: pause * 1_000_000))
                pause = min(2 * pause, Self.pauseMillisecondsMax)
            }
        }
    }

    /// Has something done; the answer's JSON. Throws an exit status after saying what the server
    /// said.
    ///
    /// - Parameter body: JSON; empty where there is none.
    func post(_ target: String, _ body: [UInt8] = []) throws -> JSONDocument {
        do throws(AdminFailure) {
            guard let document = try attempt("POST", target, body) else {
                throw AdminFailure(text: "\(client.destination) answers 404", isTemporary: false)
            }
            return document
        } catch {
            throw error.told()
        }
    }

    /// Where the server is asked.
    var place: String { "\(client.destination)" }

    /// An answer of any status whose body is text. Throws an exit status after saying why there is
    /// none.
    func text(_ target: String) throws -> (status: Int, body: String) {
        do throws(AdminFailure) {
            let answer = try exchange("GET", target)
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        } catch {
            throw error.told()
        }
    }

    private func exchange(
        _ method: String, _ target: String, _ body: [UInt8] = []
    ) throws(AdminFailure) -> ReceivedResponse {
        var headers: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        if let token {
            headers.append(
                (Array("Authorization".utf8)[...], (Array("Bearer ".utf8) + token)[...]))
        }
        if !body.isEmpty {
            headers.append((Array("Content-Type".utf8)[...], Array("application/json".utf8)[...]))
        }
        let request = RequestBytes.encode(
            method: method, target: Array(target.utf8)[...], host: client.destination.authority,
            headers: headers, body: body)
        do throws(ClientError) { return try client.exchange(request) } catch {
            throw AdminFailure(
                text: "\(client.destination): \(error)\(alternative)",
                isTemporary: error.isTemporary)
        }
    }

    private func attempt(
        _ method: String, _ target: String, _ body: [UInt8] = []
    ) throws(AdminFailure) -> JSONDocument? {
        let answer = try exchange(method, target, body)
        if answer.status == 404, method == "GET" { return nil }
        let document = try json(of: answer)
        guard answer.status == 200 else { throw refusal(answer.status, document) }
        return document
    }

    private func json(of answer: ReceivedResponse) throws(AdminFailure) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument(parsing: answer.body, limits: .trusted)
        } catch {
            let reason = "and the body is not valid JSON (\(error.reason))"
            throw AdminFailure(
                text: "\(client.destination) answers \(answer.status), \(reason)",
                isTemporary: [502, 503, 504].contains(answer.status))
        }
    }

    private func refusal(_ status: Int, _ document: JSONDocument) -> AdminFailure {
        let detail = document.root["detail"]?.string ?? ""
        return AdminFailure(
            text: "\(client.destination) answers \(status): \(detail)",
            isTemporary: [502, 503, 504].contains(status),
            exitStatus: AdminFailure.exitStatus(ofAnswer: status))
    }
}
