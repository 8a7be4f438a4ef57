import { eq, sql } from 'drizzle-orm'
import { contacts, leadResults } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { refersTo } from '../../../data/bulk.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assert } from '../../../data/query.ts'
import { assertSent, columnsFor, insertRow, lockForUpdate, selectFrom, store, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { leadColumns } from '../rules/results.ts'
import { LeadResult, type LeadResultPatch, type NewLeadResult } from '../schemas/results.ts'

export const WHAT = 'lead result'
export const resultColumns = columnsFor(leadResults, LeadResult)
const { record } = store(leadResults, WHAT, selectFrom<LeadResult>(leadResults, resultColumns))

export function createResult(_ctx: Ctx, input: NewLeadResult): Plan<LeadResult> {
  const id = newId()
  return plan([insertRow(leadResults, { ...leadColumns(input), id })], record(id))
}

/** A result that was converted keeps its state. */
export function updateResult(ctx: Ctx, id: string, patch: LeadResultPatch): Plan<LeadResult> {
  const isOpen = sql`not exists (select from ${leadResults} where ${eq(leadResults.id, id)} and ${leadResults.status} = 'converted')`
  return plan(
    [
      lockForUpdate(ctx, leadResults, id, WHAT),
      patch.status && assert(isOpen, 'INVALID_STATE', 'This result was converted, and keeps its state', { state: 'converted' }),
      assertSent(leadResults, { id, ...patch }, [refersTo('contact_id', contacts)]),
      updateRows(leadResults, leadColumns(patch), eq(leadResults.id, id), { id }),
    ],
    record(id),
  )
}
