import * as v from 'valibot'
import { agencyCommission, explainLine, teamCommission } from '../../src/features/agency/plans/commission.ts'
import { changePlan, markPayout } from '../../src/features/agency/plans/team.ts'
import {
  AgencyCommission,
  CommissionLine,
  CommissionPlan,
  PayoutPatch,
  PayoutState,
  PlanPatch,
  TeamCommission,
} from '../../src/features/agency/schemas/commission.ts'
import { one, scopes } from '../../src/http/modes.ts'
import { Id } from '../../src/schemas/fields.ts'
import { agencyApi } from './agency.ts'

const CLOSES = 'A month that has ended is closed by the first request for it, and never changed afterwards.'

agencyApi.get(
  '/commission',
  {
    id: 'getAgencyCommission',
    summary: 'Get the commission of the agency',
    description: `What the platform pays to the agency: this month so far, and the last 24 months with their lines. An owner sees all of it, an account manager what clients have paid that the manager has brought in; nobody else sees it. ${CLOSES}`,
    access: scopes('agency:read'),
    returns: one(AgencyCommission),
    errors: ['FORBIDDEN'],
  },
  ({ ctx }) => agencyCommission(ctx),
)
agencyApi.get(
  '/commission/lines/:line_id',
  {
    id: 'explainCommissionLine',
    summary: 'Explain a line of a commission',
    description: 'The payment, the version of the plan, the paid month, the rate, and the share before and after rounding.',
    access: scopes('agency:read'),
    params: v.object({ line_id: Id }),
    returns: one(CommissionLine),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => explainLine(ctx, params.line_id),
)
agencyApi.get(
  '/team-commission',
  {
    id: 'getTeamCommission',
    summary: 'Get the commission of the team',
    description: `What the agency pays to those who have a plan: the plan, this month so far, and the last 24 payouts with their lines. An owner sees the team, others see themselves. ${CLOSES}`,
    access: scopes('agency:read'),
    returns: one(TeamCommission),
    errors: ['FORBIDDEN'],
  },
  ({ ctx }) => teamCommission(ctx),
)
agencyApi.patch(
  '/team-commission/plans/:user_id',
  {
    id: 'changeCommissionPlan',
    summary: 'Change a commission plan',
    description:
      'Only an owner may. What is not sent stays. Months that have ended are closed with the present plan first, so the change counts from this month on; a first plan counts since the member has joined.',
    access: scopes('agency:write'),
    params: v.object({ user_id: Id }),
    body: PlanPatch,
    returns: one(CommissionPlan),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ ctx, params, body }) => changePlan(ctx, params.user_id, body),
)
agencyApi.patch(
  '/team-commission/payouts/:payout_id',
  {
    id: 'markCommissionPayout',
    summary: 'Mark a payout as paid',
    description: 'Only an owner may. `paid: false` takes it back. A month for which nothing is owed cannot be paid.',
    access: scopes('agency:write'),
    params: v.object({ payout_id: Id }),
    body: PayoutPatch,
    returns: one(PayoutState),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ params, body }) => markPayout(params.payout_id, body),
)
