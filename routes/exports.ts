import type * as v from 'valibot'
import type { OwnedTable } from '../src/data/store.ts'
import type { Listed } from '../src/features/exports/plans/exportable.ts'
import { exportList, exportListed, exportRecords, exportWork } from '../src/features/exports/plans/exports.ts'
import { type Exported, ExportFile, type ExportManner, exportBody, exportQuery, searchOf } from '../src/features/exports/schemas/exports.ts'
import { IMPORTED } from '../src/features/imports/rules/types.ts'
import { listQuery } from '../src/http/lists.ts'
import { scopes, stream } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal } from '../src/lib/nouns.ts'
import { type Searched, SORTS, TIME_SORTS } from '../src/schemas/search.ts'

const description =
  'Returns CSV in UTF-8, or JSON lines. Referenced records are written as names, email addresses or external ids, and lists as values ' +
  'separated by semicolons. The file can be imported unchanged. Text that begins with =, +, -, @, a tab or a line break gets a leading ' +
  'apostrophe, so that spreadsheets do not evaluate it; numbers and phone numbers such as +61412345678 do not. ' +
  'An export has at most 250,000 rows. If more rows match, the response has the header `X-Truncated: 1`.'
const MORE: Partial<Record<Exported, string>> = {
  supplier_catalog_entries: ' Without the scope that reads it, a supplier is written as its id.',
  opportunities:
    ' The column contact has the people, the primary one first, and line_items a list of the line items as JSON. ' +
    'Without the scope that reads it, a person or a product is written as its id.',
  tasks: ' Without the scope that reads it, a linked record is written as its id. A completed task has no recurrence.',
  activities:
    ' Notes are activities: `activity_type=note` exports them alone. Without the scope that reads it, a linked record is written as ' +
    'its id. An import creates calls, meetings and notes; of messages that were sent or received it reports each line, ' +
    'unless `replacements` make them another type.',
}

type Request = ExportManner & Record<string, unknown>
type Ctx = Parameters<typeof exportListed>[0]
type Exports = (ctx: Ctx, request: Request) => ReturnType<typeof exportListed> | ReturnType<typeof exportRecords>

/** Registers the two exports of an object. Call it before the paths with an id are registered. */
function register(
  api: Api,
  object: Exported,
  list: { query: { entries: v.ObjectEntries }; plan: Exports },
  search: { body: { entries: v.ObjectEntries }; plan: Exports },
) {
  const named = object.replaceAll('_', ' ')
  const streams = ['text/csv', 'application/x-ndjson']
  const shared = {
    description: description + (MORE[object] ?? ''),
    access: scopes(`${IMPORTED[object].scope}:read`),
    returns: stream(streams, ExportFile),
  }
  api.get(
    '/export',
    { ...shared, id: `export${pascal(object)}`, summary: `Export ${named}`, query: exportQuery(list.query) },
    ({ ctx, query }) => list.plan(ctx, query as Request),
  )
  api.post(
    '/export',
    {
      ...shared,
      id: `exportFiltered${pascal(object)}`,
      summary: `Export ${named} by a filter`,
      effect: 'read',
      body: exportBody(search.body),
    },
    ({ ctx, body }) => search.plan(ctx, body as Request),
  )
}

/** The exports of contacts, companies or opportunities: one with the filters of the list, one with those of the search. */
export function registerExports(api: Api, object: Searched, table: OwnedTable, filters: v.ObjectEntries) {
  register(
    api,
    object,
    {
      query: listQuery(table, filters, [...SORTS[object], ...Object.keys(TIME_SORTS)]),
      plan: (ctx, query) => exportList(ctx, object, table, filters, query as Parameters<typeof exportList>[4]),
    },
    { body: searchOf(object), plan: (ctx, body) => exportRecords(ctx, object, body as Parameters<typeof exportRecords>[2]) },
  )
}

/**
 * The exports of products, catalogue entries, tasks or activities. The first two have no search: both of theirs have the filters of the
 * list.
 */
export function registerListExports(api: Api, object: Listed, query: { entries: v.ObjectEntries }) {
  const ofList: Exports = (ctx, query) => exportListed(ctx, object, query)
  register(
    api,
    object,
    { query, plan: ofList },
    object === 'products' || object === 'supplier_catalog_entries'
      ? { body: query, plan: ofList }
      : { body: searchOf(object), plan: (ctx, body) => exportWork(ctx, object, body as Parameters<typeof exportWork>[2]) },
  )
}
