import type { Listener } from './listeners.ts'

/** The index of a custom field follows its definition in the background. */
export const wakeCustomIndex: Listener = async (env, { entity, workspace_id, entity_id }) => {
  if (entity === 'custom_field') await env.IMPORTS.send({ type: 'custom-index.build', workspace_id, field_id: entity_id })
}
