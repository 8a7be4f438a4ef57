import { keyOfImport } from '../../../domain/file-names.ts'
import { enqueue } from '../../../wake.ts'
import { ACTIVE_STATES, type ImportState } from '../../imports/rules/states.ts'
import type { Listener } from './listeners.ts'

/** Sends a started import to the imports queue, and removes the file of a finished or deleted one, which nothing reads any longer. */
export const enqueueImport: Listener = {
  types: ['import.updated', 'import.deleted'],
  async handle(env, { type, changes, workspace_id, entity_id }) {
    const state = changes?.state?.after as ImportState | undefined
    if (type === 'import.deleted' || state === 'finished') await env.FILES.delete(keyOfImport(workspace_id, entity_id))
    if (state && ACTIVE_STATES.includes(state)) await enqueue(env, 'import.run', workspace_id, entity_id)
  },
}
