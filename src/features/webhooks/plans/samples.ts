import { type Plan, read } from '../../../data/plan.ts'
import { constant } from '../../../data/query.ts'
import { entityOf, hasSnapshot, isChange } from '../../../domain/events.ts'
import { cursorOf } from '../../events/plans/cursor.ts'
import { payloadOf } from '../../events/plans/event-types.ts'
import type { WebhookPayload } from '../schemas/webhooks.ts'

const ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const AT = '2026-03-31T09:30:00.000Z'

/** An example of what a webhook receives for an event type. `exampleOf` composes a value of a JSON Schema from its examples. */
export async function getSample(type: string, exampleOf: (schema: Record<string, unknown>) => unknown): Promise<Plan<WebhookPayload>> {
  // Loaded on first use, because few callers ask.
  const { toJsonSchema } = await import('@valibot/to-json-schema')
  const schema = toJsonSchema(payloadOf(type), { typeMode: 'output', target: 'draft-2020-12', errorMode: 'ignore' })
  const payload = exampleOf(schema as Record<string, unknown>) as Record<string, unknown>
  const [first = 'id'] = Object.keys(payload).filter((name) => !['id', 'version', 'created_at', 'updated_at'].includes(name))
  const changes = type.endsWith('.updated') ? { [first]: { before: null, after: payload[first] } } : isChange(type) ? {} : null
  const data = {
    id: ID,
    type,
    entity: entityOf(type),
    entity_id: ID,
    version: isChange(type) ? 1 : null,
    payload: hasSnapshot(type) ? { ...payload, id: ID } : payload,
    changes,
    skip_automations: false,
    request_id: ID,
    key_id: ID,
    user_id: ID,
    cause_type: 'request',
    cause_id: ID,
    at: AT,
  }
  const cursor = cursorOf({ list: 'event-feed', workspace_id: ID, at: Date.parse(AT), xid: '1', id: ID })
  return read(constant({ type, timestamp: AT, data, cursor }))
}
