// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Service

/// The JSON of `PUT /v1/settings` and its like: a setting of launches. What it leaves out is not restricted.
struct SettingBody {
    let setting: HandlerSetting

    init(_ body: [UInt8]) throws(HTTPFault) {
        let members = try ControlBody(body, ["refreshSetting", "enablement"])
        setting = HandlerSetting(
            refresh: try members.word(
                "refreshSetting", RefreshSetting.allCases.map { ($0.name, $0) }) ?? .available,
            enablement: try members.word(
                "enablement", HandlerEnablement.allCases.map { ($0.name, $0) }) ?? .enabled)
    }

    /// For the journal.
    var text: String { "\(setting.enablement.name), refresh \(setting.refresh.name)" }
}
