import { Hono } from 'hono'
import * as v from 'valibot'
import { imports } from '../schema/index.ts'
import type { PageQuery } from '../src/data/page.ts'
import { cancelImport, changeImport, startImport } from '../src/features/imports/plans/changes.ts'
import { deleteImport, getImport, listImports, listRows } from '../src/features/imports/plans/records.ts'
import { failedLines, followImport } from '../src/features/imports/plans/streams.ts'
import { uploadImport } from '../src/features/imports/plans/upload.ts'
import { importFilters, RowQuery } from '../src/features/imports/schemas/import-lists.ts'
import { ImportSettings, UploadQuery } from '../src/features/imports/schemas/import-settings.ts'
import { Import, ImportRecord, ImportRow } from '../src/features/imports/schemas/imports.ts'
import { listQuery } from '../src/http/lists.ts'
import { created, listOf, scopes, stream, upload } from '../src/http/modes.ts'
import { history } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Deleted } from '../src/schemas/common.ts'
import { Id } from '../src/schemas/fields.ts'
import { CRM } from './paths.ts'

export const importsRouter = new Hono<App>()
export const importsApi = endpoints(importsRouter, { path: CRM.imports, tag: 'Imports' })

const params = v.object({ import_id: Id })
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** A workbook with macros, which are ignored. */
const XLSM = 'application/vnd.ms-excel.sheet.macroEnabled.12'
const UNREADABLE = 'for a key without the read scope of the object, such as `contacts:read`'
const changes = ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE', 'PRECONDITION_FAILED'] as const

importsApi.get(
  '',
  {
    id: 'listImports',
    summary: 'List imports',
    access: scopes('imports:read'),
    query: listQuery(imports, importFilters, ['created_at', 'updated_at']),
    returns: listOf(Import, { table: imports, entity: 'import' }),
  },
  ({ query }) => listImports(query as PageQuery),
)
importsApi.post(
  '',
  {
    id: 'createImport',
    summary: 'Upload a file to import',
    description:
      'Send a CSV file, a workbook (XLSX) or a vCard file of at most 25 MB and 250,000 lines or cards, as a form or as the body with ' +
      'its own type. Of a workbook, one sheet is imported, with the stored results of its formulas; a value in merged cells applies to ' +
      'each of their rows. A workbook has at most 16 MB of different texts. The encoding (UTF-8, UTF-16 or Windows-1252), ' +
      'the delimiter (comma, semicolon, tab or vertical bar) and the header line of a CSV file are detected, and the default exports ' +
      'of HubSpot, Salesforce, Pipedrive, Zoho CRM, Attio, HighLevel, Mailchimp, Google Contacts and Outlook are recognised. ' +
      'Nothing is imported yet: review the columns, the mapping and the preview, update the settings if necessary, then check or start ' +
      'the import. The file is stored until the import has finished. A workspace has at most 1,000 imports, at most 50 unfinished ones ' +
      'with files of 500 MB in total, and at most 500,000 failed and skipped lines. ' +
      'Beyond these limits, the upload is refused with 409.',
    access: { scopes: ['imports:write'], direct: true },
    body: upload('text/csv', 'text/vcard', XLSX, XLSM),
    query: UploadQuery,
    returns: created(ImportRecord),
    errors: ['CONFLICT'],
  },
  ({ ctx, query }) => uploadImport(ctx, query),
)
importsApi.get(
  '/:import_id',
  {
    id: 'getImport',
    summary: 'Get an import with its progress',
    description: `The samples of columns and the preview are empty ${UNREADABLE}.`,
    access: scopes('imports:read'),
    params,
    returns: ImportRecord,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getImport(params.import_id),
)
importsApi.patch(
  '/:import_id',
  {
    id: 'updateImport',
    summary: 'Update an import',
    description:
      'Possible until the import is started. Deletes the results of an earlier check. Changing the object requires the read scope of ' +
      'the present one, such as `contacts:read`.',
    access: scopes('imports:write'),
    params,
    body: ImportSettings,
    returns: ImportRecord,
    errors: [...changes],
  },
  ({ ctx, params, body }) => changeImport(ctx, params.import_id, body),
)
importsApi.delete(
  '/:import_id',
  {
    id: 'deleteImport',
    summary: 'Delete an import and its file',
    description: 'The imported records are kept, but the import can no longer be undone. A running import must be cancelled first.',
    access: scopes('imports:delete'),
    params,
    returns: Deleted,
    errors: [...changes],
  },
  ({ ctx, params }) => deleteImport(ctx, params.import_id),
)
importsApi.post(
  '/:import_id/check',
  {
    id: 'checkImport',
    summary: 'Check an import without writing',
    description:
      'Processes each line as the import would, without writing, and reports the result in the rows. ' +
      'A line that depends on one more than a few hundred lines earlier is checked as if that one did not exist. ' +
      'Also needs the write scope of the object, such as `contacts:write`.',
    access: scopes('imports:write'),
    params,
    returns: ImportRecord,
    errors: [...changes],
  },
  ({ ctx, params }) => startImport(ctx, params.import_id, 'check'),
)
importsApi.post(
  '/:import_id/start',
  {
    id: 'startImport',
    summary: 'Start an import',
    description:
      'Refused while a column that seems to say who must not be contacted is neither mapped nor in ignored_columns. ' +
      'An import that failed or was cancelled resumes after its last committed batch. The import runs with the authority of this key, ' +
      'and stops when the key is revoked or loses a scope. The history lists every change with the import’s id as request_id, ' +
      'and an event `import.finished` or `import.failed` follows. As with every write, reasons that are not in the workspace’s list ' +
      'are not saved. If the file was imported before, a warning says so. Also needs the write scope of the object, ' +
      'such as `contacts:write`, and those of the records that the settings let the import create.',
    access: scopes('imports:write'),
    params,
    returns: ImportRecord,
    errors: [...changes],
  },
  ({ ctx, params }) => startImport(ctx, params.import_id, 'run'),
)
importsApi.post(
  '/:import_id/cancel',
  {
    id: 'cancelImport',
    summary: 'Cancel an import',
    description: 'Records that were already imported are kept.',
    access: scopes('imports:write'),
    params,
    returns: ImportRecord,
    errors: [...changes],
  },
  ({ ctx, params }) => cancelImport(ctx, params.import_id),
)
importsApi.post(
  '/:import_id/undo',
  {
    id: 'undoImport',
    summary: 'Undo an import',
    description:
      'Deletes the records that the import created and restores those that it updated. ' +
      'Records that were changed or used since the import are kept, and reported in the rows. ' +
      'Also needs the write and delete scopes of the object.',
    access: scopes('imports:write'),
    params,
    returns: ImportRecord,
    errors: [...changes],
  },
  ({ ctx, params }) => startImport(ctx, params.import_id, 'undo'),
)
importsApi.get(
  '/:import_id/rows',
  {
    id: 'listImportRows',
    summary: 'List import rows',
    description: `Cells and messages are omitted ${UNREADABLE}.`,
    access: scopes('imports:read'),
    params,
    query: RowQuery,
    returns: listOf(ImportRow),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listRows(params.import_id, query),
)
importsApi.get(
  '/:import_id/failed',
  {
    id: 'downloadFailedImportRows',
    summary: "Download an import's failed rows as CSV",
    description:
      'The file has the line number and the error in front of the original columns. Correct the rows and import the file again. ' +
      'Requires the read scope of the object too, such as `contacts:read`.',
    access: scopes('imports:read'),
    params,
    returns: stream(['text/csv'], v.string()),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => failedLines(ctx, params.import_id),
)
importsApi.get(
  '/:import_id/events',
  {
    id: 'followImport',
    summary: "Follow an import's progress",
    description:
      'Sends `progress` events (server-sent events) with the state and the counts until the import is no longer running. ' +
      'A key can follow at most three imports at a time; a further call is refused with 429 and Retry-After.',
    access: scopes('imports:read'),
    params,
    returns: stream(['text/event-stream'], v.string()),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => followImport(ctx, params.import_id),
)
history(importsApi, '/:import_id/history', { entity: 'import', table: imports, param: 'import_id', scopes: ['imports:read'] })
