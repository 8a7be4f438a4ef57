import { Hono } from 'hono'
import * as v from 'valibot'
import { files } from '../../schema/index.ts'
import { FILE_KINDS } from '../../src/domain/files.ts'
import {
  deleteFile,
  fileFields,
  getFile,
  linkToFile,
  listFiles,
  setFilesUrl,
  updateFile,
  uploadFile,
} from '../../src/features/files/plans/files.ts'
import { DownloadLink } from '../../src/features/files/schemas/attachments.ts'
import { FilePatch, fileFilters, StoredFile } from '../../src/features/files/schemas/files.ts'
import { created, scopes, uploadWith } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { DOCUMENTS } from '../paths.ts'

export const filesRouter = new Hono<App>()
export const filesApi = endpoints(filesRouter, { path: DOCUMENTS.files, tag: 'Files' })

resource(filesApi, {
  name: 'file',
  plural: 'files',
  table: files,
  returns: StoredFile,
  computed: fileFields,
  before: setFilesUrl,
  list: {
    description:
      'Lists the files of the workspace, and as `secure` those of contacts, companies, opportunities and received messages ' +
      'that the caller may read.',
    filters: fileFilters,
    plan: listFiles,
  },
  get: { plan: getFile },
  update: { summary: 'Rename a file', description: 'Files of records and messages keep their names.', body: FilePatch, plan: updateFile },
  remove: {
    plan: deleteFile,
    description:
      'A file that a document, a section of a template or a message uses is CONFLICT: details name where. ' +
      'An attachment also needs the right to delete what is attached to its record, and is restored there. ' +
      'An image is no longer public at once; the file is kept for 30 days, so that it can be restored.',
  },
  history: true,
})
filesApi.post(
  '',
  {
    id: 'uploadFile',
    summary: 'Upload a file',
    description:
      'Send one file of at most 25 MB in the field `file`, and its type in the field `type`. A `document` is a PDF. ' +
      'An `image` is a PNG, JPEG or WebP of at most 10 MB and 50 megapixels; it is written anew without location data and is public at ' +
      'its `url`. A `secure` file, the default, is a pdf, png, jpg, gif, webp, docx, xlsx, pptx, txt, csv, json, eml, mp3 or mp4. ' +
      'The format is detected from the content. Files with macros, with other files attached to their end, or that unpack to far more ' +
      'than their size are refused. The files of a workspace may have 10 GB together.',
    access: { ...scopes('files:write'), direct: true },
    body: uploadWith({
      type: { description: 'The type of the file; `secure` by default.', values: FILE_KINDS, required: false },
    }),
    returns: created(StoredFile),
    errors: ['UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
  },
  ({ ctx }) => uploadFile(ctx),
)
filesApi.get(
  '/:file_id/download',
  {
    id: 'getFileDownload',
    summary: 'Get a download link for a file',
    description: 'The link works for 60 seconds and needs no key. Request it when it is needed instead of storing it.',
    access: scopes('files:read'),
    params: v.object({ file_id: Id }),
    returns: DownloadLink,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params }) => linkToFile(ctx, params.file_id),
)
