import { type SQL, sql } from 'drizzle-orm'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { MAX_EMAIL_BYTES } from '../rules/emails.ts'
import type { Content } from './content.ts'

/** A file of a record. `scope` is that to read the record. */
export type StoredFile = { id: string; name: string; content_type: string; size: number; state: 'stored' | 'missing'; scope: string }
type Sent = { attachment_ids?: readonly string[] | undefined }

/** The files that an email names, as a JSON array. */
export const attachedFacts = ({ attachment_ids = [] }: Sent): SQL =>
  attachment_ids.length === 0
    ? sql`'[]'::jsonb`
    : sql`(select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'content_type', a.content_type,
        'size', a.size, 'state', a.state,
        'scope', case when a.contact_id is not null then 'contacts'
          when a.customer_id is not null then 'companies' else 'opportunities' end || ':read')), '[]')
      from attachments a
      where a.id = any(array(select value::uuid from jsonb_array_elements_text(${JSON.stringify(attachment_ids)}::jsonb))))`

/**
 * The files in the order in which they were named, each once. @throws VALIDATION_ERROR for one that does not exist or was lost,
 * ATTACHMENTS_TOO_LARGE.
 */
export function filesOf(sent: Sent, found: StoredFile[], { text, html }: Content): StoredFile[] {
  const known = namedFiles(sent, found)
  const size = known.reduce((sum, file) => sum + 4 * Math.ceil(file.size / 3), bytesOf(text) + bytesOf(html))
  if (known.length > 0 && size > MAX_EMAIL_BYTES)
    throw new AppError('ATTACHMENTS_TOO_LARGE', 'The files are larger than the mail provider accepts: attach fewer or smaller ones', {
      size,
      max: MAX_EMAIL_BYTES,
    })
  return known
}

/** The files in the order in which they were named, each once. @throws VALIDATION_ERROR for one that does not exist or was lost. */
export function namedFiles({ attachment_ids = [] }: Sent, found: StoredFile[]): StoredFile[] {
  const files = [...new Set(attachment_ids)].map((id) => found.find((file) => file.id === id))
  const issues = files.flatMap((file, n) => {
    if (!file) return [{ path: `attachment_ids.${n}`, message: 'does not exist in this workspace' }]
    return file.state === 'missing' ? [{ path: `attachment_ids.${n}`, message: 'was lost in storage: upload the file again' }] : []
  })
  if (issues.length > 0) throw invalid(issues)
  return files as StoredFile[]
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** Asserts that the caller may read the records of the files. */
export const assertReadable = (files: StoredFile[]): Statement | undefined =>
  files.length > 0 ? call('assert_scopes', `{${[...new Set(files.map(({ scope }) => scope))].join(',')}}`) : undefined

/** The rows of email_attachments. */
export const attachmentRows = (files: StoredFile[]) =>
  files.map(({ id, name, content_type, size }, rank) => ({ id: newId(), name, content_type, size, rank, source_id: id }))
