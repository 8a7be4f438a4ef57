import { eq, sql } from 'drizzle-orm'
import { crmSettings, importFiles, imports } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { one } from '../../data/answer.ts'
import { db } from '../../data/db.ts'
import { work } from '../../data/work.ts'
import { describeCsv } from '../../domain/csv/describe.ts'
import { cleanName, keyOfImport } from '../../domain/file-names.ts'
import { guessDateFormat, guessObject, SURE, suggestMapping } from '../../domain/imports/suggest.ts'
import { type Definition, IMPORT_OBJECTS, type ImportObject } from '../../domain/imports/types.ts'
import { newId } from '../../lib/ids.ts'
import type { UploadQuery } from '../../shapes/imports.ts'
import { record } from './records.ts'

type Known = { workspace_id: string; definitions: (Definition & { object: ImportObject })[] }

const known = {
  workspace_id: crmSettings.workspace_id,
  definitions: sql<
    Known['definitions']
  >`(select coalesce(json_agg(json_build_object('object', case f.object when 'company' then 'companies' when 'opportunity' then 'opportunities' else 'contacts' end,
    'key', f.field_key, 'label', f.label, 'type', f.type, 'options', f.options) order by f.position, f.id), '[]') from custom_fields f where not f.archived and f.object <> 'product')`.as(
    'definitions',
  ),
}

/**
 * Whether the caller may is asked first, in a round trip of its own. Then the file, then its rows: a crash between the two leaves an object
 * that nobody can reach, and the sweep removes it.
 */
export async function uploadImport(ctx: Ctx, query: UploadQuery) {
  ctx.files.expect()
  const { workspace_id, definitions } = await ctx.read(
    one(db.select(known).from(crmSettings).where(eq(crmSettings.workspace_id, sql`current_workspace()`)), 'workspace'),
  )
  const { name, bytes, sha256 } = await ctx.files.receive()
  const { total, first, ...file } = await describeCsv(bytes)
  const suggestions = Object.fromEntries(
    IMPORT_OBJECTS.map((object) => [
      object,
      suggestMapping(
        object,
        file.columns,
        definitions.filter((field) => field.object === object),
      ),
    ]),
  ) as Record<ImportObject, ReturnType<typeof suggestMapping>>
  const object = query.object ?? guessObject(suggestions)
  const id = newId()
  await ctx.files.put(keyOfImport(workspace_id, id), bytes, { content_type: 'text/csv', sha256 })
  return work(
    [
      db.insert(imports).values({
        id,
        object,
        file_name: cleanName(name || query.file_name || 'import', 'csv'),
        size: bytes.length,
        sha256,
        mapping: suggestions[object].filter(({ confidence }) => confidence >= SURE).map(({ column, field }) => ({ column, field })),
        date_format: guessDateFormat(file.columns.flatMap(({ samples }) => samples)),
      }),
      db.insert(importFiles).values({
        ...file,
        import_id: id,
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
