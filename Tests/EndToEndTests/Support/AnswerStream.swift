import Foundation

/// A strict parser of a server's answers: an independent implementation of RFC 9112 §4, so that the
/// server's encoder is not tested by its own code.
struct AnswerStream {
    struct Answer {
        var status: Int
        var fields: [(name: String, value: String)]
        var body: [UInt8]

        func values(_ name: String) -> [String] {
            fields.filter { $0.name == name }.map(\.value)
        }
    }

    private(set) var answers: [Answer] = []
    private(set) var interims: [Int] = []
    /// The violation of HTTP; nil if there is none.
    private(set) var problem: String?

    /// - Parameter heads: The indices of answers to HEAD requests.
    init(_ bytes: [UInt8], heads: Set<Int>, isEnded: Bool) {
        var rest = bytes[...]
        while !rest.isEmpty, problem == nil {
            guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else {
                if isEnded { problem = "truncated head" }
                return
            }
            guard var answer = head(rest[..<end.lowerBound]) else { return }
            rest = rest[end.upperBound...]
            if answer.status < 200 {
                interims.append(answer.status)
                continue
            }
            let lengths = answer.values("content-length").compactMap { Int($0) }
            guard lengths.count == 1 else {
                problem = "no single Content-Length"
                return
            }
            let length = heads.contains(answers.count) ? 0 : lengths[0]
            guard rest.count >= length else {
                if isEnded { problem = "truncated body" }
                return
            }
            answer.body = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            answers.append(answer)
        }
    }

    private mutating func head(_ bytes: ArraySlice<UInt8>) -> Answer? {
        let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        var lines = text.components(separatedBy: "\r\n")
        let status = lines.removeFirst()
        guard let match = status.wholeMatch(of: /HTTP\/1\.1 ([1-5][0-9][0-9]) [\t -~]*/) else {
            problem = "status line \(status)"
            return nil
        }
        var answer = Answer(status: Int(match.1) ?? 0, fields: [], body: [])
        for line in lines {
            guard let field = line.wholeMatch(of: /([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~]*)/)
            else {
                problem = "field \(line)"
                return nil
            }
            answer.fields.append((field.1.lowercased(), String(field.2)))
        }
        return answer
    }
}
