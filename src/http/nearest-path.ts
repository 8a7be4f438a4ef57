import { editDistance, nearest } from '../lib/nearest.ts'

/** The longest path that is compared with the known ones. */
const MAX_PATH = 200

/** Other names under which callers look for a resource, by the first segment of their path. */
const ALSO_CALLED: Record<string, string> = {
  accounts: 'companies',
  audit: 'requests',
  audits: 'requests',
  bookings: 'scheduling-bookings',
  calendars: 'calendar-connections',
  campaigns: 'email-campaigns',
  credits: 'billing/credits',
  emails: 'email/threads',
  fields: 'custom-fields',
  keys: 'api-keys',
  leads: 'contacts',
  login: 'me',
  members: 'company/users',
  organizations: 'companies',
  organisations: 'companies',
  people: 'contacts',
  persons: 'contacts',
  profile: 'me',
  schedules: 'auto-schedules',
  segments: 'lists',
  session: 'me',
  slots: 'scheduling-bookings/available-slots',
  stages: 'pipelines',
  team: 'company/users',
  tokens: 'api-keys',
  users: 'company/users',
  whoami: 'me',
  workflows: 'automations',
}

/** The first segments of all paths below /v1, and the paths below one of them with `:name` for each parameter. */
type Known = { roots: string[]; pathsOf: (root: string) => Promise<string[]> }

/**
 * The path that was probably meant, for one that does not exist: with /v1, without a slash at its end, and with the nearest known names.
 */
export async function nearestPath(path: string, { roots, pathsOf }: Known): Promise<string | undefined> {
  if (path.length > MAX_PATH) return undefined
  const segments = path.split('/').filter((segment) => segment && !/^(api|v\d+)$/i.test(segment))
  const [first, ...rest] = segments
  const root = first && rootFor(first, roots)
  if (!root) return undefined
  const meant = `/v1/${[root, ...rest].join('/')}`
  const paths = await pathsOf(root.split('/')[0] as string)
  const found = nearestOf(meant, paths) ?? (paths.some((one) => one.startsWith(`/v1/${root}`)) && rest.length > 0 ? undefined : meant)
  return found === path ? undefined : found
}

function rootFor(segment: string, roots: string[]): string | undefined {
  const name = segment.toLowerCase()
  if (roots.includes(name)) return name
  return (Object.hasOwn(ALSO_CALLED, name) && ALSO_CALLED[name]) || nearest(name, roots)
}

/** The template of as many segments whose names differ least, with the values that the path has for its parameters. */
function nearestOf(path: string, templates: string[]): string | undefined {
  const written = path.split('/')
  let best: { path: string; distance: number } | undefined
  for (const template of templates) {
    const names = template.split('/')
    if (names.length !== written.length) continue
    const distance = distanceOf(names, written)
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { path: names.map((name, at) => (name.startsWith(':') ? written[at] : name)).join('/'), distance }
  }
  return best?.path
}

/** How much the names of a path differ from those of a template; infinite if one of them differs in more than a third of its letters. */
function distanceOf(names: string[], written: string[]): number {
  let total = 0
  for (const [at, name] of names.entries()) {
    // A parameter fits everything, but a name that fits is better.
    const distance = name.startsWith(':') ? 0.5 : editDistance(name, (written[at] as string).toLowerCase())
    if (distance > Math.max(1, Math.floor(name.length / 3))) return Number.POSITIVE_INFINITY
    total += distance
  }
  return total
}
