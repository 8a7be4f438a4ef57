import * as v from 'valibot'
import { agencyCommission, explainLine, teamCommission } from '../../src/features/agency/plans/commission.ts'
import { statementFile } from '../../src/features/agency/plans/statement-file.ts'
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
import { ExportFile } from '../../src/features/exports/schemas/exports.ts'
import { one, scopes, stream } from '../../src/http/modes.ts'
import { describe, Id } from '../../src/schemas/fields.ts'
import { agencyApi } from './agency.ts'

const CLOSES = 'A month that has ended is closed by the first request for it, and never changed afterwards.'

agencyApi.get(
  '/commission',
  {
    id: 'getAgencyCommission',
    summary: 'Get the commission of the agency',
    description:
      'What the platform pays to the agency: this month so far, and the last 24 months with their lines. ' +
      'An owner sees all of it, an account manager what clients have paid that the manager has brought in; ' +
      `nobody else sees it. ${CLOSES}`,
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
  '/commission/statements/:statement_id/export',
  {
    id: 'exportCommissionStatement',
    summary: 'Export a statement of a commission',
    description:
      'All lines of a month that has ended, of the agency or of a member, as CSV in UTF-8: the payment, the version of the plan, ' +
      'the paid month, the rate, and the shares before and after rounding. What the month before has carried in is the first row, ' +
      'so the sum of the column `commission` is what the month comes to. An owner exports every statement, an account manager the ' +
      'lines of the agency’s statement that are about clients whom the manager has brought in, and a member the own payouts. ' +
      'Text that begins with =, +, -, @, a tab or a line break gets a leading apostrophe, so that spreadsheets do not evaluate it.',
    access: scopes('agency:read'),
    params: v.object({ statement_id: describe(Id, 'The id of a statement, or of a payout.') }),
    returns: stream(['text/csv'], ExportFile),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => statementFile(ctx, params.statement_id),
)
agencyApi.get(
  '/team-commission',
  {
    id: 'getTeamCommission',
    summary: 'Get the commission of the team',
    description:
      'What the agency pays to those who have a plan: the plan, this month so far, and the last 24 payouts with their lines. ' +
      `An owner sees the team, others see themselves. ${CLOSES}`,
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
      'Only an owner may. What is not sent stays. Months that have ended are closed with the present plan first, so the change counts ' +
      'from this month on; a first plan counts since the member has joined.',
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
