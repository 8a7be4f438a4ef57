import * as v from 'valibot'
import type { Files } from '../../src/features/attachments/plans/attachments.ts'
import { DownloadLink } from '../../src/features/files/schemas/attachments.ts'
import { children, type ParentRecord } from '../../src/http/children.ts'
import type { Schema } from '../../src/http/endpoint.ts'
import { created, scopes, upload } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { pascal, withArticle } from '../../src/lib/nouns.ts'
import { Id } from '../../src/schemas/fields.ts'

/** Registers the attachments of a kind of record. */
export function registerAttachments<S extends Schema>(api: Api, parent: ParentRecord, returns: S, files: Files<v.InferOutput<S>>): void {
  const { name, param, scope } = parent
  const one = withArticle(name)
  children(api, {
    parent,
    path: '/attachments',
    name: 'attachment',
    key: 'attachment_id',
    rows: files.rows,
    returns,
    list: { summary: `List ${one}'s attachments, newest first` },
    get: {},
    remove: {
      summary: `Delete ${one}'s attachment`,
      description: `Its file is kept for 30 days, so that the attachment can be restored. A purge of the ${name} removes it at once.`,
    },
  })
  api.post(
    `/:${param}/attachments`,
    {
      id: `upload${pascal(name)}Attachment`,
      summary: `Upload an attachment to ${one}`,
      description:
        'Send one file of at most 25 MB in the field `file`: pdf, png, jpg, gif, webp, docx, xlsx, pptx, txt, csv, json, eml, ' +
        'mp3 or mp4. The type is detected from the content, and for text from the extension.',
      access: { scopes: [`${scope}:write`], direct: true },
      body: upload(),
      params: v.object({ [param]: Id }),
      returns: created(returns),
      errors: ['NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE'],
    },
    ({ ctx, params }) => files.upload(ctx, params[param] as string),
  )
  api.get(
    `/:${param}/attachments/:attachment_id/download`,
    {
      id: `get${pascal(name)}AttachmentDownload`,
      summary: `Get a download link for ${one}'s attachment`,
      description: 'The link works for 60 seconds and needs no key. Request it when it is needed instead of storing it.',
      access: scopes(`${scope}:read`),
      params: v.object({ [param]: Id, attachment_id: Id }),
      returns: DownloadLink,
      errors: ['NOT_FOUND', 'INVALID_STATE'],
    },
    ({ ctx, params }) => files.link(ctx, params[param] as string, params.attachment_id as string),
  )
}
