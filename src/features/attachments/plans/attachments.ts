import { and, eq } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type * as v from 'valibot'
import { companies, contacts, attachments as files, opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { type Children, childrenOf, type Parent } from '../../../data/children.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { assertStays, columnsFor, insertRow, selectFrom } from '../../../data/store.ts'
import { cleanName, FILE_FOLDER, keyOfFile } from '../../../domain/file-names.ts'
import { FILE_TYPES } from '../../../domain/file-types.ts'
import { newId } from '../../../lib/ids.ts'
import { inspectorOf } from '../../files/plans/judge.ts'
import { linkTo } from '../../files/plans/links.ts'
import { assertReserved, release, reserve, whileReserved } from '../../files/plans/storage.ts'
import { Attachment, CompanyAttachment, ContactAttachment, type DownloadLink } from '../../files/schemas/attachments.ts'

/** The files of one kind of record. The event of a deletion removes the stored object after the commit. */
export type Files<File> = {
  rows: Children<File, object, object>
  upload: (ctx: Ctx, recordId: string) => Promise<Plan<File>>
  /** A download URL for the file that is valid for one minute. */
  link: (ctx: Ctx, recordId: string, id: string) => Plan<v.InferOutput<typeof DownloadLink>>
}

function filesOf<S extends v.GenericSchema & { entries: v.ObjectEntries }>(
  parent: Parent,
  column: PgColumn,
  schema: S,
): Files<v.InferOutput<S>> {
  const { table, name: entity } = parent
  const what = `attachment on this ${entity}`
  const fields = columnsFor(files, schema)
  const rows = childrenOf({
    parent,
    what,
    table: files,
    link: column,
    select: (keys) => selectFrom<v.InferOutput<S>>(files, { ...fields, ...keys }),
    sort: '-created_at',
  })

  /**
   * Checks the caller's permission in a separate round trip first, so that no file is read or stored for someone without access. Then it
   * stores the object and after it the row: a crash in between leaves an unreachable object, which the sweep removes.
   */
  async function upload(ctx: Ctx, recordId: string) {
    ctx.files.expect()
    const id = newId()
    const found = db
      .select({ workspace_id: table.workspace_id, free: reserve(ctx, id).as('free') })
      .from(table)
      .where(eq(table.id, recordId))
    const { workspace_id, free } = await ctx.read(oneOrThrow(found, entity, recordId))
    assertReserved(free)
    const stored = await whileReserved(ctx, id, () =>
      ctx.files.receive(
        keyOfFile(workspace_id as string, id),
        inspectorOf(false, async (type) => type),
      ),
    )
    const { name, size, sha256, judged: type } = stored
    const row = { id, [column.name]: recordId, name: cleanName(name, type), content_type: FILE_TYPES[type], size, sha256 }
    return plan([assertStays(table, recordId, entity), insertRow(files, row), release(id)], rows.get(recordId, id).result)
  }

  function link(ctx: Ctx, recordId: string, id: string) {
    const { workspace_id, name, state } = files
    const stored = db
      .select({ workspace_id, id: files.id, name, state })
      .from(files)
      .where(and(eq(files.id, id), eq(column, recordId)))
    return read(mapResult(oneOrThrow(stored, what), (file) => linkTo(ctx, { folder: FILE_FOLDER, ...file })))
  }
  return { rows, upload, link }
}

export const contactFiles = filesOf({ table: contacts, name: 'contact' }, files.contact_id, ContactAttachment)
export const companyFiles = filesOf({ table: companies, name: 'company' }, files.customer_id, CompanyAttachment)
export const opportunityFiles = filesOf({ table: opportunities, name: 'opportunity' }, files.opportunity_id, Attachment)
