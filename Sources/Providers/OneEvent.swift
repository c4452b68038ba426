// The systems that report one event in each request.

extension Antom { package var sendsOneEvent: Bool { true } }
extension OpenPaymentPlatform { package var sendsOneEvent: Bool { true } }
extension StandardWebhooks { package var sendsOneEvent: Bool { true } }
