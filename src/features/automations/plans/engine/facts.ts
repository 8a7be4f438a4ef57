import { dayIn } from '../../../../domain/local-days.ts'
import { placeAmong } from '../../../auto-queues/rules/auto-queues.ts'
import { readSnapshot, shownEvent } from '../../../events/schemas/snapshots.ts'
import type { Subjects } from '../../rules/about.ts'
import { endsWait } from '../../rules/event-waits.ts'
import { allSteps, itemOf } from '../../rules/program.ts'
import type { Scope } from '../../rules/templates.ts'
import { readableBy } from '../../rules/triggers.ts'
import type { RunPlace } from '../../rules/types.ts'
import type { Facts } from './step.ts'
import type { Claimed, ClaimedRun, Rights, RunError, Version } from './types.ts'

/** What the templates of a run can use beside its place: the run, the records that it is about, and the rights of the publisher. */
export type RunFacts = {
  run: Pick<ClaimedRun, 'id' | 'automation_id' | 'trigger_data' | 'contact_id' | 'customer_id' | 'opportunity_id' | 'failures'>
  known: Pick<Claimed, 'workspace' | 'contact' | 'company' | 'opportunity'>
  version: Pick<Version, 'definition' | 'rights' | 'unreadable'>
}

const KINDS = {
  contact: ['contact_id', 'contacts'],
  company: ['customer_id', 'companies'],
  opportunity: ['opportunity_id', 'opportunities'],
} as const

/** Whether rights include a scope. */
const includes = (granted: string[], [resource, action]: [string, string]): boolean =>
  granted.some((scope) => {
    const [r, a] = scope.split(':')
    return (r === '*' || r === resource) && (a === '*' || a === action)
  })
export const mayRead = ({ scopes, role_scopes }: Rights, resource: string): boolean =>
  includes(scopes, [resource, 'read']) && includes(role_scopes, [resource, 'read'])

export const subjectsOf = ({
  contact_id,
  customer_id,
  opportunity_id,
}: Pick<RunFacts['run'], 'contact_id' | 'customer_id' | 'opportunity_id'>): Subjects => ({
  contact_id: contact_id ?? undefined,
  customer_id: customer_id ?? undefined,
  opportunity_id: opportunity_id ?? undefined,
})

/** Where a run is among the steps of its version, and the end of its wait for a step that was removed from its auto queue. */
export function currentPlace(
  { former_steps, place: stored, moves }: ClaimedRun,
  { definition }: Version,
): { place: RunPlace; results: object[] } {
  if (!former_steps) return { place: stored, results: [] }
  const { place, dropped } = placeAmong(former_steps, definition.steps, stored)
  return { place, results: dropped ? [{ sequence: moves, state: 'skipped' }] : [] }
}

/** As awaited_events returns them. */
const MAX_ARRIVED = 200

/** What may have ended the wait of a run, for its next decision. */
export function arrivalsOf(run: ClaimedRun, { wait }: RunPlace, { unreadable }: Version): Pick<Facts, 'arrived' | 'ends'> {
  const events = (run.events ?? []).map(shownEvent)
  const visible = events.map((event) => readableBy(event, unreadable))
  return {
    arrived: { events: visible, isPart: wait?.looked !== true && events.length >= MAX_ARRIVED },
    // What the publisher may not read says which records an event is about, and meets no condition.
    ends: (awaited, shown) => {
      const event = events[visible.indexOf(shown)]
      return event !== undefined && endsWait(awaited, run, event) && (event === shown || awaited.where === undefined)
    },
  }
}

/** The zone of the contact of a run, else of the workspace. */
export function zoneOf(run: RunFacts['run'], { contact, workspace }: RunFacts['known']): string {
  const zone = run.contact_id === null ? undefined : contact[run.contact_id]?.local_zone
  return typeof zone === 'string' ? zone : workspace.timezone
}

/** What the templates of a run can use. Records that the publisher may not read are left out, and so is what events say of them. */
export function scopeOf({ run, known, version: { definition, rights, unreadable } }: RunFacts, place: RunPlace, now: Date): Scope {
  const zone = zoneOf(run, known)
  const values: Record<string, unknown> = {
    trigger: readableBy(run.trigger_data, unreadable),
    steps: stepsOf(definition, place, run.failures ?? {}),
    item: itemOf(place),
    workspace: known.workspace,
    run: { id: run.id, automation_id: run.automation_id },
    now: now.toISOString(),
    today: dayIn(zone, now),
  }
  for (const [kind, [column, resource]] of Object.entries(KINDS)) {
    const id = run[column]
    const row = id === null ? undefined : known[kind as keyof typeof KINDS][id]
    if (row && rights && mayRead(rights, resource)) values[kind] = readSnapshot(kind, String(id), row)
  }
  return { values, zone }
}

/** What steps have led to, by id and by key: what they returned, and in `failure` why they failed or were skipped. */
function stepsOf(definition: RunFacts['version']['definition'], { outputs }: RunPlace, failures: Record<string, RunError>) {
  const failed = Object.entries(failures).map(([id, failure]) => [id, { ...(outputs[id] as object | undefined), failure }] as const)
  const known: Record<string, unknown> = { ...outputs, ...Object.fromEntries(failed) }
  const keyed = allSteps(definition.steps).flatMap(({ id, key }) => (key && Object.hasOwn(known, id) ? [[key, known[id]] as const] : []))
  return { ...known, ...Object.fromEntries(keyed) }
}
