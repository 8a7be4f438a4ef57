import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Bool, describe, Id, InstantOut, Integer, Percent, SingleLine } from '../../../schemas/fields.ts'
import { PAYMENT_KINDS } from '../rules/agency.ts'

const amount = (what: string, example = 125.5) => v.pipe(v.number(), v.description(what), v.examples([example]))
const count = (what: string, example = 2) => v.pipe(v.number(), v.integer(), v.description(what), v.examples([example]))
const month = v.pipe(v.string(), v.description('A month in the agency’s zone, `YYYY-MM`.'), v.examples(['2026-10']))
const currency = v.pipe(v.string(), v.description('The currency of all amounts of the agency (ISO 4217).'), v.examples(['AUD']))
const percentage = (what: string, example: number) => v.pipe(v.number(), v.description(what), v.examples([example]))

const lineFields = {
  id: describe(Id, 'The id of the line: `GET /agency/commission/lines/:line_id` explains it.'),
  client_id: describe(Id, 'The id of the client’s workspace.'),
  client_name: v.pipe(v.nullable(v.string()), v.description('The name of the client.'), v.examples(['Bright Roofs'])),
  payment_id: describe(Id, 'The payment.'),
  refund_id: v.nullable(describe(Id, 'The refund of the payment, if the line is about one.')),
  kind: v.pipe(v.picklist(PAYMENT_KINDS), v.description('What was paid for.'), v.examples(['subscription'])),
  occurred_at: describe(InstantOut, 'When it was paid or refunded.'),
  amount: amount('What was paid; negative for a refund.', 250),
  month_index: v.pipe(v.nullable(v.number()), v.description('Which paid month of the subscription it is.'), v.examples([3])),
  plan_version: v.pipe(v.nullable(v.number()), v.description('The version of the plan; null for the agency.'), v.examples([1])),
  rate_percent: percentage('The rate, in percent.', 10),
  commission: amount('The commission; negative for a refund.', 25),
}
const Line = v.object(lineFields)
export type LineOut = v.InferOutput<typeof Line>

const sums = {
  month,
  line_count: count('How many lines it has.'),
  lines: v.pipe(v.array(Line), v.description('Its lines, at most the first 200.')),
  commission: amount('The sum of its lines.'),
}
const carrying = {
  carried_in: amount('What the month before has carried in: refunds that exceeded what was earned, as a negative amount.', 0),
  payable: amount('What is payable for the month.'),
  carried_out: amount('What is carried into the next month, as a negative amount.', 0),
}
const Running = v.object({ ...sums, ...carrying })
const ofAgency = {
  carried_in: v.nullable(carrying.carried_in),
  payable: v.nullable(carrying.payable),
  carried_out: v.nullable(carrying.carried_out),
}
const Statement = v.object({
  id: Id,
  ...sums,
  ...ofAgency,
  locked_at: describe(InstantOut, 'When the month was closed. It is never changed afterwards.'),
})
export const AgencyCommission = named(
  'AgencyCommission',
  v.object({
    scope: v.pipe(
      v.picklist(['agency', 'mine']),
      v.description('Whose clients the figures are about: those of the agency, or only those that the caller has brought in.'),
      v.examples(['agency']),
    ),
    currency,
    running: describe(
      v.object({ ...sums, ...ofAgency }),
      'The present month so far. What is payable and carried is the agency’s: it is null for `mine`.',
    ),
    statements: v.pipe(v.array(Statement), v.description('The last 24 months that have ended, latest first.')),
  }),
)
export type AgencyCommission = v.InferOutput<typeof AgencyCommission>

const planFields = {
  one_off_percent: describe(Percent, 'The share of setup fees and services, in percent.', 10),
  first_months: describe(Integer(0, 600), 'How many paid months of a subscription are the first ones.', 3),
  first_months_percent: describe(Percent, 'The share of the first paid months of a subscription, in percent.', 50),
  ongoing_percent: describe(Percent, 'The share of the paid months after these, in percent.', 10),
}
const ongoingMonths = v.nullable(describe(Integer(0, 600), 'For how many further paid months; null for ever.', 12))
export const CommissionPlan = named(
  'CommissionPlan',
  v.object({
    user_id: describe(Id, 'The member whose plan it is.'),
    version: count('The version: each change is a further one.', 1),
    from_month: month,
    ...planFields,
    ongoing_months: ongoingMonths,
    ongoing_forever: v.pipe(v.boolean(), v.description('Whether the share of further months has no end.')),
  }),
)
export type CommissionPlan = v.InferOutput<typeof CommissionPlan>

export const PlanPatch = v.strictObject({
  one_off_percent: v.optional(planFields.one_off_percent),
  first_months: v.optional(planFields.first_months),
  first_months_percent: v.optional(planFields.first_months_percent),
  ongoing_percent: v.optional(planFields.ongoing_percent),
  ongoing_forever: v.optional(describe(Bool, 'Whether the share of further months has no end: send this or `ongoing_months`.', true)),
  ongoing_months: v.optional(describe(Integer(0, 600), 'For how many further paid months.', 12)),
})
export type PlanPatch = v.InferOutput<typeof PlanPatch>

const Payout = v.object({
  payout_id: describe(Id, 'The id for `PATCH /agency/team-commission/payouts/:payout_id`.'),
  ...sums,
  ...carrying,
  status: v.pipe(
    v.picklist(['owed', 'paid', 'nothing_owed', 'carried_forward']),
    v.description(
      'Whether it was paid. `carried_forward`: refunds have brought the month below zero, which is subtracted from the next one; ' +
        '`nothing_owed`: nothing is payable for another reason.',
    ),
    v.examples(['owed']),
  ),
  payment_reference: v.pipe(v.nullable(v.string()), v.description('How it was paid.'), v.examples(['Transfer 4711'])),
  paid_at: v.nullable(describe(InstantOut, 'When it was marked as paid.')),
})
export const TeamCommission = named(
  'TeamCommission',
  v.object({
    scope: v.pipe(
      v.picklist(['agency', 'self']),
      v.description('Who is shown: everybody with a plan, or only the caller.'),
      v.examples(['agency']),
    ),
    currency,
    members: v.pipe(
      v.array(
        v.object({
          user_id: Id,
          name: v.pipe(v.nullable(v.string()), v.description('The name of the member.'), v.examples(['Ana Silva'])),
          role: v.pipe(v.string(), v.description('The role of the member.'), v.examples(['salesperson'])),
          plan: describe(CommissionPlan, 'The present plan.'),
          running: describe(Running, 'The present month so far.'),
          payouts: v.pipe(v.array(Payout), v.description('The last 24 months that have ended, latest first.')),
        }),
      ),
      v.description('The members with a plan.'),
    ),
  }),
)
export type TeamCommission = v.InferOutput<typeof TeamCommission>

export const PayoutPatch = v.strictObject({
  paid: describe(Bool, 'Whether it was paid; false takes that back.', true),
  payment_reference: v.optional(v.nullable(describe(SingleLine(200), 'How it was paid.', 'Transfer 4711'))),
})
export type PayoutPatch = v.InferOutput<typeof PayoutPatch>
export const PayoutState = named(
  'PayoutState',
  v.object({
    payout_id: Id,
    user_id: describe(Id, 'The member to whom it is paid.'),
    month,
    payable: amount('What is payable for the month.'),
    status: v.pipe(v.picklist(['owed', 'paid']), v.description('Whether it was paid.'), v.examples(['paid'])),
    payment_reference: v.pipe(v.nullable(v.string()), v.description('How it was paid.'), v.examples(['Transfer 4711'])),
    paid_at: v.nullable(describe(InstantOut, 'When it was marked as paid.')),
  }),
)
export type PayoutState = v.InferOutput<typeof PayoutState>

const Share = v.object({
  sign: v.pipe(v.number(), v.integer(), v.description('1 if the share is added, -1 if it is taken off.'), v.examples([1])),
  amount: amount('The amount of which it is the share.', 250),
  exact: v.pipe(v.string(), v.description('The share before rounding.'), v.examples(['25.005000'])),
  rounded: amount('The share, rounded half up to a cent.', 25.01),
})
export const CommissionLine = named(
  'CommissionLine',
  v.object({
    ...lineFields,
    payee: v.pipe(v.picklist(['agency', 'member']), v.description('Who gets it.'), v.examples(['member'])),
    user_id: v.nullable(describe(Id, 'The member who gets it; null if it is the agency.')),
    statement_month: month,
    is_locked: v.pipe(v.boolean(), v.description('Whether its month was closed; before that a change of the plan changes the line.')),
    payment_amount: amount('The whole payment.', 250),
    shares: v.pipe(v.array(Share), v.description('What the commission is the sum of.')),
  }),
)
export type CommissionLine = v.InferOutput<typeof CommissionLine>
