import * as v from 'valibot'
import { FILE_STATES } from '../../../domain/file-names.ts'
import { FILE_KINDS, IMAGE_WIDTHS } from '../../../domain/files.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { Enum, Id, Name } from '../../../schemas/fields.ts'
import { describe } from '../../../schemas/pipes.ts'

const KINDS =
  '`document`: a PDF. `image`: a PNG, JPEG or WebP, public at its `url`. `secure`: any other file, such as those of records ' +
  'and of received messages.'

/** What a file can belong to. */
export const FILE_RECORDS = ['contact', 'company', 'opportunity', 'email_message', 'sms_message', 'whatsapp_message'] as const

export const fileFilters = { type: v.optional(describe(Enum(FILE_KINDS), KINDS, 'document')) }

export const FilePatch = v.strictObject({
  name: v.optional(describe(Name(150), 'The new name. The extension follows the type of the file.', 'offer.pdf')),
})
export type FilePatch = v.InferOutput<typeof FilePatch>

export const StoredFile = named(
  'File',
  v.object({
    id: Id,
    type: v.pipe(v.picklist(FILE_KINDS), v.description(KINDS), v.examples(['document'])),
    name: v.pipe(v.string(), v.description('The file name, cleaned, with an extension that fits the content.'), v.examples(['offer.pdf'])),
    content_type: v.pipe(v.string(), v.description('The media type that the content has.'), v.examples(['application/pdf'])),
    size: v.pipe(v.number(), v.integer(), v.description('The size in bytes.')),
    sha256: v.pipe(
      v.nullable(v.string()),
      v.description('The SHA-256 digest of the stored file, in hexadecimal; null for one that came with a message.'),
    ),
    width: v.pipe(v.nullable(v.number()), v.description('The width of an image in pixels.')),
    height: v.pipe(v.nullable(v.number()), v.description('The height of an image in pixels.')),
    url: v.pipe(
      v.nullable(v.string()),
      v.description(
        `The public address of an image; null for other files. /${IMAGE_WIDTHS.join(', /')} after it gives a WebP of at ` +
          'most so many pixels in width.',
      ),
      v.examples([null]),
    ),
    state: v.pipe(v.picklist(FILE_STATES), v.description('The state of the file in storage. `missing`: it was lost.')),
    uploaded_by: v.nullable(Id),
    record_type: v.pipe(
      v.nullable(v.picklist(FILE_RECORDS)),
      v.description('The kind of record or received message that the file belongs to; null for a file of the workspace.'),
      v.examples([null]),
    ),
    record_id: v.pipe(v.nullable(v.string()), v.metadata({ format: 'uuid' }), v.description('That record or message.'), v.examples([null])),
    ...timestamps,
  }),
)
export type StoredFile = v.InferOutput<typeof StoredFile>
