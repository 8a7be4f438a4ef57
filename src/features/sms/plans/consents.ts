import { eq, sql } from 'drizzle-orm'
import { smsConsents } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { equalTo } from '../../../data/lists.ts'
import { type Keys, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { type consentFilters, type NewSmsConsent, SmsConsent } from '../schemas/sms.ts'

type Page = { limit: number; after?: string | undefined }
type Filters = { [Name in keyof typeof consentFilters]?: string | undefined }

const columns = columnsFor(smsConsents, SmsConsent)
const consents = (keys: Keys) => db.select({ ...columns, ...keys }).from(smsConsents)
const consent = (id: string) => oneOrThrow(db.select(columns).from(smsConsents).where(eq(smsConsents.id, id)), 'SMS consent', id)

/** Lists what people have decided, the latest first. */
export function listConsents({ limit, after, ...filters }: Page & Filters) {
  return read(
    page({
      select: consents,
      id: smsConsents.id,
      where: equalTo(smsConsents, filters),
      sorts: { occurred_at: smsConsents.occurred_at },
      name: `sms consents ${JSON.stringify(filters)}`,
      query: { limit, after, sort: '-occurred_at' },
    }),
  )
}

export const getConsent = (id: string) => read(consent(id))

/** Records what a person has decided, which holds at once unless a later decision is known. @throws VALIDATION_ERROR */
export function recordConsent(ctx: Ctx, body: NewSmsConsent) {
  if (body.occurred_at !== undefined && Date.parse(body.occurred_at) > ctx.now.getTime())
    throw invalid([{ path: 'occurred_at', message: 'must not be in the future' }])
  const id = newId()
  const decision = sql`${JSON.stringify({ ...body, id })}::jsonb || jsonb_build_object('recorded_by', current_user_id())`
  return plan([call('record_sms_consent', decision)], consent(id))
}
