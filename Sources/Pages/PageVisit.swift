import AdminAPI
import HTTP
import HTTPServer
import Store

/// One request for a page by somebody who may see it.
struct PageVisit: Sendable {
    let request: Request
    let role: AdminRole
    /// Whether somebody signed in; where no token is configured nobody has to.
    let hasSession: Bool
    let base: String
    let answers: AdminAnswers

    var query: FormFields { FormFields(query: request.query) }

    /// The path of an order's page, seen from the visited one; nil where no reference leads to it.
    ///
    /// - Parameter act: The path of what is done with it, such as `inquire`.
    func path(endpoint: String, reference: String?, act: String? = nil) -> String? {
        reference.map {
            base + OrderPath.of(OrderName(endpoint: endpoint, reference: $0), act: act)
        }
    }

    /// The whole page: the screen's own values and those of the layout.
    func page(_ template: String, _ screen: Screen, _ values: PageValues) -> Response {
        var all = values
        all["base"] = base
        all["mayAct"] = role.mayAct
        all["isViewer"] = role == .viewer
        all["seesRequests"] = role.seesRequests
        all["hasSession"] = hasSession
        all["style"] = PageAssets.style.version
        all["script"] = PageAssets.script.version
        all["icon"] = PageAssets.icon.version
        all["screen"] = screen.rawValue
        all["title"] = all["title"] ?? screen.title
        all["nav"] = Screen.menu.map { item in
            [
                "path": "\(base)\(item.rawValue)", "title": item.title, "isHere": item == screen,
            ] as PageValues
        }
        if let notice = query["notice"].flatMap(PageNotice.init(rawValue:)) {
            all["notice"] = ["text": notice.sentence] as PageValues
        }
        return PageResponse.html(PageTemplates.shared.render(template, all))
    }

    /// A page that says what went wrong.
    ///
    /// - Parameter back: The path of the page from which it was tried.
    func page(_ problem: PageProblem, back: String? = nil) -> Response {
        var response = page(
            "notice", .none,
            [
                "title": "Not possible", "detail": problem.detail, "code": problem.code,
                "back": back ?? "",
            ])
        response.status = problem.status
        return response
    }
}

extension AdminRole {
    var mayAct: Bool { self == .admin }

    /// Raw requests hold personal data: names, addresses, parts of card numbers.
    var seesRequests: Bool { self == .admin }
}

/// The screens, in the order of the menu.
enum Screen: String {
    case now, orders, rejections, destinations, providers, journal
    case session
    case none

    static let menu: [Screen] = [.now, .orders, .rejections, .destinations, .providers, .journal]

    var title: String {
        switch self {
        case .now: "Now"
        case .orders: "Orders"
        case .rejections: "Rejections"
        case .destinations: "Destinations"
        case .providers: "Providers"
        case .journal: "Journal"
        case .session: "Sign in"
        case .none: "ipnd"
        }
    }
}

/// What an act has come to, said on the page that follows it. The link names one of these words
/// and nothing of its own, so nobody can put a sentence on a page by a link.
enum PageNotice: String {
    case paused, resumed, tested, testFailed, retried, nothingToRetry, inquired, inquiredNothing
    case verifying, resolved, corrected

    var sentence: String {
        switch self {
        case .paused: "Paused. Events wait in the store until it is resumed."
        case .resumed: "Resumed."
        case .tested: "The test message was delivered."
        case .testFailed: "The test message was not delivered: see the attempts."
        case .retried: "The deliveries are tried again now."
        case .nothingToRetry: "Nothing was left to retry."
        case .inquired: "The provider was asked, and its answer is recorded."
        case .inquiredNothing: "The provider was asked and told nothing new."
        case .resolved: "The review is resolved, and the reason is recorded."
        case .corrected: "What is expected is corrected, and the reason is recorded."
        case .verifying: "The journal is being verified."
        }
    }
}
