import type { FieldType } from './custom-types.ts'

/** What can be filtered, and what only stands in a relation of those. */
export const OBJECTS = ['contacts', 'companies', 'opportunities', 'activities'] as const
export type ObjectName = (typeof OBJECTS)[number]

export const KINDS = ['text', 'choice', 'number', 'date', 'instant', 'boolean', 'id', 'list'] as const
export type Kind = (typeof KINDS)[number]

export type Field = {
  kind: Kind
  /** Of a choice. */
  options?: readonly string[]
  /** Text that is compared to the letter; other text is compared without regard to case. */
  exact?: true
  /** How a value is read before it is compared. */
  reads?: 'email' | 'phone'
  /** Told by another object's records, which the caller must be allowed to read. */
  from?: ObjectName
}

export type Catalogue = { fields: Record<string, Field>; relations: Record<string, ObjectName> }

/** A calendar day, a moment (ISO 8601 in UTC), or so many days from today. */
export type Point = { day: string } | { instant: string } | { days: number }
export type End<At> = { at: At; open: boolean }

/** What a value must be, in the few forms that every operator comes down to. `not` turns it round. */
export type Test =
  | { is: 'in'; values: (string | number | boolean)[] }
  | { is: 'like'; texts: string[]; from: 'start' | 'anywhere' }
  | { is: 'numbers'; low?: End<number>; high?: End<number> }
  | { is: 'times'; low?: End<Point>; high?: End<Point> }
  | { is: 'empty' }

export type Condition = { type: 'field'; field: string; test: Test; not: boolean }
/** A condition on a custom field. Only the database knows the field's type: `fits` are those that the test is possible for. */
export type CustomCondition = {
  type: 'custom'
  key: string
  /** Where in the filter it stands: `.all.2`. */
  at: string
  test: Test
  not: boolean
  /** Types that have the operator. */
  offered: FieldType[]
  /** Those of them whose values may be compared with this value. */
  fits: FieldType[]
}
export type Has = { type: 'has'; relation: string; object: ObjectName; where: Filter | undefined }
export type Group = { type: 'all'; of: Filter[] } | { type: 'any'; of: Filter[] }
export type Filter = Group | { type: 'not'; of: Filter } | Has | Condition | CustomCondition

export type Issue = { path: string; message: string }
