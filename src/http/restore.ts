import * as v from 'valibot'
import type { Plan } from '../data/plan.ts'
import type { Accepted, WithWarnings } from '../data/query.ts'
import { MOST_DEPENDANTS } from '../domain/deletions.ts'
import type { Restoring } from '../schemas/common.ts'
import { Id } from '../schemas/fields.ts'
import type { Schema } from './endpoint.ts'
import type { Access, Scope } from './modes.ts'
import type { Texts } from './resource.ts'
import type { Api } from './router.ts'

const RESTORING =
  'Possible for 30 days after the deletion. The record comes back with its id, the rows that were deleted with it and the references ' +
  'to it that were set to null; its version goes on, and updated_at is new. No automation reacts. ' +
  'What cannot come back, such as a unique value that another record has by now, is listed in `_warnings` (code NOT_RESTORED); ' +
  'if the record needs it, the answer is CONFLICT, and details name the field and the id of the record in the way. ' +
  'So it is while a job is still deleting or restoring what goes with it, which `job_id` names. ' +
  'A record that is not deleted is INVALID_STATE; one that was purged or merged is NOT_FOUND.'

const IN_BATCHES =
  `If more than ${MOST_DEPENDANTS.toLocaleString('en')} rows and references come back with it, the response is 202 with a \`job_id\`: ` +
  'the record is there at once, and a job restores the others (`GET /jobs/{job_id}`), each of which is visible when it is back. ' +
  'Until the job has ended, deleting the record or restoring it again is CONFLICT with `job_id`. ' +
  'If the job has failed, restoring the record again lets it go on. A dry run names the record only.'

/** The access that a restore takes: what writing and deleting the record take together. */
export const restoreAccess = (...parts: Access[]): Access => ({
  scopes: [...new Set(parts.flatMap(({ scopes }) => scopes))] as Scope[],
  ...(parts.some(({ admin }) => admin) && { admin: true }),
})

type Restore<R extends Schema> = Texts & {
  path: string
  /** The path parameters. */
  params: string[]
  access: Access
  returns: { as: 'one' | 'accepted'; schema: R }
  plan: (params: Record<string, string>) => Plan<v.InferOutput<R> | WithWarnings<v.InferOutput<R>> | Accepted<Restoring>>
}

/** Registers `POST …/restore` for a record that can be deleted. */
export function registerRestore<R extends Schema>(to: ReturnType<Api['from']>, of: Restore<R>): void {
  const { path, params, returns, plan, description, ...definition } = of
  to.post(
    `${path}/restore` as const,
    {
      ...(definition as { id: string; summary: string; access: Access }),
      description: [description, RESTORING, returns.as === 'accepted' && IN_BATCHES].filter(Boolean).join('\n\n'),
      errors: ['NOT_FOUND', 'INVALID_STATE', 'CONFLICT'],
      params: v.object(Object.fromEntries(params.map((name) => [name, Id]))),
      returns,
    },
    ({ params }) => plan(params),
  )
}
