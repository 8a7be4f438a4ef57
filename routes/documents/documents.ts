import { Hono } from 'hono'
import * as v from 'valibot'
import { documents } from '../../schema/index.ts'
import {
  createDocuments,
  deleteDocuments,
  documentReferences,
  linkToDocument,
  listFolders,
  updateDocuments,
} from '../../src/features/documents/plans/documents.ts'
import {
  DOCUMENT_SORTS,
  Document,
  DocumentPatch,
  DocumentPatchWithId,
  documentFilters,
  Folders,
  NewDocument,
} from '../../src/features/documents/schemas/documents.ts'
import { DownloadLink } from '../../src/features/files/schemas/attachments.ts'
import { bulk } from '../../src/http/bulk.ts'
import { scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { DOCUMENTS } from '../paths.ts'

export const documentsRouter = new Hono<App>()
export const documentsApi = endpoints(documentsRouter, { path: DOCUMENTS.documents, tag: 'Documents' })

documentsApi.get(
  '/folders',
  {
    id: 'listDocumentFolders',
    summary: 'List the folders of documents',
    access: scopes('documents:read'),
    returns: Folders,
  },
  () => listFolders(),
)
resource(documentsApi, {
  name: 'document',
  plural: 'documents',
  table: documents,
  returns: Document,
  references: documentReferences,
  list: { filters: documentFilters, sorts: DOCUMENT_SORTS },
  get: {},
  create: {
    description: 'The file is uploaded first, with POST /files. The same file can belong to several documents.',
    body: NewDocument,
    errors: [],
  },
  update: { body: DocumentPatch, errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  remove: { action: 'write', description: 'Its file stays.', errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})
bulk(documentsApi, {
  plural: 'documents',
  returns: Document,
  create: { body: NewDocument, plan: (_ctx, records) => createDocuments(records) },
  update: { body: DocumentPatchWithId, plan: (_ctx, records) => updateDocuments(records) },
  remove: { action: 'write', description: 'Their files stay.', plan: deleteDocuments },
})
documentsApi.get(
  '/:document_id/download',
  {
    id: 'getDocumentDownload',
    summary: 'Get a download link for a document',
    description: 'The link works for 60 seconds and needs no key. Browsers save the file and do not show it.',
    access: scopes('documents:read'),
    params: v.object({ document_id: Id }),
    returns: DownloadLink,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params }) => linkToDocument(ctx, params.document_id),
)
