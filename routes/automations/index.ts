import { Hono } from 'hono'
import * as v from 'valibot'
import { automations } from '../../schema/index.ts'
import {
  createAutomation,
  duplicateAutomation,
  exportAutomation,
  pauseAutomation,
  publishAutomation,
  resumeAutomation,
  updateAutomation,
  validateAutomation,
} from '../../src/features/automations/plans/automations.ts'
import { describeCatalogue } from '../../src/features/automations/plans/catalogue.ts'
import { explain } from '../../src/features/automations/plans/explain.ts'
import { checkRequestsWith, rightsWith } from '../../src/features/automations/plans/requests.ts'
import { countSteps, forRuns, startRun } from '../../src/features/automations/plans/runs.ts'
import { getVersion, listVersions } from '../../src/features/automations/plans/versions.ts'
import { AUTOMATION_STATES } from '../../src/features/automations/rules/states.ts'
import { Explanation, explainQuery, Funnel, StartBody, StartResult } from '../../src/features/automations/schemas/automation-runs.ts'
import {
  Automation,
  AutomationFile,
  AutomationPatch,
  AutomationVersion,
  CatalogueEntry,
  ImportedAutomation,
  NewAutomation,
  ValidationResult,
} from '../../src/features/automations/schemas/automations.ts'
import { created, listOf, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Bool, describe, Enum, Id, Name, pageQuery } from '../../src/schemas/fields.ts'
import { endpointFor } from '../index.ts'
import { AUTOMATION } from '../paths.ts'
import { pathOf } from './reading.ts'

export const automationsRouter = new Hono<App>()
export const automationsApi = endpoints(automationsRouter, { path: AUTOMATION.automations, tag: 'Automations' })
const catalogueRouter = new Hono<App>()
export const catalogueApi = endpoints(catalogueRouter, { path: AUTOMATION.catalogue, tag: 'Automations' })

const checkRequests = checkRequestsWith(endpointFor)
const params = v.object({ automation_id: Id })
const write = scopes('automations:write')
const read = scopes('automations:read')
/** Runs and their data are about records of every kind. */
const readRuns = scopes('automations:read', 'contacts:read', 'companies:read', 'opportunities:read')

resource(automationsApi, {
  name: 'automation',
  plural: 'automations',
  table: automations,
  returns: Automation,
  list: {
    filters: { state: v.optional(Enum(AUTOMATION_STATES, 'Only automations in this state.')) },
    sorts: ['created_at', 'updated_at'],
  },
  get: {},
  create: {
    description:
      'Creates a draft: nothing runs until it is published. Texts in the settings of steps may contain templates such as ' +
      '`{{ contact.first_name | default: "there" }}`.',
    body: NewAutomation,
    plan: (ctx, input) => createAutomation(input, checkRequests(ctx)),
  },
  update: {
    description: 'Changes the draft. What runs stays the published version until it is published again.',
    body: AutomationPatch,
    plan: (ctx, id, patch) => updateAutomation(ctx, id, patch, checkRequests(ctx)),
  },
  remove: { description: 'Its runs and versions are deleted with it.' },
  history: true,
})

automationsApi.post(
  '/validate',
  {
    id: 'validateAutomation',
    summary: 'Validate the definition of an automation',
    description: 'Returns everything that is wrong with it, and stores nothing.',
    access: read,
    effect: 'read',
    body: NewAutomation,
    returns: ValidationResult,
  },
  ({ ctx, body }) => validateAutomation(body, checkRequests(ctx)),
)
automationsApi.post(
  '/import',
  {
    id: 'importAutomation',
    summary: 'Import an automation',
    description:
      'Creates a draft from what the export of an automation returned. Ids of lists, stages, members and automations ' +
      'must exist in this workspace.',
    access: write,
    body: ImportedAutomation,
    returns: created(Automation),
    errors: ['CONFLICT'],
  },
  ({ ctx, body: { format: _, ...automation } }) => createAutomation(automation, checkRequests(ctx)),
)
automationsApi.get(
  '/:automation_id/export',
  {
    id: 'exportAutomation',
    summary: 'Export an automation',
    description: 'Returns the definition as JSON, without ids of its own, to import it into another workspace.',
    access: read,
    params,
    returns: AutomationFile,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => exportAutomation(params.automation_id),
)
automationsApi.post(
  '/:automation_id/duplicate',
  {
    id: 'duplicateAutomation',
    summary: 'Duplicate an automation',
    description: 'Creates a draft with the same definition under another name.',
    access: write,
    params,
    body: v.strictObject({ name: describe(Name(120), 'The name of the duplicate.', 'Welcome new contacts (copy)') }),
    returns: created(Automation),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ ctx, params, body }) => duplicateAutomation(ctx, params.automation_id, body.name, checkRequests(ctx)),
)
automationsApi.post(
  '/:automation_id/publish',
  {
    id: 'publishAutomation',
    summary: 'Publish an automation',
    description:
      'Makes the definition, as it is now, a version that new runs follow. Runs that have begun keep their version. ' +
      'The caller becomes the publisher: the steps have the rights that the member and the key have at the time of each step. ' +
      'With a key of level approval, each step waits for approval. Runs that have begun act with the rights of the publisher of their ' +
      'version; when these are gone, they wait with the reason `no_rights`, until a version is published with `adopt_runs`.',
    access: write,
    params,
    body: v.strictObject({
      adopt_runs: v.optional(
        describe(
          Bool,
          'Whether the runs of earlier versions, too, act with the rights of the caller from now on, who must have ' +
            'the scopes of their steps.',
          true,
        ),
      ),
    }),
    returns: Automation,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) =>
    publishAutomation(ctx, params.automation_id, checkRequests(ctx), body.adopt_runs ?? false, rightsWith(endpointFor)),
)
automationsApi.post(
  '/:automation_id/pause',
  {
    id: 'pauseAutomation',
    summary: 'Pause an automation',
    description: 'No run starts, and those that have begun wait until it is resumed or published.',
    access: write,
    params,
    returns: Automation,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => pauseAutomation(ctx, params.automation_id),
)
automationsApi.post(
  '/:automation_id/resume',
  {
    id: 'resumeAutomation',
    summary: 'Resume an automation that is paused',
    access: write,
    params,
    returns: Automation,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => resumeAutomation(ctx, params.automation_id),
)
automationsApi.get(
  '/:automation_id/versions',
  {
    id: 'listAutomationVersions',
    summary: 'List the published versions of an automation, newest first',
    access: read,
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(AutomationVersion),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listVersions(params.automation_id, query),
)
automationsApi.get(
  '/:automation_id/versions/:number',
  {
    id: 'getAutomationVersion',
    summary: 'Get a version of an automation',
    access: read,
    params: v.object({
      automation_id: Id,
      number: describe(v.pipe(v.string(), v.regex(/^[1-9]\d{0,6}$/, 'must be a number')), 'The number of the version.', '1'),
    }),
    returns: AutomationVersion,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getVersion(params.automation_id, Number(params.number)),
)
automationsApi.post(
  '/:automation_id/start',
  {
    id: 'startAutomation',
    summary: 'Start a run of an automation',
    description:
      'Starts a run about the records that are named, whatever its trigger. Its conditions do not apply, its enrolment does: ' +
      '`run_id` is null where it allows no run. It needs the scopes of the steps as well, because the run has the rights of the ' +
      'publisher, unless the publisher has published it with `open_to_start`. With `?dry_run=true` the answer has the path that the ' +
      'run would take: what each step would be given, return and change.',
    access: scopes('automations:write'),
    params,
    body: StartBody,
    returns: StartResult,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => pathOf(ctx, params.automation_id, body).then((path) => startRun(ctx, params.automation_id, body, path)),
)
automationsApi.get(
  '/:automation_id/funnel',
  {
    id: 'getAutomationFunnel',
    summary: 'Count how the steps of an automation ended',
    description: 'Returns for each step how many runs have taken it and how it ended, over all versions.',
    access: read,
    params,
    returns: Funnel,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => countSteps(params.automation_id),
)
automationsApi.get(
  '/:automation_id/explain',
  {
    id: 'explainAutomation',
    summary: 'Explain which events of a record started an automation',
    description:
      'Returns, for each of the latest 50 events of a contact, company or opportunity, the run that it started or the rule that ' +
      'kept it from starting one.',
    access: readRuns,
    params,
    query: v.strictObject(explainQuery),
    returns: v.array(Explanation),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => explain(params.automation_id, query),
)
const AtOnce = v.object({
  count: v.pipe(v.number(), v.integer()),
  more: v.pipe(v.boolean(), v.description('Whether to call again: 1,000 runs at most in a call.')),
})
automationsApi.post(
  '/:automation_id/cancel-runs',
  {
    id: 'cancelAutomationRuns',
    summary: 'Cancel all runs of an automation that have not ended',
    access: write,
    params,
    returns: AtOnce,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => forRuns(params.automation_id, 'cancel_runs'),
)
automationsApi.post(
  '/:automation_id/retry-failed',
  {
    id: 'retryAutomationRuns',
    summary: 'Continue all runs of an automation that failed',
    description: 'Each goes on with the step that failed.',
    access: write,
    params,
    returns: AtOnce,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => forRuns(params.automation_id, 'retry_runs'),
)
catalogueApi.get(
  '',
  {
    id: 'getAutomationCatalogue',
    summary: 'Get the triggers, conditions and steps that automations can use',
    description: 'Each has the JSON Schema of its settings.',
    access: read,
    returns: CatalogueEntry,
  },
  () => describeCatalogue(),
)
