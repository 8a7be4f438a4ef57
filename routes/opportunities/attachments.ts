import * as v from 'valibot'
import { children } from '../../src/http/children.ts'
import { created, scopes, upload } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { Attachment, DownloadLink } from '../../src/schemas/attachments.ts'
import { Id } from '../../src/schemas/fields.ts'
import { attachments, linkAttachment, uploadAttachment } from '../../src/services/opportunities/attachments.ts'
import { OPPORTUNITY } from '../parents.ts'

const params = v.object({ opportunity_id: Id })
const ofAttachment = v.object({ opportunity_id: Id, attachment_id: Id })

/** The attachments of an opportunity. */
export function registerAttachments(api: Api): void {
  children(api, {
    parent: OPPORTUNITY,
    path: '/attachments',
    name: 'attachment',
    key: 'attachment_id',
    rows: attachments,
    returns: Attachment,
    list: { summary: "List an opportunity's attachments, newest first" },
    get: {},
    remove: {
      summary: "Delete an opportunity's attachment",
      description: 'Its file is kept for 30 days, so that the attachment can be restored. A purge of the opportunity removes it at once.',
    },
  })
  api.post(
    '/:opportunity_id/attachments',
    {
      id: 'uploadOpportunityAttachment',
      summary: 'Upload an attachment to an opportunity',
      description:
        'Send one file of at most 25 MB in the field `file`: pdf, png, jpg, gif, webp, docx, xlsx, pptx, txt, csv, json, eml, mp3 or mp4. The type is detected from the content, and for text from the extension.',
      access: { scopes: ['opportunities:write'], direct: true },
      body: upload(),
      params,
      returns: created(Attachment),
      errors: ['NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE'],
    },
    ({ ctx, params }) => uploadAttachment(ctx, params.opportunity_id),
  )
  api.get(
    '/:opportunity_id/attachments/:attachment_id/download',
    {
      id: 'getOpportunityAttachmentDownload',
      summary: 'Get a download link for an attachment',
      description: 'The link works for 60 seconds and needs no key. Request it when it is needed instead of storing it.',
      access: scopes('opportunities:read'),
      params: ofAttachment,
      returns: DownloadLink,
      errors: ['NOT_FOUND', 'INVALID_STATE'],
    },
    ({ ctx, params }) => linkAttachment(ctx, params.opportunity_id, params.attachment_id),
  )
}
