import { sql } from 'drizzle-orm'
import * as v from 'valibot'
import { decode, encode } from '../../../data/cursors.ts'
import { signatureOf } from '../../../data/page.ts'
import { Page } from '../../../data/paged.ts'
import { type Plan, read } from '../../../data/plan.ts'
import type { Query } from '../../../data/query.ts'
import { EVENT_TYPES, entityOf, hasSnapshot } from '../../../domain/events.ts'
import { invalid } from '../../../errors.ts'
import { spoken, withArticle } from '../../../lib/nouns.ts'
import type { EventTypeDescription, eventTypeQuery } from '../schemas/events.ts'
import { SNAPSHOTS } from '../schemas/snapshots.ts'
import { SPECIAL_PAYLOADS } from '../schemas/special-payloads.ts'

type Described = v.InferOutput<typeof EventTypeDescription>
const PAST: Record<string, string> = { created: 'was created', updated: 'was changed', deleted: 'was deleted' }

const actionOf = (type: string) => type.slice(type.indexOf('.') + 1)
const capitalised = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** The valibot schema of an event type's payload. */
export function payloadOf(type: string): v.GenericSchema {
  if (hasSnapshot(type)) return SNAPSHOTS[entityOf(type)] as v.GenericSchema
  return (SPECIAL_PAYLOADS[type] ?? SPECIAL_PAYLOADS[actionOf(type)])?.payload ?? v.object({})
}

function descriptionOf(type: string): string {
  const special = SPECIAL_PAYLOADS[type] ?? SPECIAL_PAYLOADS[actionOf(type)]
  return special?.description ?? `${capitalised(withArticle(spoken(entityOf(type))))} ${PAST[actionOf(type)]}.`
}

/** Lists the event types by name. The scopes of each kind of record are those of entity_scopes in authority.sql. */
export async function listEventTypes({
  limit,
  after,
  type = [...EVENT_TYPES].toSorted(),
}: v.InferOutput<typeof eventTypeQuery>): Promise<Plan<Page<Described>>> {
  // Loaded on first use, because few callers ask.
  const { toJsonSchema } = await import('@valibot/to-json-schema')
  const list = signatureOf('event types', { limit, type })
  const from = after === undefined ? 0 : parseCursor(after, list)
  const shown = type.slice(from, from + limit)
  const next = from + limit < type.length ? encode([list, String(from + limit), '']) : null
  const schemaOf = (name: string) => toJsonSchema(payloadOf(name), { typeMode: 'output', target: 'draft-2020-12', errorMode: 'ignore' })
  const result: Query<Page<Described>> = {
    query: sql`select json_object_agg(entity, scopes) from entity_scopes()`,
    fields: [],
    hidden: 1,
    decode: (_, [row]) => {
      const scopes = row?.[0] as Record<string, string[]>
      const described = shown.map((name) => ({
        type: name,
        entity: entityOf(name),
        description: descriptionOf(name),
        scopes: scopes[entityOf(name)] ?? [],
        payload: { ...schemaOf(name) },
      }))
      return new Page(described, limit, next)
    },
  }
  return read(result)
}

function parseCursor(cursor: string, list: string): number {
  const [name, place] = decode(cursor)
  if (name !== list || !/^\d{1,6}$/.test(place))
    throw invalid([{ path: 'after', message: 'This cursor is of another list or filter: start without it' }])
  return Number(place)
}
