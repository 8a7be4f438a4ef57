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
