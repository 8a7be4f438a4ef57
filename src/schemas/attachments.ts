import * as v from 'valibot'
import { FILE_STATES } from '../domain/file-names.ts'
import { named, timestamps } from './common.ts'
import { Id, InstantOut } from './fields.ts'

export const Attachment = named(
  'Attachment',
  v.object({
    id: Id,
    opportunity_id: Id,
    name: v.pipe(v.string(), v.description('Cleaned, with an extension that fits.'), v.examples(['quote.pdf'])),
    content_type: v.pipe(v.string(), v.description('What the bytes are, whatever the upload said.'), v.examples(['application/pdf'])),
    size: v.pipe(v.number(), v.integer(), v.description('In bytes.')),
    sha256: v.pipe(v.string(), v.description('In hexadecimal.')),
    state: v.pipe(v.picklist(FILE_STATES), v.description('`missing`: the file was lost in storage.')),
    uploaded_by: v.nullable(Id),
    ...timestamps,
  }),
)

export const DownloadLink = named(
  'DownloadLink',
  v.object({
    url: v.pipe(v.string(), v.metadata({ format: 'uri' }), v.description('Answers the file to whoever has it; no key is needed.')),
    expires_at: v.pipe(InstantOut, v.description('At most 60 seconds from now.')),
  }),
)
