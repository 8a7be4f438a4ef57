import * as v from 'valibot'
import type { Ctx } from '../../../context.ts'
import { type OutsideRules, outsideFault } from '../../../domain/outside-addresses.ts'
import type { Issue } from '../../../errors.ts'
import { issuesOf, UNKNOWN_FIELD } from '../../../schemas/issues.ts'
import { placedSteps } from '../rules/program.ts'
import { hasTemplate, valueAt } from '../rules/templates.ts'
import type { Step } from '../rules/types.ts'
import { ACTIONS, requestOf } from './actions.ts'
import type { CheckRequests, RightsOf } from './automations.ts'

/** What the check looks at of an endpoint. */
type StepEndpoint = {
  path: string
  effect: string
  access: { scopes?: readonly string[]; admin?: boolean; public?: boolean; direct?: boolean | 'every_level' }
  content?: unknown
  body?: v.GenericSchema | undefined
}
export type FindEndpoint = (request: { method: string; path: string }) => Promise<StepEndpoint | undefined>

/** Any record, for the check of a request that is about one of the run. */
const ANY = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const SUBJECTS = { contact_id: ANY, customer_id: ANY, opportunity_id: ANY }

/**
 * Checks the requests that steps send: an endpoint that cannot be a step, or a body that it would not take. `find` is the registry of
 * endpoints.
 */
export const checkRequestsWith =
  (find: FindEndpoint) =>
  ({ deployment }: Ctx): CheckRequests =>
  async (written) => {
    const steps = placedSteps(written)
    // The requests of automations do not know the deployment.
    const outside = deployment?.outside
    const issues = await Promise.all(
      steps.filter(({ step }) => ACTIONS.includes(step.type)).map(({ step, path }) => checkRequest(step, path, find)),
    )
    return [...issues.flat(), ...(outside ? steps.flatMap(({ step, path }) => addressIssues(step, path, outside)) : [])]
  }

/** The scopes that the requests of steps need at least, and whether one is for a client_admin only. `find` is the registry of endpoints. */
export const rightsWith =
  (find: FindEndpoint): RightsOf =>
  async (steps) => {
    const requests = steps.filter(({ type }) => ACTIONS.includes(type)).map((step) => requestOf(step, SUBJECTS, 0))
    const access = (await Promise.all(requests.map(find))).flatMap((endpoint) => (endpoint ? [endpoint.access] : []))
    const scopes = new Set(access.flatMap((one) => one.scopes ?? []))
    return { scopes: [...scopes].toSorted(), admin: access.some(({ admin }) => admin) }
  }

/**
 * What is wrong with the address of an HTTP step, as far as it does not depend on templates. The client checks it again before each
 * request.
 */
function addressIssues({ type, url }: Step, path: string, outside: OutsideRules): Issue[] {
  if (type !== 'http_request') return []
  const [origin = ''] = /^[^/?#]*(?:\/\/)?[^/?#]*/.exec(url as string) ?? []
  const fault = hasTemplate(origin) ? undefined : outsideFault(hasTemplate(url) ? origin : (url as string), outside)
  return fault ? [{ path: `${path}.url`, message: fault }] : []
}

const mayBeStep = (endpoint: StepEndpoint | undefined): endpoint is StepEndpoint =>
  endpoint !== undefined && !endpoint.access.public && !endpoint.access.direct && !endpoint.content && endpoint.effect !== 'read'

async function checkRequest(step: Step, at: string, find: FindEndpoint): Promise<Issue[]> {
  const { method, path, body, params } = requestOf(step, SUBJECTS, 0)
  const endpoint = await find({ method, path })
  if (!mayBeStep(endpoint))
    return [{ path: `${at}.path`, message: `${method} ${path} cannot be a step: it must be a write that may wait for approval` }]
  const missing = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name).filter((name) => !params[name])
  if (missing.length > 0) return missing.map((name) => ({ path: `${at}.params.${name}`, message: 'Required' }))
  if (!endpoint.body) return []
  const result = v.safeParse(endpoint.body, body)
  const found = issuesOf(endpoint.body, body, result.issues)
  // A template becomes a value only when it runs, which the endpoint then checks. Names are known before.
  return found
    .filter(({ path, message }) => message.startsWith(UNKNOWN_FIELD) || !hasTemplate(valueAt(body, path.split('.'))))
    .map(({ path, message }) => ({ path: `${at}.fields.${path}`, message }))
}
