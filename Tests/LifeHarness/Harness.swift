// SPDX-License-Identifier: Apache-2.0
@main struct Harness { static func main() {} }
