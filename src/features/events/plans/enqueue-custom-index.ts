import { enqueue } from '../../../wake.ts'
import type { Listener } from './listeners.ts'

/** Starts to build or remove the index of a custom field in the background when its definition changes. */
export const enqueueCustomIndex: Listener = {
  types: ['custom_field.created', 'custom_field.updated', 'custom_field.deleted'],
  async handle(env, { workspace_id, entity_id }) {
    await enqueue(env, 'custom-index.build', workspace_id, entity_id)
  },
}
