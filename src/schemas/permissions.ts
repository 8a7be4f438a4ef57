import * as v from 'valibot'
import { METHODS } from '../domain/access.ts'
import { named } from './common.ts'
import { Scope } from './scopes.ts'

const PermittedEndpoint = v.object({
  method: v.picklist(METHODS),
  path: v.pipe(v.string(), v.description('The path below /v1, with :name for parameters.')),
  summary: v.string(),
  scopes: v.pipe(v.array(Scope), v.description('The scopes that the endpoint requires, all of them together.')),
  admin: v.pipe(v.boolean(), v.description('Whether it requires a key whose owner has the role client_admin.')),
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
        endpoints: v.array(PermittedEndpoint),
      }),
    ),
  }),
)
export type Permission = v.InferOutput<typeof Permission>
