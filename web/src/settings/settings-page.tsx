export function SettingsPage(_: object) { return null; }
