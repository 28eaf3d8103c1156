// SPDX-License-Identifier: Apache-2.0
// A program that does nothing: what is left is what a Swift program costs that starts and ends.
