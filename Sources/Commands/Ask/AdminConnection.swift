import AdminAPI
import ArgumentParser
import Console
import Glibc
import JSON
import Platform
import RawClient
import ServerConfiguration
import TLS

/// A connection to the admin listener of a running server, as the configuration describes it.
final class AdminConnection {
    private let client: RawClient
    private let token: [UInt8]?
    private let clock = SystemClock()

    /// Whether to wait for a server that answered before and no longer does.
    var keepsTrying = false
    private var hasAnswered = false

    /// First and longest pause between two attempts.
    private static let pauseMillisecondsMin: UInt64 = 100
    private static let pauseMillisecondsMax: UInt64 = 5000

    /// Longer than the longest `wait`, and a page of the largest records.
    private static let exchangeMilliseconds = 90_000
    private static let bodyBytesMax = 64 << 20

    /// Text of messages about a missing server: the alternative to it.
    private let alternative: String

    /// Throws an exit status after printing the reason.
    convenience init(_ options: ReadingOptions) throws {
        try self.init(
            options.file, url: options.url, alternative: "; read with --journal DIR",
            when: " when no server runs")
    }

    /// The same for actions, which need a server.
    convenience init(acting options: ReadingOptions) throws {
        try self.init(options.file, url: options.url, alternative: "", when: "")
    }

    /// The same for queries that need a server, with a timeout if `exchangeSeconds` is given.
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
            ).reported()
        }
        try self.init(
            admin, url: url, alternative: alternative + when,
            exchangeMilliseconds: exchangeMilliseconds)
    }

    /// Connects to the admin listener of a loaded configuration.
    convenience init(_ admin: AdminConfiguration, url: Destination?, exchangeSeconds: Int) throws {
        try self.init(
            admin, url: url, alternative: "", exchangeMilliseconds: 1000 * exchangeSeconds)
    }

    private init(
        _ admin: AdminConfiguration, url: Destination?, alternative: String,
        exchangeMilliseconds: Int?
    ) throws {
        self.alternative = alternative
        token = try Self.ownToken() ?? admin.token
        let destination = url ?? AdminURL.destination(admin)
        var tls: TLSClient?
        if destination.usesTLS {
            // OpenSSL writes without MSG_NOSIGNAL: a closed connection must be an error, not a
            // signal.
            signal(SIGPIPE, SIG_IGN)
            do throws(TLSError) {
                // The server's own certificate, from the same configuration, is the trust anchor.
                tls = try TLSClient(
                    trust: admin.tls.map { .file($0.primary.certificate) } ?? .systemRoots)
            } catch {
                throw AdminFailure(text: "\(error)", isTemporary: false).reported()
            }
        }
        var limits = ClientLimits()
        limits.exchangeMillisecondsMax = exchangeMilliseconds ?? Self.exchangeMilliseconds
        limits.bodyBytesMax = Self.bodyBytesMax
        client = RawClient(destination, tls: tls, limits: limits)
    }

    /// Variable that names the file with the token of the person who runs the command.
    static let tokenFileVariable = "IPND_TOKEN_FILE"

    /// The person's own token, so that acts are recorded under their name. Throws an exit status
    /// after printing why the file cannot be used.
    private static func ownToken() throws -> [UInt8]? {
        guard let value = getenv(tokenFileVariable), value.pointee != 0 else { return nil }
        let path = String(cString: value)
        var problem = "is empty"
        do throws(FileContents.Problem) {
            let contents = try FileContents(path: path, bytesMax: 4096)
            let token = contents.bytes.split(separator: UInt8(ascii: "\n")).first ?? []
            let trimmed = token.last == UInt8(ascii: "\r") ? token.dropLast() : token
            if !trimmed.isEmpty { return Array(trimmed) }
        } catch {
            problem = error.clause
        }
        StandardError.print("\(tokenFileVariable): \(path) \(problem)")
        throw ExitCode(EX_NOINPUT)
    }

    /// Returns an answer with status 200, and nil for 404. Throws an exit status after printing the
    /// server's error.
    ///
    /// ```swift
    /// let order: OrderAnswer? = try admin.get("/orders/shop/A-1")
    /// ```
    ///
    /// With ``keepsTrying``, waits for a server that answered before, so that following it
    /// continues after a restart.
    func get<Answer: APIValue>(_ target: String) throws -> Answer? {
        try patiently { () throws(AdminFailure) in try attempt(target) }
    }

    /// The same, with 404 as an error: the name is unknown to the server.
    func known<Answer: APIValue>(_ target: String) throws -> Answer {
        try patiently { () throws(AdminFailure) in try read(try exchange("GET", target)) }
    }

    /// An answer for a caller that can continue without one.
    enum Look<Answer> {
        /// Status 200.
        case found(Answer)
        /// Status 404.
        case absent
        /// No answer, for this reason.
        case failed(String)
    }

    func look<Answer: APIValue>(_ target: String) -> Look<Answer> {
        do throws(AdminFailure) {
            return try attempt(target).map { .found($0) } ?? .absent
        } catch {
            return .failed(error.text)
        }
    }

    /// An answer of any status except 502, 503 and 504.
    enum Reply<Answer> {
        /// Status 200.
        case success(Answer)
        case refusal(status: Int, detail: String, retryAfterSeconds: Int?)
    }

    /// Sends an idempotent request. Throws an exit status after printing why there is no answer;
    /// retries as ``get(_:)`` does.
    func ask<Answer: APIValue>(_ method: String, _ target: String) throws -> Reply<Answer> {
        try patiently { () throws(AdminFailure) in
            let answer = try exchange(method, target)
            guard [200, 502, 503, 504].contains(answer.status) else {
                return .refusal(
                    status: answer.status, detail: Self.detail(of: try json(of: answer)),
                    retryAfterSeconds: answer.value("retry-after").flatMap { Int($0) })
            }
            return .success(try read(answer))
        }
    }

    private func patiently<Value>(_ body: () throws(AdminFailure) -> Value) throws -> Value {
        var pause = Self.pauseMillisecondsMin
        var isReported = false
        while true {
            do throws(AdminFailure) {
                let value = try body()
                hasAnswered = true
                return value
            } catch {
                guard keepsTrying, hasAnswered, error.isTemporary else {
                    throw error.reported()
                }
                if !isReported {
                    StandardError.print("ipnd: \(error.text); retrying until it answers")
                    isReported = true
                }
                clock.block(until: clock.now.advanced(nanoseconds: pause * 1_000_000))
                pause = min(2 * pause, Self.pauseMillisecondsMax)
            }
        }
    }

    /// Sends a POST request and returns the answer. Throws an exit status after printing the
    /// server's error.
    ///
    /// - Parameter body: JSON, or empty.
    func post<Answer: APIValue>(_ target: String, _ body: [UInt8] = []) throws -> Answer {
        do throws(AdminFailure) { return try read(try exchange("POST", target, body)) } catch {
            throw error.reported()
        }
    }

    /// The server's URL.
    var place: String { "\(client.destination)" }

    /// Returns an answer of any status with a text body. Throws an exit status after printing why
    /// there is none.
    func text(_ target: String) throws -> (status: Int, body: String) {
        do throws(AdminFailure) {
            let answer = try exchange("GET", target)
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        } catch {
            throw error.reported()
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

    /// Nil for 404.
    private func attempt<Answer: APIValue>(_ target: String) throws(AdminFailure) -> Answer? {
        let answer = try exchange("GET", target)
        return answer.status == 404 ? nil : try read(answer)
    }

    /// The answer with status 200.
    private func read<Answer: APIValue>(
        _ answer: ReceivedResponse
    ) throws(AdminFailure) -> Answer {
        let document = try json(of: answer)
        guard answer.status == 200 else { throw refusal(answer.status, document) }
        guard let value = Answer(json: document.root) else {
            throw AdminFailure(
                text: "\(client.destination) answers in the form of another version of ipnd",
                isTemporary: false)
        }
        return value
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
        AdminFailure(
            text: "\(client.destination) answers \(status): \(Self.detail(of: document))",
            isTemporary: [502, 503, 504].contains(status),
            exitStatus: AdminFailure.exitStatus(ofAnswer: status))
    }

    private static func detail(of document: JSONDocument) -> String {
        ProblemAnswer(json: document.root)?.detail ?? ""
    }
}

/// The reason why the admin listener gave no usable answer.
struct AdminFailure: Error {
    let text: String
    /// Whether a restart of the server could cause it.
    let isTemporary: Bool
    var exitStatus = EX_UNAVAILABLE

    /// Prints the reason and returns the exit status to throw.
    func reported() -> ExitCode {
        StandardError.print("ipnd: \(text)")
        return ExitCode(exitStatus)
    }

    /// The exit status for an error of the server. An unknown name is a usage error; a refusal,
    /// such as a decision about an order that has changed, is a negative result.
    static func exitStatus(ofAnswer status: Int) -> Int32 {
        switch status {
        case 400, 404, 422: EX_USAGE
        case 409, 412, 429: EXIT_FAILURE
        default: EX_UNAVAILABLE
        }
    }
}

extension ClientError {
    /// Whether a restarted server could answer.
    var isTemporary: Bool {
        switch self {
        case .malformed, .tooLarge: false
        default: true
        }
    }
}
