// SPDX-License-Identifier: Apache-2.0
public import Dispatch

/// The name under which Apple's Objective-C headers know a dispatch queue.
public typealias dispatch_queue_t = DispatchQueue
