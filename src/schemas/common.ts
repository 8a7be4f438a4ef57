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

/** Part of every record that the API returns. */
export const timestamps = {
  version: v.pipe(
    v.number(),
    v.integer(),
    v.description('The number of the record’s version, which is also its ETag. Every change increases it by one.'),
    v.examples([1]),
  ),
  created_at: InstantOut,
  updated_at: InstantOut,
}

export const Deleted = named(
  'Deleted',
  v.object({
    id: Id,
    deleted: v.pipe(v.literal(true), v.examples([true])),
    job_id: v.optional(
      v.pipe(
        Id,
        v.description(
          'Only for a contact, company or opportunity with many dependants: the job that deletes these (`GET /jobs/{job_id}`).',
        ),
      ),
    ),
  }),
)

export const Restoring = named(
  'Restoring',
  v.object({
    id: Id,
    restored: v.pipe(v.literal(true), v.description('The record is there.'), v.examples([true])),
    job_id: v.pipe(Id, v.description('The job that restores what went with the record (`GET /jobs/{job_id}`).')),
  }),
)
export type Restoring = v.InferOutput<typeof Restoring>

/** The cause of a change or an event. */
export const cause = {
  cause_type: v.pipe(
    v.nullable(v.picklist(CAUSES)),
    v.description('What caused it. Null for what the system did on its own, and for entries that are older than this field.'),
  ),
  cause_id: v.pipe(
    v.nullable(Id),
    v.description(
      'The id of the request, approval, import, merge, automation run or request to an incoming webhook that caused it; for an undo, ' +
        'of the import or merge that was undone.',
    ),
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
      v.description('The changed fields, each with its value before and after.'),
    ),
    version: v.pipe(v.number(), v.integer()),
    request_id: v.nullable(v.string()),
    key_id: v.nullable(Id),
    user_id: v.nullable(Id),
    ...cause,
    at: InstantOut,
  }),
)

/** The result of a bulk call, record by record. */
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

export const archivedOut = v.pipe(
  Bool,
  v.description('Whether the record is archived. Lists leave archived records out unless `archived` includes them.'),
)
