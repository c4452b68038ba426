import Bytes
import Testing

@testable import Pages

@Suite struct PageRouteTests {
    static let paths: [(String, PageRoute?, String)] = [
        ("/", .root, "ui/"), ("/ui", .root, "ui/"), ("/ui/", .root, ""), ("/ui/now", .now, ""),
        ("/ui/orders", .orders, ""), ("/ui/orders.csv", .orderExport, ""),
        ("/ui/orders/antom/A%2F1", .order(endpoint: "antom", reference: "A/1"), "../../"),
        (
            "/ui/orders/antom/A/inquire",
            .orderAct(endpoint: "antom", reference: "A", action: "inquire"),
            "../../../"
        ),
        ("/ui/orders/antom/", .unknown, "../../"), ("/ui/orders/antom/%FF", .unknown, "../../"),
        ("/ui/destinations/shop/pause", .destinationAct(name: "shop", action: "pause"), "../../"),
        ("/ui/destinations/shop/explode", .unknown, "../../"),
        ("/ui/destinations/retry", .retry, "../"), ("/ui/session/end", .sessionEnd, "../"),
        ("/ui/style.css", .asset("style.css"), ""), ("/ui/../etc", .unknown, "../"),
        ("/ui/orders/antom/-", .order(endpoint: "antom", reference: "-"), "../../"),
        ("/ui/orders/antom/-?reference=..", .order(endpoint: "antom", reference: ".."), "../../"),
        ("/ui/orders/antom/-?reference=a+b", .order(endpoint: "antom", reference: "a b"), "../../"),
        ("/ui/orders/antom/A?reference=..", .order(endpoint: "antom", reference: "A"), "../../"),
        (
            "/ui/orders/antom/-/correct?reference=.",
            .orderAct(endpoint: "antom", reference: ".", action: "correct"), "../../../"
        ),
        ("/orders", nil, "ui/"), ("/uix", nil, "ui/"), ("/healthz", nil, "ui/"),
    ]

    @Test(arguments: paths) func `a path is mapped to a route`(
        _ path: String, _ route: PageRoute?, _ base: String
    ) {
        let parts = path.split(separator: "?").map { Array($0.utf8)[...] }
        let bytes = parts[0]
        #expect(PageRoute(bytes, query: parts.count > 1 ? parts[1] : nil) == route)
        #expect(PageRoute.base(of: bytes) == base)
    }
}
