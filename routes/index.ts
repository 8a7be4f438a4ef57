import type { Endpoint } from '../src/http/endpoint.ts'

/** Endpoints that are loaded together, when a path that begins with one of `roots` is first asked for: starting the Worker costs the same with any number of areas. */
export type Area = { roots: string[]; load: () => Promise<{ endpoints: Endpoint[] }> }

/** Every endpoint: served, documented and tested from this one list. */
export const AREAS: Area[] = [
  {
    roots: [
      ...[
        'contacts',
        'companies',
        'customers',
        'opportunities',
        'deals',
        'pipelines',
        'products',
        'stakeholder-types',
        'deal-stakeholders',
      ],
      ...['tasks', 'activities', 'invoices', 'search', 'filters', 'imports'],
    ],
    load: () => import('./crm.ts'),
  },
  {
    roots: [
      ...['company', 'invitations', 'lead-sources', 'custom-fields', 'custom-field-settings', 'approvals', 'events', 'api-keys', 'me'],
      ...['requests', 'roles', 'permissions'],
    ],
    load: () => import('./workspace.ts'),
  },
]

const byRoot = new Map(AREAS.flatMap((area) => area.roots.map((root) => [root, area] as const)))

/** The area of a path below /v1. */
export const areaOf = (path: string): Area | undefined => byRoot.get(path.split('/', 2)[1] ?? '')

export const allEndpoints = (): Promise<Endpoint[]> =>
  Promise.all(AREAS.map(({ load }) => load())).then((areas) => areas.flatMap(({ endpoints }) => endpoints))
