// SPDX-License-Identifier: Apache-2.0

/// Apple's names for why an app was launched. On Linux an app is launched by a person, a shell or a
/// service manager, so none of them is ever in the launch options, which are nil.
extension UIApplication.LaunchOptionsKey {
    /// The annotation that another app has sent with a URL.
    public static let annotation = Self(rawValue: "UIApplicationLaunchOptionsAnnotationKey")
    /// Bluetooth's central managers.
    public static let bluetoothCentrals = Self(
        rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
    /// Bluetooth's peripheral managers.
    public static let bluetoothPeripherals = Self(
        rawValue: "UIApplicationLaunchOptionsBluetoothPeripheralsKey")
    /// A shared record of CloudKit.
    public static let cloudKitShareMetadata = Self(
        rawValue: "UIApplicationLaunchOptionsCloudKitShareMetadataKey")
    /// A URL's attribution.
    public static let eventAttribution = Self(
        rawValue: "UIApplicationLaunchOptionsEventAttributionKey")
    /// A local notification.
    public static let localNotification = Self(
        rawValue: "UIApplicationLaunchOptionsLocalNotificationKey")
    /// A change of the location.
    public static let location = Self(rawValue: "UIApplicationLaunchOptionsLocationKey")
    /// Downloads of Newsstand.
    public static let newsstandDownloads = Self(
        rawValue: "UIApplicationLaunchOptionsNewsstandDownloadsKey")
    /// A push message.
    public static let remoteNotification = Self(
        rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
    /// A quick action of the home screen.
    public static let shortcutItem = Self(rawValue: "UIApplicationLaunchOptionsShortcutItemKey")
    /// The app that has asked for the launch.
    public static let sourceApplication = Self(
        rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
    /// A URL to open.
    public static let url = Self(rawValue: "UIApplicationLaunchOptionsURLKey")
    /// An activity to continue.
    public static let userActivityDictionary = Self(
        rawValue: "UIApplicationLaunchOptionsUserActivityDictionaryKey")
    /// The type of an activity to continue.
    public static let userActivityType = Self(
        rawValue: "UIApplicationLaunchOptionsUserActivityTypeKey")
}
