package vocabulary

// Launch is the argument of launch.
type Launch struct {
	Package     string            `json:"package" required:"true" scalar:"true" minLength:"1"`
	Force       bool              `json:"force,omitempty"`
	Clear       bool              `json:"clear,omitempty"`
	Permissions map[string]string `json:"permissions,omitempty" enum:"allow,deny,unset"`
	WebView     string            `json:"webView,omitempty" enum:"auto,devtools,accessibility" tool:"-"`
	Arguments   map[string]any    `json:"arguments,omitempty" tool:"-"`
	Env         map[string]string `json:"env,omitempty" platforms:"ios" tool:"-"`
}

// Stop is the argument of stop.
type Stop struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1"`
}

// ClearApp is the argument of clearApp.
type ClearApp struct {
	Package  string `json:"package" required:"true" scalar:"true" minLength:"1"`
	Keychain bool   `json:"keychain,omitempty" platforms:"ios"`
}

// KillApp is the argument of killApp.
type KillApp struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1"`
}

// Install is the argument of install.
type Install struct {
	Path string `json:"file" spelling:"path" required:"true" scalar:"true" minLength:"1" format:"file"`
}

// Uninstall is the argument of uninstall.
type Uninstall struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1"`
}

// SetPermissions is the argument of setPermissions.
type SetPermissions struct {
	Package string   `json:"package" required:"true" minLength:"1"`
	Allow   []string `json:"allow,omitempty" minLength:"1"`
	Deny    []string `json:"deny,omitempty" minLength:"1"`
}

func (SetPermissions) rules() []Rule {
	return []Rule{atLeastOne("allow deny").says(`"setPermissions" changes nothing`, "")}
}

// OpenLink is the argument of openLink.
type OpenLink struct {
	URL     string `json:"url" required:"true" scalar:"true" minLength:"1" format:"link"`
	Package string `json:"package,omitempty" minLength:"1" platforms:"android"`
}

// appActions returns every action that concerns apps.
func appActions() []Def {
	return []Def{
		{
			Name: "launch", Appium: "activateApp", XCUITest: "launchApp", Tier: Core, Args: Launch{},
			Doc:       "Starts an app and waits until it is in the foreground.",
			Example:   "launch: {package: com.example.app, force: true}",
			Platforms: phones, Interfaces: AllInterfaces, Effect: Acts | Apart,
		},
		{
			Name: "stop", Appium: "terminateApp", XCUITest: "terminateApp", Args: Stop{},
			Doc:       "Stops an app.",
			Example:   "stop: com.example.app",
			Platforms: phones, Interfaces: AllInterfaces, Effect: Removes | Apart,
		},
		{
			Name: "killApp", Appium: "shell", XCUITest: "terminateApp", Args: KillApp{}, Was: "kill",
			Doc: "Ends the process of an app in the background, as a system that is short of memory does. The " +
				"app starts again with its saved state when it comes back. An app in the foreground is not " +
				"ended.",
			Example:   "killApp: com.example.app",
			Platforms: phones, Interfaces: YAML | REST, Effect: Removes | Apart,
		},
		{
			Name: "clearApp", Appium: "clearApp", XCUITest: "clearApp", Args: ClearApp{},
			Doc:       "Removes an app's data, as if it had just been installed.",
			Example:   "clearApp: com.example.app",
			Platforms: phones, Interfaces: AllInterfaces, Effect: Removes | Apart,
		},
		{
			Name: "install", Appium: "installApp", XCUITest: "installApp", Args: Install{},
			Doc:       "Installs an app from a file, over the installed one.",
			Example:   "install: ../build/app.apk",
			Platforms: phones, Interfaces: AllInterfaces, Effect: Removes | Apart,
		},
		{
			Name: "uninstall", Appium: "removeApp", XCUITest: "removeApp", Args: Uninstall{},
			Doc:       "Removes an app.",
			Example:   "uninstall: com.example.app",
			Platforms: phones, Interfaces: AllInterfaces, Effect: Removes | Apart,
		},
		{
			Name: "setPermissions", Appium: "changePermissions", XCUITest: "setPermission", Args: SetPermissions{},
			Doc:       "Grants permissions to an app, or revokes them.",
			Example:   "setPermissions: {package: com.example.app, allow: [camera], deny: [location]}",
			Platforms: phones, Interfaces: AllInterfaces, Effect: Removes | Apart,
		},
		{
			Name: "openLink", Appium: "deepLink", XCUITest: "deepLink", Args: OpenLink{},
			Doc:       "Opens a link in the app that the system or the test chooses.",
			Example:   "openLink: \"shop://item/5\"",
			Platforms: phones, Interfaces: AllInterfaces, Effect: Acts | Apart,
		},
	}
}
