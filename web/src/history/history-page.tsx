export function HistoryPage(_: object) { return null; }
