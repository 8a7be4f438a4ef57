import { keyOfFile } from '../../domain/file-names.ts'
import type { Listener } from './listeners.ts'

/** Deletes the stored object of a removed attachment, whatever removed the row. */
export const removeFile: Listener = {
  types: ['attachment.deleted'],
  handle: (env, { workspace_id, entity_id }) => env.FILES.delete(keyOfFile(workspace_id, entity_id)),
}
