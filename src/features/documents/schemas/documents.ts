import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, Name, optional, SingleLine } from '../../../schemas/fields.ts'

const Folder = SingleLine(120)
const Type = SingleLine(60)

export const documentFilters = {
  folder: v.optional(describe(Folder, 'Only documents in this folder.', 'Contracts')),
  document_type: v.optional(describe(Type, 'Only documents of this type.', 'contract')),
  file_id: v.optional(Id),
  contact_id: v.optional(Id),
  customer_id: v.optional(Id),
  opportunity_id: v.optional(Id),
}
export const DOCUMENT_SORTS = ['created_at', 'updated_at', 'name']

/** The writable fields. */
export const documentFields = {
  name: describe(Name(200), 'What the document is called.', 'Master services agreement'),
  folder: optional(describe(Folder, 'The folder, as free text. Null: in none.', 'Contracts')),
  document_type: optional(describe(Type, 'What kind of document it is, as free text.', 'contract')),
  file_id: optional(describe(Id, 'Its file, of the type document or secure. It can follow later.')),
  contact_id: optional(describe(Id, 'The contact that it is about.')),
  customer_id: optional(describe(Id, 'The company that it is about.')),
  opportunity_id: optional(describe(Id, 'The opportunity that it is about.')),
}

export const NewDocument = v.strictObject(documentFields)
export const DocumentPatch = v.partial(NewDocument)
export const DocumentPatchWithId = v.strictObject({ id: Id, ...DocumentPatch.entries })

export const Document = named(
  'Document',
  v.object({
    id: Id,
    name: v.string(),
    folder: v.nullable(v.string()),
    document_type: v.nullable(v.string()),
    file_id: v.nullable(Id),
    contact_id: v.nullable(Id),
    customer_id: v.nullable(Id),
    opportunity_id: v.nullable(Id),
    ...timestamps,
  }),
)

export const Folders = v.pipe(
  v.array(v.string()),
  v.description('The names of the folders that have documents, in alphabetical order; at most 1,000.'),
  v.examples([['Contracts', 'Offers']]),
)
