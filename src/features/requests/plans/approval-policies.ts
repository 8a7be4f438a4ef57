import { eq, sql } from 'drizzle-orm'
import { approvalPolicies } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { assertField } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, store, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { ApprovalPolicy, type ApprovalPolicyPatch, type NewApprovalPolicy } from '../schemas/approval-policies.ts'

const { record, remove } = store(
  approvalPolicies,
  'approval policy',
  db.select(columnsFor(approvalPolicies, ApprovalPolicy)).from(approvalPolicies),
)

/** Asserts that the stored policy is about roles and keys that exist, and that its conditions suit each other. */
export const assertPolicy = (id: string): Statement => call('assert_policy', id)

export function createPolicy(input: NewApprovalPolicy) {
  const id = newId()
  return plan([insertRow(approvalPolicies, { ...input, id }), assertPolicy(id)], record(id))
}

/** Updates a policy. The change applies to the next requests, and to approvals when they are executed. */
export function updatePolicy(ctx: Ctx, id: string, patch: ApprovalPolicyPatch) {
  const listOf = (field: 'events' | 'scopes') => {
    const sent = patch[field]
    return sent ? sql`${sent.length}` : sql`cardinality(${approvalPolicies[field]})`
  }
  const isAboutWrites = sql`(select ${listOf('events')}::int + ${listOf('scopes')}::int > 0 from ${approvalPolicies}
    where ${eq(approvalPolicies.id, id)})`
  return plan(
    [
      lockForUpdate(ctx, approvalPolicies, id, 'approval policy'),
      (patch.events || patch.scopes) &&
        assertField(
          isAboutWrites,
          patch.events ? 'events' : 'scopes',
          'A policy needs events or scopes: the writes that wait for approval',
        ),
      updateRows(approvalPolicies, patch, eq(approvalPolicies.id, id), { id }),
      assertPolicy(id),
    ],
    record(id),
  )
}

export const deletePolicy = remove
