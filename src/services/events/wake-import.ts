import { keyOfImport } from '../../domain/file-names.ts'
import { ACTIVE_STATES, type ImportState } from '../../domain/imports/types.ts'
import type { Listener } from './listeners.ts'

/** An import that was started goes to the imports queue. The file of one that was deleted goes too. */
export const wakeImport: Listener = async (env, { type, changes, workspace_id, entity_id }) => {
  if (type === 'import.deleted') await env.FILES.delete(keyOfImport(workspace_id, entity_id))
  if (type !== 'import.updated' || !ACTIVE_STATES.includes(changes?.state?.after as ImportState)) return
  await env.IMPORTS.send({ type: 'import.run', workspace_id, import_id: entity_id })
}
