import { eq, sql } from 'drizzle-orm'
import { autoResponders, emailConfigs, phoneNumbers } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { type Added, addedIf, assertField, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, noteAdded, rowExists, updateRows } from '../../../data/store.ts'
import type { Operation } from '../../../domain/operations.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { AutoResponder, type AutoResponderPatch, type AutoResponderUpsert } from '../schemas/auto-responders.ts'

/** Finds operations of the API that a model may have as tools. */
export type FindOperations = (ids: readonly string[]) => Promise<Operation[]>

const WHAT = 'auto responder'
const columns = columnsFor(autoResponders, AutoResponder)
const recordBy = (column: 'id' | 'identity_ref', id: string) =>
  oneOrThrow(db.select(columns).from(autoResponders).where(eq(autoResponders[column], id)), WHAT, id)

/** Creates the auto responder of a phone number or an email config, or updates what is sent of it. */
export async function upsertResponder(ctx: Ctx, input: AutoResponderUpsert, find: FindOperations): Promise<Plan<Added<AutoResponder>>> {
  const { identity_kind, identity_ref, ...fields } = input
  const id = newId()
  const isPhone = identity_kind === 'phone'
  const [identities, column] = isPhone ? ([phoneNumbers, 'phone_number_id'] as const) : ([emailConfigs, 'email_config_id'] as const)
  const known = assertField(
    sql`exists (select from ${identities} where ${identities.id} = ${identity_ref}::uuid)`,
    'identity_ref',
    `${isPhone ? 'No phone number' : 'No email config'} of this workspace has this id: ` +
      `see GET ${isPhone ? '/phone/numbers' : '/email/configs'}`,
  )
  const row = { ...(await rowOf(fields, find)), id, identity_kind, [column]: identity_ref }
  const match =
    ctx.ifMatch === undefined
      ? undefined
      : sql`select assert_version((select version from ${autoResponders} where ${eq(autoResponders.identity_ref, identity_ref)} for update),
          ${ctx.ifMatch}::int, ${WHAT})`
  const isNew = rowExists(autoResponders, id)
  const insert = insertRow(autoResponders, row, { by: [autoResponders.identity_ref] })
  return plan(
    [match, known, insert, assertScopesOf('identity_ref', identity_ref), noteAdded(isNew)],
    addedIf(recordBy('identity_ref', identity_ref), isNew),
  )
}

/** Changes an auto responder. To disable it, a key needs no scopes of what it does. */
export async function updateResponder(ctx: Ctx, id: string, patch: AutoResponderPatch, find: FindOperations): Promise<Plan<AutoResponder>> {
  const disables = Object.entries(patch).every(([name, value]) => name === 'enabled' && value === false)
  const row = disables ? patch : await rowOf(patch, find)
  return plan(
    [
      lockForUpdate(ctx, autoResponders, id, WHAT),
      updateRows(autoResponders, row, eq(autoResponders.id, id), { id }),
      !disables && assertScopesOf('id', id),
    ],
    recordBy('id', id),
  )
}

/** The columns of what is written: from then on the auto responder acts with the rights of this key. */
async function rowOf<Fields extends AutoResponderPatch>({ tools, ...fields }: Fields, find: FindOperations) {
  return { ...fields, ...(tools && { tools, tool_scopes: await scopesOf(tools, find) }), key_id: sql`current_key_id()`, error: null }
}

/** The scopes of the operations. @throws VALIDATION_ERROR for one that does not exist, or that writes. */
async function scopesOf(tools: string[], find: FindOperations): Promise<string[]> {
  const known = tools.length > 0 ? await find(tools) : []
  const issues = tools.flatMap((name, index) => {
    const operation = known.find(({ id }) => id === name)
    if (operation && !operation.writes) return []
    const message = operation
      ? `"${name}" writes: an auto responder calls only operations that read`
      : `"${name}" is no operation that a model can use: see the operationIds of GET /openapi.json`
    return [{ path: `tools.${index}`, message }]
  })
  if (issues.length > 0) throw invalid(issues)
  return [...new Set(known.flatMap(({ scopes }) => scopes))].toSorted()
}

const assertScopesOf = (column: 'id' | 'identity_ref', id: string): Statement =>
  sql`select assert_scopes(responder_scopes(r)) from ${autoResponders} r where r.${sql.identifier(column)} = ${id}::uuid`
