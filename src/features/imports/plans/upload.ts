import { eq, sql } from 'drizzle-orm'
import { crmSettings, importFiles, imports } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { Utf8Probe } from '../../../domain/csv/encoding.ts'
import { cleanName, keyOfImport } from '../../../domain/file-names.ts'
import { convertWorkbook } from '../../../domain/xlsx/table.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { Range } from '../../../providers/files/port.ts'
import { describeFile, isArchive } from '../rules/files.ts'
import { formatSettings, recogniseFormat } from '../rules/formats/index.ts'
import { IMPORT_LIMITS, type ImportUsage, refusalOf } from '../rules/limits.ts'
import { unknownContacts } from '../rules/settings.ts'
import { ENDED_STATES } from '../rules/states.ts'
import { automaticMapping, guessDateFormat, guessObject, suggestMapping } from '../rules/suggest.ts'
import { BEST, IMPORT_OBJECTS, type ImportObject } from '../rules/types.ts'
import type { UploadQuery } from '../schemas/import-settings.ts'
import { definitions, definitionsOf, zone } from './definitions.ts'
import { previewOf } from './preview.ts'
import { record } from './records.ts'

/** The workspace's usage of the limits in IMPORT_LIMITS. */
const usage = sql<ImportUsage>`(select json_build_object('imports', count(*), 'unfinished', count(*) filter (where u.is_open),
    'bytes', coalesce(sum(u.stored_size) filter (where u.is_open), 0),
    'failed_lines', coalesce(sum(u.failed), 0))
  from (select f.stored_size, i.state not in (${sql.raw(ENDED_STATES.map((state) => `'${state}'`).join(', '))}) as is_open,
    f.failed + f.skipped as failed from imports i join import_files f on f.import_id = i.id) u)`.as('usage')

const EXTENSIONS = { csv: 'csv', vcard: 'vcf', xlsx: 'xlsx' } as const

/** Replaces a stored workbook by the rows of a sheet. A workbook that is refused is removed. */
async function convert(ctx: Ctx, key: string, { size, sheet }: { size: number; sheet: string | undefined }) {
  const source = { size, read: (range: Range) => ctx.files.read(key, range) }
  try {
    return { type: 'xlsx' as const, ...(await convertWorkbook(source, sheet, (pieces) => ctx.files.replace(key, pieces))) }
  } catch (error) {
    await ctx.files.remove(key).catch(() => {})
    throw error
  }
}

const uploadContext = { workspace_id: crmSettings.workspace_id, definitions, usage, zone }

/**
 * Checks the caller's permission in a separate round trip first. Then it stores the file and after it the rows: a crash in between leaves
 * an unreachable object, which the sweep removes.
 */
export async function uploadImport(ctx: Ctx, query: UploadQuery) {
  ctx.files.expect()
  const {
    workspace_id,
    definitions: all,
    usage,
    zone: here,
  } = await ctx.read(
    oneOrThrow(db.select(uploadContext).from(crmSettings).where(eq(crmSettings.workspace_id, sql`current_workspace()`)), 'workspace'),
  )
  const refusal = refusalOf(usage)
  if (refusal !== undefined) throw new AppError('CONFLICT', refusal, { usage, limits: IMPORT_LIMITS })
  const id = newId()
  const utf8 = new Utf8Probe()
  const key = keyOfImport(workspace_id, id)
  const { name, size, sha256, judged } = await ctx.files.receive(key, {
    add: (chunk) => utf8.add(chunk),
    judge: async (received) => ((await isArchive(received)) ? undefined : describeFile(received, utf8.end())),
  })
  if (judged && query.sheet !== undefined) {
    await ctx.files.remove(key)
    throw invalid([{ path: 'sheet', message: 'Only a workbook (XLSX) has sheets' }])
  }
  const described = judged ? { ...judged, stored_size: size } : await convert(ctx, key, { size, sheet: query.sheet })
  const { total, first, ...file } = described
  const file_name = cleanName(name || query.file_name || 'import', EXTENSIONS[file.type])
  const recognised = recogniseFormat(
    file.columns.map(({ name }) => name),
    file_name,
  )
  const suggestions = Object.fromEntries(
    IMPORT_OBJECTS.map((object) => [object, suggestMapping(object, file.columns, definitionsOf(object, all), recognised)]),
  ) as Record<ImportObject, ReturnType<typeof suggestMapping>>
  const object = query.object ?? recognised?.object ?? guessObject(suggestions)
  const format = recognised?.object === object ? recognised : undefined
  const settings = {
    object,
    mapping: automaticMapping(suggestions[object]),
    match_by: BEST,
    unknown_contacts: unknownContacts(object),
    date_format: guessDateFormat(file.columns.flatMap(({ samples }) => samples)),
    ...formatSettings(format, file.columns),
  }
  const own = definitionsOf(object, all)
  const previewed = await previewOf(ctx, { ...settings, country: null, clear_empty: false }, { ...file, definitions: own, zone: here })
  return plan(
    [
      db.insert(imports).values({ id, file_name, size, sha256, mode: 'upsert', ...settings }),
      db.insert(importFiles).values({
        ...file,
        import_id: id,
        format: format?.name ?? null,
        previewed,
        suggestions,
        total,
        first_byte: first.byte,
        first_line: first.line,
        next_byte: first.byte,
        next_line: first.line,
      }),
    ],
    record(id),
  )
}
