import * as v from 'valibot'
import { parseFilter } from '../../../domain/filters/parse.ts'
import { RECORD_PLURALS } from '../../../domain/records.ts'
import { BulkIds } from '../../../schemas/bulk.ts'
import { archivedOut, named, timestamps } from '../../../schemas/common.ts'
import {
  Archived,
  Bool,
  describe,
  Enum,
  Id,
  InstantOut,
  Multiline,
  Name,
  optional,
  pageQuery,
  QueryBool,
  SingleLine,
} from '../../../schemas/fields.ts'
import { MAX_STORED_FILTER, pathOf, StoredFilter } from '../../../schemas/filters.ts'
import { queryIds, queryNames } from '../../../schemas/reading.ts'
import { SORTS, TIME_SORTS } from '../../../schemas/search.ts'
import { Company } from '../../companies/schemas/companies.ts'
import { Contact } from '../../contacts/schemas/contacts.ts'
import { Opportunity } from '../../opportunities/schemas/opportunities.ts'
import { LIST_KINDS, LIST_VISIBILITIES, MAX_LIST_DEPTH, MAX_TRACKED_LISTS, MAX_TRACKED_MEMBERS } from '../rules/lists.ts'

const EXAMPLE = { field: 'city', op: 'eq', value: 'Newcastle' }
const FILTER =
  `The filter of a live list, as the search takes it (see GET /filters/:object), of at most ${MAX_STORED_FILTER} characters. ` +
  `It may name other lists, at most ${MAX_LIST_DEPTH} deep.`

const TRACKS =
  'Whether the events `list.entered` and `list.left` are written when records enter and leave the list, for a live list within a ' +
  `minute. At most ${MAX_TRACKED_LISTS} lists of a workspace, with at most ${MAX_TRACKED_MEMBERS} members each.`

const ListFilter = v.pipe(StoredFilter, v.description(FILTER), v.examples([EXAMPLE]))
const Words = v.pipe(
  SingleLine(120),
  v.minLength(2, 'must be at least 2 characters long'),
  v.description('Search words of a live list, as the search takes them: only records that contain all of them are members.'),
  v.examples(['renovations']),
)
const Visibility = describe(
  v.picklist(LIST_VISIBILITIES, `must be one of: ${LIST_VISIBILITIES.join(', ')}`),
  'A private list is seen by its owner and by members with the role client_admin; a shared one by everyone.',
  'shared',
)

/** The writable fields of an existing list. */
const changeable = {
  name: describe(
    Name(120),
    'The name; unique among the shared lists of an object, and among the private ones of their owner.',
    'Newcastle',
  ),
  description: optional(Multiline(2000)),
  filter: describe(optional(ListFilter), FILTER),
  search: optional(Words),
  visibility: v.optional(Visibility),
  tracks_membership: v.optional(describe(Bool, TRACKS, true)),
}

const ListObject = Enum(RECORD_PLURALS, 'The kind of records in the list. It does not change.')
const ListKind = describe(
  v.picklist(LIST_KINDS, `must be one of: ${LIST_KINDS.join(', ')}`),
  'Members of a static list are added and removed; those of a live list are the records that its filter and its search words ' +
    'match. It does not change.',
  'live',
)

export const NewList = v.pipe(
  v.strictObject({ ...changeable, object: ListObject, kind: ListKind }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const { kind, object, filter, search } = dataset.value
    const at = (path: string) => pathOf(dataset.value, path)
    const isEmpty = (filter ?? search ?? undefined) === undefined
    if (kind === 'live' && isEmpty) addIssue({ message: 'A live list needs a filter or search words', path: at('filter') })
    if (kind === 'static' && !isEmpty)
      addIssue({ message: 'A static list has members instead: leave filter and search out, or send kind live', path: at('kind') })
    if (filter) for (const { path, message } of parseFilter(object, filter).issues) addIssue({ message, path: at(`filter${path}`) })
  }),
)
export type NewList = v.InferOutput<typeof NewList>
export const ListPatch = v.strictObject({ ...v.partial(v.object(changeable)).entries, archived: v.optional(archivedOut) })
export type ListPatch = v.InferOutput<typeof ListPatch>

const text = v.nullable(v.string())
export const List = named(
  'List',
  v.object({
    id: Id,
    name: v.string(),
    description: text,
    object: ListObject,
    kind: ListKind,
    filter: v.nullable(v.pipe(v.record(v.string(), v.unknown()), v.description(FILTER))),
    search: v.pipe(text, v.description('The search words of a live list.')),
    visibility: Visibility,
    owner_id: v.pipe(v.nullable(Id), v.description('The member who created it, also once the member has been removed.')),
    archived: archivedOut,
    tracks_membership: v.pipe(v.boolean(), v.description(TRACKS), v.examples([false])),
    tracked_since: v.pipe(
      v.nullable(InstantOut),
      v.description('Since when the events of members are written. A live list begins when its first members are known.'),
      v.examples([null]),
    ),
    tracking_error: v.pipe(
      v.nullable(v.string()),
      v.description('Why the events of members are no longer written: the list has too many members, or its filter is no longer valid.'),
      v.examples([null]),
    ),
    ...timestamps,
  }),
)
export type List = v.InferOutput<typeof List>

/** The filters of the list of lists. */
export const listFilters = {
  object: v.optional(Enum(RECORD_PLURALS, 'Only lists of these records.')),
  kind: v.optional(Enum(LIST_KINDS, 'Only lists of this kind.')),
  visibility: v.optional(Enum(LIST_VISIBILITIES, 'Only private or only shared lists.')),
  owner_id: v.optional(describe(Id, 'Only lists of this member.')),
}

export const MEMBERS = { contacts: Contact, companies: Company, opportunities: Opportunity }
const offered = (names: readonly (readonly string[])[]) => [...new Set(names.flat())]
const sorts = offered([...Object.values(SORTS), Object.keys(TIME_SORTS)])

/** The query of a list's members. Which sorts and fields exist depends on the list's object. */
export const membersQuery = v.strictObject({
  ...pageQuery,
  sort: v.optional(
    v.pipe(
      v.string('must be a field'),
      v.description(
        `The sort of the records, as in their search: ${sorts.join(', ')}, or metadata.` +
          '<key> of a custom field; a minus sign reverses the order.',
      ),
      v.examples(['-created_at']),
    ),
    '-created_at',
  ),
  archived: Archived,
  ids: v.optional(queryIds('Only the members with these ids, separated by commas. Other ids are left out.')),
  fields: v.optional(
    queryNames(
      offered(Object.values(MEMBERS).map(({ entries }) => Object.keys(entries))),
      'Only these fields of each record, separated by commas. `id` is always included.',
      (names) => ['id', ...names],
    ),
  ),
  count: v.optional(
    v.pipe(
      QueryBool,
      v.description(
        '`true` adds the number of members to the page: `page.count`, at most 10000. `page.count_exact` is false if there are more.',
      ),
    ),
  ),
})
export type MembersQuery = v.InferOutput<typeof membersQuery>

export const Member: v.GenericSchema = v.union(Object.values(MEMBERS))
export const MemberIds = v.strictObject({ ids: BulkIds(100) })
export const AddedMember = named(
  'ListMemberAdded',
  v.object({ id: Id, added: v.pipe(v.literal(true), v.description('The record is a member now.'), v.examples([true])) }),
)
export const RemovedMember = named(
  'ListMemberRemoved',
  v.object({ id: Id, removed: v.pipe(v.literal(true), v.description('The record is no longer a member.'), v.examples([true])) }),
)
