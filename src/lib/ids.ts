import { v5, v7 } from 'uuid'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Generates a record id: a UUID v7 in lower case. Later ids sort after earlier ones, also within one millisecond. */
export function newId(): string {
  return v7()
}

/** Whether `text` has the form of a UUID, of any version and in either case. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/** The lowest id of an ISO 8601 instant: ids generated before it sort before this one, later ones after it. */
export function firstIdAt(instant: string): string {
  const hex = Math.max(0, Date.parse(instant)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** When a UUID v7 was generated, in milliseconds since 1970. */
export const instantOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** A lower bound for the ids generated within the given milliseconds before this UUID v7. */
export function idBefore(id: string, milliseconds: number): string {
  return firstIdAt(new Date(instantOf(id) - milliseconds).toISOString())
}

/** A UUID that is the same for the same text. */
export const namedId = (text: string): string => v5(text, v5.URL)
