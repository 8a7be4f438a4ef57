import { sql } from 'drizzle-orm'
import { batch } from '../../../data/batch.ts'
import { keyOfFile, keyOfStored } from '../../../domain/file-names.ts'
import { jobsDatabaseOf } from '../../../env.ts'
import type { Listener } from './listeners.ts'

/**
 * Deletes the stored object of a file or an attachment that cannot be restored: one that was purged. The object of any other is kept as
 * long as its row can be restored, and then deleted by the sweep (src/features/files/work/sweep-files.ts).
 */
export const removeFile: Listener = {
  types: ['attachment.deleted', 'file.deleted'],
  async handle(env, { workspace_id, entity, entity_id }) {
    const [kept] = await batch(jobsDatabaseOf(env), [sql`select is_restorable(${workspace_id}::uuid, ${entity_id}::uuid)`])
    if (!kept) await env.FILES.delete((entity === 'file' ? keyOfStored : keyOfFile)(workspace_id, entity_id))
  },
}
