// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    // The folder is not `hummingbird`, because that would be the identity of the dependency.
    name: "with-hummingbird",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "ipnd", path: "../../.."),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.11.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.12.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // A shop behind ipnd. The library verifies what ipnd sends it.
        .executableTarget(
            name: "Shop",
            dependencies: [
                .product(name: "PaymentNotifications", package: "ipnd"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // A server that receives payment notifications itself, by the library.
        .executableTarget(
            name: "NotificationServer",
            dependencies: [
                .product(name: "PaymentNotifications", package: "ipnd"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // Verifies one captured request.
        .executableTarget(
            name: "Verify",
            dependencies: [.product(name: "PaymentNotifications", package: "ipnd")]),
    ]
)
