import type { Endpoint } from '../src/http/endpoint.ts'
import type { Api } from '../src/http/router.ts'
import {
  AGENCY,
  AGENT_OPS,
  AGENTS,
  AUTOMATION,
  CALENDARS,
  CAMPAIGNS,
  CRM,
  DOCUMENTS,
  GROWTH,
  KNOWLEDGE,
  MAILBOXES,
  PHONE,
  PUBLIC_IMAGES,
  SCHEDULING,
  WHATSAPP,
  WORKSPACE,
} from './paths.ts'

/**
 * The resources of an area are loaded together, when one of their paths is first requested. So starting the Worker costs the same with
 * any number of areas.
 */
export type Area = { paths: Record<string, string>; outside?: Record<string, string>; load: () => Promise<{ apis: Api[] }> }

/** The endpoint registry: what is served, documented and tested. */
export const AREAS: Area[] = [
  { paths: CRM, load: () => import('./crm.ts') },
  { paths: AUTOMATION, load: () => import('./automation.ts') },
  { paths: WORKSPACE, load: () => import('./workspace.ts') },
  { paths: CAMPAIGNS, load: () => import('./campaigns/index.ts') },
  { paths: PHONE, load: () => import('./phone/index.ts') },
  { paths: AGENTS, load: () => import('./agents/index.ts') },
  { paths: WHATSAPP, load: () => import('./whatsapp/index.ts') },
  { paths: CALENDARS, load: () => import('./calendars/index.ts') },
  { paths: MAILBOXES, load: () => import('./mailboxes/index.ts') },
  { paths: SCHEDULING, load: () => import('./scheduling/index.ts') },
  { paths: AGENT_OPS, load: () => import('./agent-ops.ts') },
  { paths: KNOWLEDGE, load: () => import('./knowledge/index.ts') },
  { paths: DOCUMENTS, outside: PUBLIC_IMAGES, load: () => import('./documents/index.ts') },
  { paths: GROWTH, load: () => import('./growth/index.ts') },
  { paths: AGENCY, load: () => import('./agency/index.ts') },
]

/** The path of a router: `/v1/contacts` for /v1/contacts/1. Outside /v1 it is the first segment. */
const rootOf = (path: string): string => /^(\/v1)?\/[^/]*/.exec(path)?.[0] ?? ''

const pathsOf = ({ paths, outside = {} }: Area) => [...Object.values(paths).map((path) => `/v1${path}`), ...Object.values(outside)]
const byRoot = new Map(AREAS.flatMap((area) => pathsOf(area).map((path) => [rootOf(path), area] as const)))

/** Returns the area that serves a path. */
export const areaOf = (path: string): Area | undefined => byRoot.get(rootOf(path))

/** The first segments of all paths below /v1. */
export const ROOTS = [...byRoot.keys()].filter((root) => root.startsWith('/v1/')).map((root) => root.slice('/v1/'.length))

export const endpointsOf = ({ load }: Area): Promise<Endpoint[]> => load().then(({ apis }) => apis.flatMap(({ endpoints }) => endpoints))

export const allEndpoints = (): Promise<Endpoint[]> => Promise.all(AREAS.map(endpointsOf)).then((areas) => areas.flat())

/** The endpoint of a stored request, by its method and path; undefined if it no longer exists. */
export function endpointFor({ method, path }: { method: string; path: string }): Promise<Endpoint | undefined> {
  const area = areaOf(`/v1${path}`)
  const all = area ? endpointsOf(area) : Promise.resolve([])
  return all.then((list) => list.find((one) => one.method === method && one.path === path))
}
