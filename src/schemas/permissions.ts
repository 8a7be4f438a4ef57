import * as v from 'valibot'
import { METHODS } from '../domain/access.ts'
import { named } from './common.ts'
import { Scope } from './scopes.ts'

const Opened = v.object({
  method: v.picklist(METHODS),
  path: v.pipe(v.string(), v.description('Below /v1, with :name for parameters.')),
  summary: v.string(),
  scopes: v.pipe(v.array(Scope), v.description('All that it needs together.')),
  admin: v.pipe(v.boolean(), v.description('Only for keys whose owner has the role client_admin.')),
  deprecated: v.boolean(),
})
export const Permission = named(
  'Permission',
  v.object({
    resource: v.pipe(v.string(), v.examples(['contacts'])),
    scopes: v.array(
      v.object({
        scope: Scope,
        description: v.string(),
        endpoints: v.array(Opened),
      }),
    ),
  }),
)
export type Permission = v.InferOutput<typeof Permission>
