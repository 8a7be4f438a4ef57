import * as v from 'valibot'
import { CAUSES } from '../domain/access.ts'
import { Bool, Id, InstantOut } from './fields.ts'

const names = new Map<string, v.GenericSchema>()

/** Gives a schema a name of its own in the OpenAPI document. */
export function named<S extends v.GenericSchema>(name: string, schema: S): S {
  if (names.has(name)) throw new Error(`Two schemas are named ${name}`)
  names.set(name, schema)
  return schema
}
export const namedSchemas = (): ReadonlyMap<string, v.GenericSchema> => names

/** In every record's public shape. */
export const timestamps = {
  version: v.pipe(v.number(), v.integer(), v.description('Counts changes; the ETag.'), v.examples([1])),
  created_at: InstantOut,
  updated_at: InstantOut,
}

export const Deleted = named('Deleted', v.object({ id: Id, deleted: v.pipe(v.literal(true), v.examples([true])) }))

/** Of a change or an event. */
export const cause = {
  cause_type: v.pipe(
    v.nullable(v.picklist(CAUSES)),
    v.description('Why it happened: what was asked for, or what ran. Null before this was stored, and for what the system did by itself.'),
  ),
  cause_id: v.pipe(
    v.nullable(Id),
    v.description('The request, approval, import or merge that it happened for; for an undo the import or merge that was undone.'),
  ),
}

export const Change = named(
  'Change',
  v.object({
    id: Id,
    entity: v.string(),
    entity_id: Id,
    action: v.picklist(['created', 'updated', 'deleted']),
    fields: v.pipe(
      v.record(v.string(), v.object({ before: v.optional(v.unknown()), after: v.optional(v.unknown()) })),
      v.description('Field by field, before and after.'),
    ),
    version: v.pipe(v.number(), v.integer()),
    request_id: v.nullable(v.string()),
    key_id: v.nullable(Id),
    user_id: v.nullable(Id),
    ...cause,
    at: InstantOut,
  }),
)

/** What a bulk call did with each record. */
export const bulkResult = <S extends v.GenericSchema>(item: S) =>
  v.object({
    results: v.array(item),
    skipped: v.array(v.object({ index: v.pipe(v.number(), v.integer()), id: v.nullable(v.string()), reason: v.string() })),
    errors: v.array(
      v.object({
        index: v.pipe(v.number(), v.integer()),
        id: v.optional(v.nullable(v.string())),
        error: v.object({ code: v.string(), message: v.string(), details: v.optional(v.unknown()) }),
      }),
    ),
  })

export const BulkDeleted = named('BulkDeleted', bulkResult(Deleted))

export const archivedOut = v.pipe(Bool, v.description('Archived records are left out of lists unless asked for.'))
