import Foundation
import Providers
import ServerConfiguration
import Testing

@testable import Commands

/// The vectors that were made without ipnd, of each provider that it has.
@Suite struct ShippedVectorTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "ProvidersTests/Vectors")

    /// The providers that have a file of this form.
    private static let names = [
        "stripe", "adyen", "paypal", "square", "razorpay", "checkout", "airwallex", "paystack",
        "gocardless", "xendit", "paddle", "wechatpay", "alipay",
        "midtrans", "mollie", "braintree",
    ]

    @Test(arguments: names.compactMap { ProviderCatalog.shipped[$0] }.map(\.name))
    func `every shipped provider passes its vectors`(name: String) throws {
        let descriptor = try #require(ProviderCatalog.shipped[name])
        let file = try VectorFile.read(Self.folder.appending(path: "\(name).json").path)
        #expect(file.genuine.count >= 11 && file.negatives.count >= 8)
        let report = VectorRun(descriptor).report(on: file)
        #expect(report.isPassed, "\(report.text)")
    }

    /// Rows of the providers' documents that those files leave out.
    @Test(arguments: [
        "stripe", "square", "razorpay", "checkout", "airwallex", "paystack", "gocardless", "xendit",
    ])
    func `further vectors pass as well`(name: String) throws {
        let descriptor = try #require(ProviderCatalog.shipped[name])
        let file = try VectorFile.read(Self.folder.appending(path: "\(name)-more.json").path)
        let report = VectorRun(descriptor).report(on: file)
        #expect(report.isPassed, "\(report.text)")
    }

    @Test(arguments: names)
    func `every file can be read`(name: String) throws {
        _ = try VectorFile.read(Self.folder.appending(path: "\(name).json").path)
    }
}
