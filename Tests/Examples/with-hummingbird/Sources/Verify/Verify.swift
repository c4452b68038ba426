import Foundation
import PaymentNotifications

/// Reads a captured HTTP request from standard input, and prints the events that it reports or why
/// it is refused: `Verify antom clientID=C-1 keys="$(cat antom.pem)" < request.http`
@main struct Verify {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let settings = arguments.dropFirst().map { $0.split(separator: "=", maxSplits: 1) }
        let provider = try ProviderRegistry.provider(
            named: arguments.first ?? "",
            settings: Dictionary(
                settings.map { (String($0[0]), .text(String($0.last!))) }, uniquingKeysWith: { $1 })
        )
        let input = FileHandle.standardInput.readDataToEndOfFile()
        guard let end = input.firstRange(of: Data("\r\n\r\n".utf8)) else { exit(65) }
        let head = String(decoding: input[..<end.lowerBound], as: UTF8.self)
            .split(separator: "\r\n").map(String.init)
        let words = head[0].split(separator: " ").map(String.init)
        let headers = head.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            return (name: parts[0], value: parts.last!.trimmingCharacters(in: .whitespaces))
        }
        let request = SignedRequest(
            method: words[0], path: words[1], headers: headers, body: input[end.upperBound...],
            received: Timestamp(secondsSince1970: Date().timeIntervalSince1970))
        do {
            for event in try await provider.receive(request) {
                print(event.kind, event.status, event.reference ?? "-", event.id)
            }
        } catch {
            print("refused:", error.reason, error.detail)
            exit(1)
        }
    }
}
