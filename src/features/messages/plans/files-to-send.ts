import { keyOfFile } from '../../../domain/file-names.ts'
import { AppError } from '../../../errors.ts'
import type { Files } from '../../../providers/files/port.ts'
import type { Attached, Delivery } from '../../email/provider/port.ts'
import type { ClaimedMessage } from './outcomes.ts'

/** Reads the files of an email, or says why it cannot be sent now, or ever. */
export async function filesToSend(
  files: Pick<Files, 'read'>,
  workspaceId: string,
  attached: ClaimedMessage['attachments'],
): Promise<{ attachments: Attached[] } | Delivery> {
  const attachments: Attached[] = []
  for (const { name, content_type, size, source_id } of attached) {
    if (source_id === null) return { outcome: 'refused', reason: `The attached file ${name} was deleted` }
    try {
      const bytes = await files.read(keyOfFile(workspaceId, source_id), { offset: 0, length: size })
      attachments.push({ name, content_type, content: Buffer.from(bytes).toString('base64') })
    } catch (error) {
      const isLost = error instanceof AppError && error.code === 'NOT_FOUND'
      return isLost
        ? { outcome: 'refused', reason: `The attached file ${name} was lost in storage` }
        : { outcome: 'unavailable', reason: `The attached file ${name} could not be read: ${String(error)}` }
    }
  }
  return { attachments }
}
