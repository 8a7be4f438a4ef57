import type { FieldType } from './custom-types.ts'

/** The objects that can be filtered. */
export const OBJECTS = ['contacts', 'companies', 'opportunities', 'activities', 'tasks'] as const
export type ObjectName = (typeof OBJECTS)[number]
/** The objects whose records an export can have as rows: also those without a search of their own. */
export const ROOTS = [...OBJECTS, 'products', 'line_items', 'invoices', 'bookings', 'work_orders'] as const
export type RootName = (typeof ROOTS)[number]
export const isSearched = (object: RootName): object is ObjectName => (OBJECTS as readonly string[]).includes(object)

export const KINDS = ['text', 'choice', 'number', 'date', 'instant', 'boolean', 'id', 'list', 'membership', 'money'] as const
export type Kind = (typeof KINDS)[number]

export type Field = {
  kind: Kind
  /** The options of an enumeration. */
  options?: readonly string[]
  /** Case-sensitive text; other text is compared case-insensitively. */
  exact?: true
  /** How a value is normalised before it is compared. */
  reads?: 'email' | 'phone' | 'website' | 'domain'
  /** Its value depends on the time, so that no index has it. */
  computed?: true
  /** The object whose records determine the value, and which the caller must be allowed to read. */
  from?: ObjectName
}

export type Catalogue = { fields: Record<string, Field>; relations: Record<string, ObjectName> }

/** A calendar day, a timestamp (ISO 8601 in UTC), or a number of days from today. */
export type Point = { day: string } | { instant: string } | { days: number }
export type End<At> = { at: At; open: boolean }

/** The few tests that all operators translate to. `not` negates one. */
export type Test =
  | { is: 'in'; values: (string | number | boolean)[] }
  | { is: 'like'; texts: string[]; from: 'start' | 'anywhere' }
  /** Amounts of money are compared within one currency. */
  | { is: 'numbers'; low?: End<number>; high?: End<number>; currency?: string }
  | { is: 'times'; low?: End<Point>; high?: End<Point> }
  | { is: 'empty' }

export type Condition = { type: 'field'; field: string; test: Test; not: boolean }
/** A condition on a custom field. Only the database knows the field's type; `fits` lists the types for which the test is possible. */
export type CustomCondition = {
  type: 'custom'
  key: string
  /** The path within the filter: `.all.2`. */
  at: string
  test: Test
  not: boolean
  /** Types that support the operator. */
  offered: FieldType[]
  /** Those of `offered` that can be compared with this value. */
  fits: FieldType[]
}
/** Membership of a list. Before a filter becomes SQL, the filter of a live list takes its place (see inlineLists). */
export type InList = {
  type: 'list'
  list: string
  /** The path within the filter: `.all.2`. */
  at: string
  not: boolean
}
/** Search words that the record contains: part of a live list. */
export type Words = { type: 'words'; words: string }
export type Has = { type: 'has'; relation: string; object: ObjectName; where: Filter | undefined }
export type Group = { type: 'all'; of: Filter[] } | { type: 'any'; of: Filter[] }
export type Filter = Group | { type: 'not'; of: Filter } | Has | Condition | CustomCondition | InList | Words

export type Issue = { path: string; message: string }
