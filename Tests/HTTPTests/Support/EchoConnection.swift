import HTTP

/// A minimal connection around a parser: answers every request with its body, like a server's loop,
/// and closes after answering an error.
struct EchoConnection {
    struct Answer: Equatable {
        var status: Int
        var reason: String?
        var target: String
        var body: [UInt8]
    }

    /// The answers in order.
    private(set) var answers: [Answer] = []
    /// Number of `100 Continue` answers sent.
    private(set) var continues = 0
    private(set) var isClosed = false
    private(set) var requests: [Request] = []
    private(set) var errors: [HTTPError] = []
    private var parser: RequestParser

    init(limits: Limits = Limits()) {
        parser = RequestParser(limits: limits)
    }

    /// Runs a connection over the bytes, divided by `split`.
    init(_ bytes: [UInt8], split: Split = .whole, limits: Limits = Limits()) {
        self.init(limits: limits)
        for piece in split.pieces(of: bytes) { receive(piece) }
    }

    var isIdle: Bool { !parser.hasBegun }

    mutating func receive(_ bytes: ArraySlice<UInt8>) {
        var rest = Array(bytes)
        do throws(HTTPError) {
            while !rest.isEmpty, !isClosed {
                rest.removeFirst(try parser.feed(rest.span))
                switch parser.status {
                case .needsBytes: break
                case .expectsContinue: continues += 1
                case .complete: answer(parser.takeRequest())
                }
            }
        } catch {
            errors.append(error)
            answers.append(
                Answer(status: error.status, reason: error.reason, target: "", body: []))
            isClosed = true
        }
    }

    private mutating func answer(_ request: Request) {
        requests.append(request)
        let body = request.method == .head ? [] : request.body
        answers.append(
            Answer(status: 200, reason: nil, target: text(request.target), body: body))
        isClosed = !request.keepAlive
    }
}
