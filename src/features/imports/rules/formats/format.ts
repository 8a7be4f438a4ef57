import type { ImportObject, Replacement } from '../types.ts'

/**
 * An export format of another product. A file has this format if it has all columns of `all`, at least one of `any`, none of `not`, and a
 * name that matches `file_name`. Of several, the one that knows most of the file's columns is taken.
 */
export type Format = {
  name: string
  product: string
  object: ImportObject
  all: string[]
  any?: string[]
  not?: string[]
  file_name?: RegExp
  /**
   * The field of each column, or null for a column that has none. `a|b` is the first field that no earlier column fills, and `a b` is both.
   * `#` in a column's name stands for a number, and a final `*` for any text. A field that the object does not have counts as null.
   */
  columns: Record<string, string | null>
  /** Values that mean something else here. */
  replacements?: Replacement[]
  defaults?: Record<string, string>
  /** Keeps the ids of different products apart. */
  external_id_prefix?: string
}

/** The fields of a column that says that a person must not be contacted at all. */
export const NO_CONTACT = 'email_unsubscribed sms_unsubscribed voice_unsubscribed whatsapp_unsubscribed'

const stage = (from: string, to: string): Replacement => ({ field: 'stage', from, to })

/** The usual names of closed stages, as a new workspace has them. */
export const CLOSED_STAGES = [
  ...['Closed Won', 'closedwon', 'Closed - Won'].map((from) => stage(from, 'Won')),
  ...['Closed Lost', 'closedlost', 'Closed - Lost', 'Abandoned'].map((from) => stage(from, 'Lost')),
]

/** A status beside the stage decides only if the record is closed. */
export const OPEN_STATUS = [stage('open', '')]
