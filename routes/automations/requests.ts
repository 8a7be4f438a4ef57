import * as v from 'valibot'
import { hasTemplate } from '../../src/domain/automations/templates.ts'
import type { Step } from '../../src/domain/automations/types.ts'
import type { Issue } from '../../src/errors.ts'
import { isWrite } from '../../src/http/endpoint.ts'
import { issuesOf } from '../../src/schemas/issues.ts'
import { ACTIONS, requestOf } from '../../src/services/automations/actions.ts'
import { endpointFor } from '../index.ts'

/** Any record, for the check of a request that is about one of the run. */
const ANY = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const SUBJECTS = { contact_id: ANY, customer_id: ANY, opportunity_id: ANY }

/** What is wrong with the requests that steps send: an endpoint that cannot be a step, or a body that it would not take. */
export async function checkRequests(steps: Step[]): Promise<Issue[]> {
  const issues = await Promise.all(steps.filter(({ type }) => ACTIONS.includes(type)).map(checkRequest))
  return issues.flat()
}

async function checkRequest(step: Step): Promise<Issue[]> {
  const { method, path, body, params } = requestOf(step, SUBJECTS, 0)
  const at = `steps.${step.key ?? step.id}`
  const endpoint = await endpointFor({ method, path })
  if (!endpoint || endpoint.access.public || endpoint.access.direct || endpoint.content || !isWrite(endpoint))
    return [{ path: `${at}.path`, message: `${method} ${path} cannot be a step: it must be a write that may wait for approval` }]
  const missing = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name).filter((name) => !params[name])
  if (missing.length > 0) return missing.map((name) => ({ path: `${at}.params.${name}`, message: 'Required' }))
  if (!endpoint.body) return []
  const result = v.safeParse(endpoint.body, body)
  const found = issuesOf(endpoint.body, body, result.issues)
  // A template becomes a value only when it runs, which the endpoint then checks.
  return found
    .filter(({ path }) => !hasTemplate(valueAt(body, path)))
    .map(({ path, message }) => ({ path: `${at}.fields.${path}`, message }))
}

const valueAt = (body: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (found, name) => (typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined),
      body,
    )
