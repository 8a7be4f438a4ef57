import type * as v from 'valibot'
import type { OwnedTable } from '../src/data/store.ts'
import { listQuery } from '../src/http/lists.ts'
import type { Scope } from '../src/http/modes.ts'
import { stream } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal } from '../src/lib/nouns.ts'
import { ExportFile, type ExportManner, exportBody, exportQuery } from '../src/schemas/exports.ts'
import { type SearchBody, type Searched, SORTS } from '../src/schemas/search.ts'
import { exportList, exportRecords } from '../src/services/exports/exports.ts'

const description =
  'CSV in UTF-8, or JSON lines. Referenced records are written by name or email address, and lists of values with semicolons between them. An import accepts the file unchanged. A text that begins with =, +, -, @, a tab or a line break is preceded by an apostrophe, so that no spreadsheet evaluates it; numbers and phone numbers such as +61412345678 are not. At most 250,000 rows: `X-Truncated: 1` reports that there are more.'

type ExportRequest = ExportManner & Omit<SearchBody, 'limit' | 'after'>

/** Two ways to export an object's records: by the filters of their list, and by those of their search. */
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
      query: exportQuery(listQuery(table, filters, [...SORTS[object]])),
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
