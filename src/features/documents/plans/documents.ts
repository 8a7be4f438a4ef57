import { eq, sql } from 'drizzle-orm'
import { companies, contacts, documents, files, opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { insertEach, type Reference, refersTo, thereIs } from '../../../data/bulk.ts'
import { db } from '../../../data/db.ts'
import { read } from '../../../data/plan.ts'
import { mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { STORED_FOLDER } from '../../../domain/file-names.ts'
import { MAX_FOLDERS } from '../../../domain/files.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { linkTo } from '../../files/plans/links.ts'
import { bulkDelete, bulkTable, bulkWrite } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { Document, DocumentPatchWithId, NewDocument } from '../schemas/documents.ts'

/** A document is confidential, so its file is not a public image. */
export const documentReferences: Reference[] = [
  {
    field: 'file_id',
    condition: sql`(r.file_id is null or ${thereIs(sql`${files} t where t.id = r.file_id and t.type <> 'image'`)})`,
    message: 'must be the id of a file of the type document or secure in this workspace: upload it with POST /files',
  },
]

const bulk = bulkTable({
  table: documents,
  entity: 'document',
  what: 'document',
  fields: columnsFor(documents, Document),
  references: [
    ...documentReferences,
    refersTo('contact_id', contacts),
    refersTo('customer_id', companies),
    refersTo('opportunity_id', opportunities),
  ],
})

/** Adds up to 100 documents. */
export function createDocuments(records: unknown[]) {
  const validated = validateEach(NewDocument, records, (input) => ({ ...input, id: newId() }))
  return bulkWrite(bulk, validated, insertEach(documents, valuesOf(validated), bulk.references))
}

/** Changes up to 100 documents, each with its own fields, such as their folder. */
export const updateDocuments = (records: unknown[]) =>
  bulkWrite(
    ...updatesOf(
      bulk,
      validateEach(DocumentPatchWithId, records, (patch) => patch),
    ),
  )

export const deleteDocuments = (ids: string[]) => bulkDelete(bulk, ids)

/** The names of the folders, each found by one step through the index, however many documents it has. */
export const listFolders = () =>
  read(
    mapResult(
      plainRows<{ name: string }>(
        sql`with recursive names as (
            (select folder, 1 as n from documents where folder is not null order by folder limit 1)
            union all select (select d.folder from documents d where d.folder > names.folder order by d.folder limit 1), n + 1
              from names where names.folder is not null and n < ${MAX_FOLDERS}::int)
          select folder from names where folder is not null order by 1`,
        ['name'],
      ),
      (found) => found.map(({ name }) => name),
    ),
  )

/** @throws INVALID_STATE for a document without a file, and for a file that was lost */
export function linkToDocument(ctx: Ctx, id: string) {
  const { workspace_id, name, state } = files
  const found = db
    .select({ file_id: documents.file_id, workspace_id: documents.workspace_id, name, state, owner: workspace_id })
    .from(documents)
    .leftJoin(files, eq(files.id, documents.file_id))
    .where(eq(documents.id, id))
  return read(
    mapResult(oneOrThrow(found, 'document', id), ({ file_id, name, state, owner }) => {
      if (file_id === null || name === null || state === null || owner === null)
        throw new AppError('INVALID_STATE', 'The document has no file: set its file_id', { state: 'without_file', allowed: ['with_file'] })
      return linkTo(ctx, { folder: STORED_FOLDER, workspace_id: owner, id: file_id, name, state })
    }),
  )
}
