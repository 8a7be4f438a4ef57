/**
 * Whether a transaction had ended when PostgreSQL took a snapshot, so that what it wrote was visible. A snapshot is the text of a
 * pg_snapshot,
 * `xmin:xmax:xip_list`: transactions before xmin had ended, and of those before xmax all but the listed ones
 * (https://www.postgresql.org/docs/current/functions-info.html, "Snapshot Components").
 */
export function wasVisible(xid: string, snapshot: string): boolean {
  const [first = '', next = '', open = ''] = snapshot.split(':')
  if (BigInt(xid) < BigInt(first)) return true
  return BigInt(xid) < BigInt(next) && !open.split(',').includes(xid)
}
