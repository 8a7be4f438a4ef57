import { v7 } from 'uuid'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A fresh record id: a UUID v7 in lower case. Ids made later sort after earlier ones, within one millisecond too. */
export function newId(): string {
  return v7()
}

/** Whether `text` has the form of a UUID, of any version and in either case. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/** The lowest id of the moment, an ISO 8601 instant: ids made before it sort before this one, ids made at it or later do not. */
export function firstIdAt(instant: string): string {
  const hex = Math.max(0, Date.parse(instant)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** A bound below every id that was made so many milliseconds before this one, a UUID v7. */
export function idBefore(id: string, milliseconds: number): string {
  return firstIdAt(new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) - milliseconds).toISOString())
}
