// SPDX-License-Identifier: Apache-2.0
import CurfewHeaders

// A generic type converts nothing: each line compiles only if Swift sees exactly this type.
struct Exactly<T> {
    init(_ value: T) {}
}

typealias Launch =
    @Sendable (
        OpaquePointer, UnsafePointer<CChar>, UnsafePointer<curfew_launch_options>?,
        UnsafeMutablePointer<curfew_task>?, UnsafeMutablePointer<curfew_error>?
    ) -> curfew_status
let launch = Exactly(curfew_host_launch)
let _: Exactly<Launch> = launch

typealias Create =
    @Sendable (
        UnsafePointer<curfew_host_config>?, UnsafeMutablePointer<OpaquePointer?>?,
        UnsafeMutablePointer<curfew_error>?
    ) -> curfew_status
let create = Exactly(curfew_host_create)
let _: Exactly<Create> = create

typealias Text = @Sendable (curfew_status) -> UnsafePointer<CChar>
let text = Exactly(curfew_status_text)
let _: Exactly<Text> = text

typealias Run =
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<curfew_host_api>, curfew_task,
        UnsafeMutablePointer<curfew_error>
    ) -> curfew_status
let run = Exactly(curfew_handler().run)
let _: Exactly<Run?> = run

typealias Raise =
    @convention(c) (
        UnsafePointer<curfew_host_api>, curfew_task, UnsafePointer<CChar>,
        UnsafePointer<curfew_value>?, UInt32
    ) -> curfew_status
func table(_ api: curfew_host_api) {
    let raise = Exactly(api.raise)
    let _: Exactly<Raise> = raise
}

// Constants are of type Int, statuses of type Int32; a plugin is written like this.
let handler: curfew_run_function = { _, api, task, error in
    guard !api.pointee.is_expired(api, task) else {
        error.pointee.code = curfew_status(CURFEW_EXPIRED)
        return error.pointee.code
    }
    return curfew_status(CURFEW_OK)
}
let abi: Int = CURFEW_ABI_VERSION
let release: String = CURFEW_VERSION_STRING
