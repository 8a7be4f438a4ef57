import { Hono } from 'hono'
import * as v from 'valibot'
import { cancelRun, getRun, listRuns, listSteps, replayRun, retryRun } from '../../src/features/automations/plans/runs.ts'
import { AutomationRun, AutomationStep, runFilters } from '../../src/features/automations/schemas/automation-runs.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { describe, Id, pageQuery } from '../../src/schemas/fields.ts'
import { AUTOMATION } from '../paths.ts'

export const automationRunsRouter = new Hono<App>()
export const automationRunsApi = endpoints(automationRunsRouter, { path: AUTOMATION.runs, tag: 'Automations' })

const params = v.object({ run_id: Id })
const write = scopes('automations:write', 'contacts:read', 'companies:read', 'opportunities:read')
/** Runs and their data are about records of every kind. */
const read = scopes('automations:read', 'contacts:read', 'companies:read', 'opportunities:read')

automationRunsApi.get(
  '',
  {
    id: 'listAutomationRuns',
    summary: 'List runs of automations, newest first',
    access: read,
    query: v.strictObject({ ...pageQuery, ...runFilters }),
    returns: listOf(AutomationRun),
  },
  ({ query }) => listRuns(query),
)
automationRunsApi.get(
  '/:run_id',
  { id: 'getAutomationRun', summary: 'Get a run of an automation', access: read, params, returns: AutomationRun, errors: ['NOT_FOUND'] },
  ({ params }) => getRun(params.run_id),
)
automationRunsApi.get(
  '/:run_id/steps',
  {
    id: 'listAutomationRunSteps',
    summary: 'List the steps that a run of an automation has taken, in order',
    description: 'Each with what it was given, what it returned, its attempts and its duration. Secrets are left out.',
    access: read,
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(AutomationStep),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listSteps(params.run_id, query),
)
automationRunsApi.post(
  '/:run_id/cancel',
  {
    id: 'cancelAutomationRun',
    summary: 'Cancel a run of an automation',
    access: write,
    params,
    returns: AutomationRun,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ params }) => cancelRun(params.run_id),
)
automationRunsApi.post(
  '/:run_id/retry',
  {
    id: 'retryAutomationRun',
    summary: 'Continue a failed run of an automation',
    description: 'It goes on with the step that failed. What the steps before have done is not repeated.',
    access: write,
    params,
    returns: AutomationRun,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ params }) => retryRun(params.run_id),
)
automationRunsApi.post(
  '/:run_id/replay',
  {
    id: 'replayAutomationRun',
    summary: 'Repeat a run of an automation from one of its steps',
    description:
      'Starts a new run of the same version from this step on. Steps from there whose effect has been committed are left out, ' +
      'and what they returned is used.',
    access: write,
    params,
    body: v.strictObject({ step_id: describe(Id, 'The id of a step that the run has taken.') }),
    returns: AutomationRun,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params, body }) => replayRun(ctx, params.run_id, body.step_id),
)
