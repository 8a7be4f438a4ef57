import * as v from 'valibot'
import { FILE_STATES } from '../../../domain/file-names.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { Id, InstantOut } from '../../../schemas/fields.ts'

const fileFields = {
  name: v.pipe(v.string(), v.description('The file name, cleaned, with an extension that matches the content.'), v.examples(['quote.pdf'])),
  content_type: v.pipe(
    v.string(),
    v.description('The media type detected from the content, whatever the upload declared.'),
    v.examples(['application/pdf']),
  ),
  size: v.pipe(v.number(), v.integer(), v.description('The size in bytes.')),
  sha256: v.pipe(v.string(), v.description('The SHA-256 digest of the file, in hexadecimal.')),
  state: v.pipe(v.picklist(FILE_STATES), v.description('The state of the file in storage. `missing`: it was lost.')),
  uploaded_by: v.nullable(Id),
  ...timestamps,
}

/** A file of an opportunity, of a contact, and of a company. */
export const Attachment = named('Attachment', v.object({ id: Id, opportunity_id: Id, ...fileFields }))
export const ContactAttachment = named('ContactAttachment', v.object({ id: Id, contact_id: Id, ...fileFields }))
export const CompanyAttachment = named('CompanyAttachment', v.object({ id: Id, customer_id: Id, ...fileFields }))

export const DownloadLink = named(
  'DownloadLink',
  v.object({
    url: v.pipe(v.string(), v.metadata({ format: 'uri' }), v.description('Returns the file to anyone who has this URL; no key is needed.')),
    expires_at: v.pipe(InstantOut, v.description('When the URL stops working: at most 60 seconds from now.')),
  }),
)
