import * as v from 'valibot'
import { created, listOf, scopes, upload } from '../src/http/modes.ts'
import { Attachment, DownloadLink } from '../src/schemas/attachments.ts'
import { Deleted } from '../src/schemas/common.ts'
import { Id, pageQuery } from '../src/schemas/fields.ts'
import {
  getAttachment,
  linkAttachment,
  listAttachments,
  removeAttachment,
  uploadAttachment,
} from '../src/services/opportunities/attachments.ts'
import { opportunitiesApi as api } from './opportunities.ts'

const params = v.object({ opportunity_id: Id })
const ofAttachment = v.object({ opportunity_id: Id, attachment_id: Id })

api.get(
  '/:opportunity_id/attachments',
  {
    id: 'listOpportunityAttachments',
    summary: "List an opportunity's attachments, newest first",
    access: scopes('opportunities:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(Attachment),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listAttachments(params.opportunity_id, query),
)
api.post(
  '/:opportunity_id/attachments',
  {
    id: 'uploadOpportunityAttachment',
    summary: 'Upload an attachment to an opportunity',
    description:
      'One file of at most 25 MB, in the field `file`: pdf, png, jpg, gif, webp, docx, xlsx, pptx, txt, csv, json, eml, mp3 or mp4. The bytes tell its type; of text the extension does.',
    access: { scopes: ['opportunities:write'], direct: true },
    body: upload(),
    params,
    returns: created(Attachment),
    errors: ['NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE'],
  },
  ({ ctx, params }) => uploadAttachment(ctx, params.opportunity_id),
)
api.get(
  '/:opportunity_id/attachments/:attachment_id',
  {
    id: 'getOpportunityAttachment',
    summary: "Get an opportunity's attachment",
    access: scopes('opportunities:read'),
    params: ofAttachment,
    returns: Attachment,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getAttachment(params.opportunity_id, params.attachment_id),
)
api.get(
  '/:opportunity_id/attachments/:attachment_id/download',
  {
    id: 'getOpportunityAttachmentDownload',
    summary: 'Get a download link for an attachment',
    description: 'It is good for 60 seconds, without a key. Ask for it when it is needed; do not keep it.',
    access: scopes('opportunities:read'),
    params: ofAttachment,
    returns: DownloadLink,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params }) => linkAttachment(ctx, params.opportunity_id, params.attachment_id),
)
api.delete(
  '/:opportunity_id/attachments/:attachment_id',
  {
    id: 'deleteOpportunityAttachment',
    summary: "Delete an opportunity's attachment and its file",
    access: scopes('opportunities:delete'),
    params: ofAttachment,
    returns: Deleted,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => removeAttachment(ctx, params.opportunity_id, params.attachment_id),
)
