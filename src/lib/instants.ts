/** Converts a timestamp from PostgreSQL's JSON (`…06.4+00:00`) to the API's form, with three decimals and a Z. */
export function isoInstant(value: string): string {
  const [seconds = value, fraction = ''] = value
    .replace(/(\+00(:00)?|Z)$/, '')
    .replace(' ', 'T')
    .split('.')
  return `${seconds}.${fraction.padEnd(3, '0')}Z`
}

/** Converts every such timestamp within a JSON value. */
export function withInstants(value: unknown): unknown {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/.test(value) ? isoInstant(value) : value
  if (Array.isArray(value)) return value.map(withInstants)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withInstants(part)]))
}
