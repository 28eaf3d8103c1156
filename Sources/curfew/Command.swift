// SPDX-License-Identifier: Apache-2.0
@main struct Command { static func main() {} }
