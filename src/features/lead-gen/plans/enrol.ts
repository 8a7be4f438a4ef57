import { and, eq, sql } from 'drizzle-orm'
import { leadEnrolments, leadInitiativeSteps, leadInitiatives, leadResults } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assert, mapResult, oneOrThrow, rows } from '../../../data/query.ts'
import { assertExists, assertStays, columnsFor } from '../../../data/store.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { type Bulk, failure } from '../../../schemas/bulk.ts'
import { consentFault } from '../rules/consent.ts'
import { LeadEnrolment } from '../schemas/initiatives.ts'
import { INITIATIVE } from './initiatives.ts'
import { type LeadFacts, linkPeople, readLeads, uuids } from './people.ts'

const pending = (column: string) =>
  sql`(select ${sql.raw(column)} from lead_tasks t
    where t.enrolment_id = ${leadEnrolments.id} and t.status in ('pending', 'paused') limit 1)`
const lead = sql`(select json_build_object('id', l.id, 'name', l.name, 'company_name', l.company_name, 'email', l.email, 'phone', l.phone,
  'city', l.city, 'country', l.country, 'consent_basis', l.consent_basis, 'status', l.status)
  from ${leadResults} l where l.id = ${leadEnrolments.lead_result_id})`
const fields = columnsFor(leadEnrolments, LeadEnrolment, {
  next_step_id: sql<string | null>`${pending('t.step_id')}`.as('next_step_id'),
  scheduled_for: sql<string | null>`${pending('iso(t.scheduled_for)')}`.as('scheduled_for'),
  lead_result: sql<LeadEnrolment['lead_result']>`${lead}`.as('lead_result'),
})

/** Why a result cannot be enrolled. */
function faultOf({ status, blocked, email, phone, consent_basis, country }: LeadFacts): AppError | undefined {
  if (status !== 'new')
    return new AppError('INVALID_STATE', `This result is ${status}: set its status to new first`, { state: status, allowed: ['new'] })
  if (email === null && phone === null) return invalid([{ path: 'email', message: 'It has neither an address nor a number: set one' }])
  if (blocked) return new AppError('RECIPIENT_UNREACHABLE', `This person gets no messages: ${blocked}`, { reason: blocked })
  const fault = consentFault(consent_basis, country)
  return fault === undefined ? undefined : invalid([{ path: 'consent_basis', message: fault }])
}

/**
 * Enrols people and schedules their first step. Each result is linked to a contact, which is the record of the automations. One who is in
 * an initiative already is skipped, and one who may not be written to is an error.
 */
export async function enrolLeads(ctx: Ctx, initiative: string, ids: string[]): Promise<Plan<Bulk<LeadEnrolment>>> {
  const leads = await readLeads(ctx, ids)
  const faults = leads.map(faultOf)
  const good = leads.filter((_, at) => faults[at] === undefined)
  const people = await linkPeople(ctx, good)
  const enrolments = good.map((one) => ({ id: newId(), lead_result_id: one.id, contact_id: people.contactOf(one) }))
  const hasSteps = sql`exists (select from ${leadInitiativeSteps} where ${leadInitiativeSteps.initiative_id} = ${initiative}
    and ${leadInitiativeSteps.is_active})`
  const found = db
    .select(fields)
    .from(leadEnrolments)
    .where(sql`${leadEnrolments.id} = any(${uuids(enrolments.map(({ id }) => id))})`)
  return plan(
    [
      assertStays(leadInitiatives, initiative, INITIATIVE),
      assert(hasSteps, 'CONFLICT', 'The initiative has no active step: add one before you enrol anybody'),
      ...(good.length > 0 ? people.statements : []),
      good.length > 0 && call('enrol_leads', initiative, JSON.stringify(enrolments)),
    ],
    mapResult(rows(found), (decoded) => {
      const bulk: Bulk<LeadEnrolment> = { results: [], skipped: [], errors: [] }
      for (const [index, { id }] of leads.entries()) {
        const fault = faults[index]
        const enrolled = (decoded as LeadEnrolment[]).find(({ lead_result_id }) => lead_result_id === id)
        if (fault) bulk.errors.push(failure(index, fault, id))
        else if (enrolled) bulk.results.push(enrolled)
        else bulk.skipped.push({ index, id, reason: 'This person is in an initiative already' })
      }
      return bulk
    }),
  )
}

const withKeys = (keys: Keys) => db.select({ ...fields, ...keys }).from(leadEnrolments)

/** The enrolments in an initiative, newest first, with their results. */
export function listEnrolments(initiative: string, query: { limit: number; after?: string | undefined; status?: string | undefined }) {
  const where = [eq(leadEnrolments.initiative_id, initiative), query.status && sql`${leadEnrolments.status} = ${query.status}`]
  return plan(
    [assertExists(leadInitiatives, initiative, INITIATIVE)],
    page({
      select: withKeys,
      id: leadEnrolments.id,
      where: where.filter((condition) => typeof condition === 'object'),
      sorts: { created_at: leadEnrolments.created_at },
      name: `enrolments ${initiative}`,
      query,
    }),
  )
}

export const setEnrolment = (initiative: string, id: string, to: 'paused' | 'active') =>
  plan(
    [call('set_lead_enrolment', initiative, id, to)],
    mapResult(
      oneOrThrow(
        db
          .select(fields)
          .from(leadEnrolments)
          .where(and(eq(leadEnrolments.initiative_id, initiative), eq(leadEnrolments.id, id))),
        'enrolment',
      ),
      (row) => row as LeadEnrolment,
    ),
  )
