import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { AppError } from '../../../errors.ts'
import { namedFiles, type StoredFile } from '../../email/plans/attached.ts'

/** The files that a message names, of at most `max` bytes together. @throws VALIDATION_ERROR as namedFiles, ATTACHMENTS_TOO_LARGE */
export function filesToAttach(attachment_ids: readonly string[], found: StoredFile[], max: number): StoredFile[] {
  const files = namedFiles({ attachment_ids }, found)
  const size = files.reduce((sum, file) => sum + file.size, 0)
  if (size > max)
    throw new AppError('ATTACHMENTS_TOO_LARGE', 'The files are larger than the provider accepts: attach fewer or smaller ones', {
      size,
      max,
    })
  return files
}

/** Attaches files to the message of the ledger with this key. `type`: what a message of WhatsApp then is. */
export const attachFiles = (key: string, files: StoredFile[], type = 'text'): Statement | undefined =>
  files.length === 0
    ? undefined
    : call('attach_files', key, JSON.stringify(files.map(({ id, name, content_type, size }) => ({ id, name, content_type, size }))), type)
