// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The functions of sd-bus that are used here, all without variable arguments; see sd-bus(3).
struct BusLibrary: Sendable {
    typealias Bus = OpaquePointer
    typealias Message = OpaquePointer

    typealias Open = @convention(c) (UnsafeMutablePointer<Bus?>) -> Int32
    typealias OnBus = @convention(c) (Bus) -> Int32
    typealias Unref = @convention(c) (OpaquePointer) -> OpaquePointer?
    typealias NewCall =
        @convention(c) (
            Bus, UnsafeMutablePointer<Message?>, UnsafePointer<CChar>, UnsafePointer<CChar>,
            UnsafePointer<CChar>, UnsafePointer<CChar>
        ) -> Int32
    typealias Basic = @convention(c) (Message, CChar, UnsafeRawPointer) -> Int32
    typealias ReadBasic = @convention(c) (Message, CChar, UnsafeMutableRawPointer) -> Int32
    typealias SetAutoStart = @convention(c) (Message, Int32) -> Int32
    typealias Call =
        @convention(c) (
            Bus, Message, UInt64, UnsafeMutableRawPointer?, UnsafeMutablePointer<Message?>
        ) -> Int32
    typealias Enter = @convention(c) (Message, CChar, UnsafePointer<CChar>) -> Int32
    typealias TextOf = @convention(c) (Message) -> UnsafePointer<CChar>?
    typealias Process = @convention(c) (Bus, UnsafeMutablePointer<Message?>) -> Int32
    typealias TimeOf = @convention(c) (Bus, UnsafeMutablePointer<UInt64>) -> Int32

    let open: Open
    let closeUnref: Unref
    let newCall: NewCall
    let append: Basic
    let setAutoStart: SetAutoStart
    let call: Call
    let enter: Enter
    let readBasic: ReadBasic
    let sender: TextOf
    let path: TextOf
    let interface: TextOf
    let member: TextOf
    let unref: Unref
    let process: Process
    let descriptor: OnBus
    let events: OnBus
    let timeout: TimeOf

    init() throws(ServiceManager.Failure) {
        func function<Function>(
            _ name: String, _ type: Function.Type
        ) throws(ServiceManager.Failure) -> Function {
            try SystemdLibrary.function(name, as: type)
        }
        open = try function("sd_bus_open_system", Open.self)
        closeUnref = try function("sd_bus_close_unref", Unref.self)
        newCall = try function("sd_bus_message_new_method_call", NewCall.self)
        append = try function("sd_bus_message_append_basic", Basic.self)
        setAutoStart = try function("sd_bus_message_set_auto_start", SetAutoStart.self)
        call = try function("sd_bus_call", Call.self)
        enter = try function("sd_bus_message_enter_container", Enter.self)
        readBasic = try function("sd_bus_message_read_basic", ReadBasic.self)
        sender = try function("sd_bus_message_get_sender", TextOf.self)
        path = try function("sd_bus_message_get_path", TextOf.self)
        interface = try function("sd_bus_message_get_interface", TextOf.self)
        member = try function("sd_bus_message_get_member", TextOf.self)
        unref = try function("sd_bus_message_unref", Unref.self)
        process = try function("sd_bus_process", Process.self)
        descriptor = try function("sd_bus_get_fd", OnBus.self)
        events = try function("sd_bus_get_events", OnBus.self)
        timeout = try function("sd_bus_get_timeout", TimeOf.self)
    }
}
