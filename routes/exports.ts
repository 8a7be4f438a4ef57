import type * as v from 'valibot'
import type { OwnedTable } from '../src/data/store.ts'
import { listQuery } from '../src/http/lists.ts'
import type { Scope } from '../src/http/modes.ts'
import { stream } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal } from '../src/lib/nouns.ts'
import { ExportFile, type ExportManner, exportBody, exportQuery } from '../src/schemas/exports.ts'
import { type SearchBody, type Searched, SORTS, TIME_SORTS } from '../src/schemas/search.ts'
import { exportList, exportRecords } from '../src/services/exports/exports.ts'

const description =
  'Returns CSV in UTF-8, or JSON lines. Referenced records are written as names or email addresses, and lists as values separated by semicolons. The file can be imported unchanged. Text that begins with =, +, -, @, a tab or a line break gets a leading apostrophe, so that spreadsheets do not evaluate it; numbers and phone numbers such as +61412345678 do not. An export has at most 250,000 rows. If more rows match, the response has the header `X-Truncated: 1`.'

type ExportRequest = ExportManner & Omit<SearchBody, 'limit' | 'after'>

/** Registers two exports of an object's records: one with the filters of the list, one with those of the search. */
export function registerExports(api: Api, object: Searched, table: OwnedTable, filters: v.ObjectEntries) {
  const scopes: Scope[] = [`${object}:read`]
  const streams = ['text/csv', 'application/x-ndjson']
  api.get(
    '/export',
    {
      id: `export${pascal(object)}`,
      summary: `Export ${object}`,
      description,
      access: { scopes },
      query: exportQuery(listQuery(table, filters, [...SORTS[object], ...Object.keys(TIME_SORTS)])),
      returns: stream(streams, ExportFile),
    },
    ({ ctx, query }) => exportList(ctx, object, table, filters, query as ExportRequest),
  )
  api.post(
    '/export',
    {
      id: `exportFiltered${pascal(object)}`,
      summary: `Export ${object} by a filter`,
      description,
      access: { scopes },
      effect: 'read',
      body: exportBody(object),
      returns: stream(streams, ExportFile),
    },
    ({ ctx, body }) => exportRecords(ctx, object, body as ExportRequest),
  )
}
