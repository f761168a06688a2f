export function AuditPage(_: object) { return null; }
