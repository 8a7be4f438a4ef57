import { keyOfFile } from '../../domain/file-names.ts'
import type { Listener } from './listeners.ts'

/** The object of a removed attachment goes too, whatever removed the row. */
export const removeFile: Listener = async (env, { type, workspace_id, entity_id }) => {
  if (type === 'attachment.deleted') await env.FILES.delete(keyOfFile(workspace_id, entity_id))
}
