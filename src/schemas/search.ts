import * as v from 'valibot'
import type { ObjectName, RootName } from '../domain/filters/types.ts'
import { phoneSearch } from '../domain/phone.ts'
import { RECORD_PLURALS } from '../domain/records.ts'
import { named } from './common.ts'
import { Archived, describe, Id, pageQuery, QueryInt, SingleLine } from './fields.ts'
import { filterOf } from './filters.ts'
import { parse } from './pipes.ts'

export const SORTS = {
  contacts: ['created_at', 'updated_at', 'name', 'assigned_to'],
  companies: ['created_at', 'updated_at', 'name', 'assigned_to'],
  opportunities: ['created_at', 'updated_at', 'name', 'value', 'expected_close_date', 'stage_entered_at', 'assigned_to'],
} as const satisfies Partial<Record<ObjectName, readonly string[]>>
export type Searched = keyof typeof SORTS
/** Sorts of searches by a time of what is linked to a record, with the scope that reads it. */
export const TIME_SORTS = { last_activity_at: 'activities', next_task_due_at: 'tasks' } as const satisfies Record<string, ObjectName>
export const isTimeSort = (name: string): name is keyof typeof TIME_SORTS => Object.hasOwn(TIME_SORTS, name)
/** What these sorts mean. */
export const BY_TIME =
  ' last_activity_at is the time of the latest activity, next_task_due_at the earliest due date of the open tasks. ' +
  'Records without one come last.'
/** The sorts of the searches over what is about records. */
export const WORK_SORTS = {
  activities: ['occurred_at', 'created_at', 'updated_at'],
  tasks: ['created_at', 'updated_at', 'due_at', 'priority'],
} as const satisfies Partial<Record<ObjectName, readonly string[]>>
export type SearchedWork = keyof typeof WORK_SORTS
/** The sorts of what is only exported. */
export const EXPORT_SORTS = {
  products: ['created_at', 'updated_at', 'name'],
  line_items: ['created_at'],
  invoices: ['created_at', 'updated_at', 'invoice_number'],
  bookings: ['starts_at', 'created_at', 'updated_at'],
  work_orders: ['created_at', 'updated_at'],
} as const satisfies Record<Exclude<RootName, ObjectName>, readonly string[]>
export type OnlyExported = keyof typeof EXPORT_SORTS

/** What a sort by owner means. */
export const BY_OWNER =
  ' assigned_to puts the records of each owner together, in no order of their names, and those without an owner last, or first with the ' +
  'minus sign.'

/** A sort by a custom field: `metadata.<key>` or `custom.<key>`. */
export const CUSTOM_SORT = /^-?(?:metadata|custom)\.([a-z][a-z0-9_]{0,59})$/

const searchText = v.pipe(SingleLine(120), v.minLength(2, 'must be at least 2 characters long'))
const ofTasks: v.ObjectEntries = {
  search: v.optional(v.pipe(searchText, v.description('Words that the title or the external id contains.'), v.examples(['quote']))),
  archived: Archived,
}

/** The body of a search over activities or tasks. */
export function workSearchBody(object: SearchedWork) {
  const offered = WORK_SORTS[object].flatMap((name) => [name, `-${name}`])
  const initial = `-${WORK_SORTS[object][0]}`
  return v.strictObject({
    filter: v.optional(filterOf(object)),
    ...(object === 'tasks' ? ofTasks : {}),
    sort: v.optional(
      v.pipe(
        v.picklist(offered, `must be one of: ${offered.join(', ')}`),
        v.description(`One of ${offered.join(', ')}; a minus sign reverses the order.`),
        v.examples([initial]),
      ),
      initial,
    ),
    ...pageQuery,
  })
}
export type WorkSearchBody = { filter?: object | undefined; sort: string; limit: number; [other: string]: unknown }

/** The body of a search over the records of an object. */
export const searchBody = (object: Searched) => {
  const offered = [...SORTS[object], ...Object.keys(TIME_SORTS)].flatMap((name) => [name, `-${name}`])
  return v.strictObject({
    filter: v.optional(filterOf(object)),
    search: v.optional(
      v.pipe(
        SingleLine(120),
        v.minLength(2, 'must be at least 2 characters long'),
        parse('search', (words: string) => (object === 'opportunities' ? words : phoneSearch(words)), 'must be text'),
        v.description(
          'Words that the record contains: anywhere in its text, or at the beginning of a word if they have fewer than three letters ' +
            'or digits. Accents and case do not matter; in contacts and companies a phone number is found in any format.',
        ),
        v.examples(['renovations']),
      ),
    ),
    sort: v.optional(
      v.pipe(
        v.string(`must be one of: ${offered.join(', ')}`),
        v.check(
          (sort) => offered.includes(sort) || CUSTOM_SORT.test(sort),
          `must be one of: ${offered.join(', ')}, or metadata.<key> of a custom field`,
        ),
        v.description(
          `One of ${offered.join(', ')}, or metadata.<key> of a custom field; a minus sign reverses the order.${BY_OWNER} ` +
            'next_task_due_at is the earliest due date of the open tasks. Records without a value of the custom field, ' +
            'an activity or such a task come last.',
        ),
        v.examples(['-created_at']),
      ),
      '-created_at',
    ),
    archived: Archived,
    ...pageQuery,
  })
}
export type SearchBody = v.InferOutput<ReturnType<typeof searchBody>>

/** The sections of a search of everything. */
export const SECTIONS = [...RECORD_PLURALS, 'documents'] as const
export type Section = (typeof SECTIONS)[number]
const ALIASES: Record<string, Section> = { customers: 'companies', deals: 'opportunities' }

/** Parses section names separated by commas, former names included. */
function sectionsOf(text: string): Section[] | undefined {
  const named = text.split(',').map((name) => ALIASES[name.trim()] ?? (name.trim() as Section))
  return named.every((name) => SECTIONS.includes(name)) ? SECTIONS.filter((name) => named.includes(name)) : undefined
}

export const SearchQuery = v.strictObject({
  q: v.pipe(
    v.string('must be text to search for'),
    v.trim(),
    v.minLength(1, 'must not be empty'),
    v.maxLength(120, 'must be at most 120 characters long'),
    v.check((text) => text.isWellFormed() && !text.includes('\0'), 'must be well-formed text without NUL characters'),
    v.description('A name or part of one, even misspelt; or a complete email address, phone number, id or external id.'),
    v.examples(['harbour renovations']),
  ),
  types: v.optional(
    v.pipe(
      v.string(`must be some of: ${SECTIONS.join(', ')}`),
      v.description(`The sections to search, separated by commas: ${SECTIONS.join(', ')}. Defaults to all.`),
      v.examples(['contacts,companies']),
      parse('sections', sectionsOf, `must be some of: ${SECTIONS.join(', ')}, separated by commas`),
    ),
  ),
  limit: v.optional(describe(QueryInt(1, 50), 'The maximum number of hits in each section.', 10), 10),
})
export type SearchQuery = v.InferOutput<typeof SearchQuery>

const MATCHED = [
  'id',
  'name',
  'email',
  'alternate_emails',
  'phone',
  'alternate_phones',
  'landline',
  'website_url',
  'external_id',
  'folder',
] as const

export const Hit = named(
  'SearchHit',
  v.object({
    type: v.picklist(['contact', 'company', 'opportunity', 'document']),
    id: Id,
    title: v.pipe(v.string(), v.examples(['Harbour Renovations'])),
    subtitle: v.nullable(v.string()),
    matched_on: v.pipe(v.picklist(MATCHED), v.description('The field that matches the query.')),
    score: v.pipe(v.number(), v.description('The relevance, from 0 to 1; the best hits come first.'), v.examples([0.93])),
  }),
)
const section = v.optional(v.array(Hit))
export const SearchResult = named(
  'SearchResult',
  v.object({ contacts: section, companies: section, opportunities: section, documents: section }),
)
