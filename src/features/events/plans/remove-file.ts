import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { keyOfFile, keyOfStored } from '../../../domain/file-names.ts'
import { jobsDatabaseOf } from '../../../env.ts'
import type { Listener } from './listeners.ts'

/**
 * Deletes the stored object of a file or an attachment that cannot be restored: one that was purged. The object of any other is kept as
 * long as its row is there or can be restored, and then deleted by the sweep (src/features/files/work/sweep-files.ts).
 */
export const removeFile: Listener = {
  types: ['attachment.deleted', 'file.deleted'],
  async handle(env, { workspace_id, entity, entity_id }) {
    const [kept] = await batch(jobsDatabaseOf(env), [call('is_restorable', workspace_id, entity_id)])
    if (!kept) await env.FILES.delete((entity === 'file' ? keyOfStored : keyOfFile)(workspace_id, entity_id))
  },
}
