import type { Transitions } from '../../../domain/transitions.ts'
import { locate } from '../../automations/rules/program.ts'
import { eventsOf, type FeedEvent, TRIGGERS } from '../../automations/rules/triggers.ts'
import type { Definition, RunPlace, Step, Trigger } from '../../automations/rules/types.ts'

export const AUTO_QUEUE_STATES = ['draft', 'active', 'inactive'] as const
export const AUTO_QUEUE_TRANSITIONS = {
  activate: { draft: 'active', inactive: 'active' },
  deactivate: { active: 'inactive' },
} as const satisfies Transitions<(typeof AUTO_QUEUE_STATES)[number]>
export const ENROLMENT_STATES = ['active', 'paused', 'completed', 'failed', 'exited', 'removed'] as const
export const RE_ENROLMENT_MODES = ['never', 'after_end', 'after_days'] as const
export const LIST_ENROLMENT_STATES = ['running', 'completed', 'failed'] as const

export const MAX_QUEUE_STEPS = 50
export const MAX_EXITS = 20
/** Enrolments are counted up to this number. */
export const MAX_COUNTED = 1000
/** Records of a list that one statement enrols. */
export const ENROLLED_AT_ONCE = 5000

/**
 * The place of an enrolment in the changed steps of its queue. `former` has the steps that its place is about: a wait and an action for
 * each step of the queue. If its step was removed, it is at the beginning of the next one that is left; `dropped` says that the wait for
 * the removed step ends.
 */
export function placeAmong(former: Step[], steps: Step[], place: RunPlace): { place: RunPlace; dropped: boolean } {
  const index = place.frames[0]?.index ?? former.length
  const at = (found: number) => ({ ...place, frames: [{ in: null, index: found }] })
  const same = steps.findIndex(({ id }) => id === former[index]?.id)
  if (same >= 0) return { place: at(same), dropped: false }
  const left = former.slice(index).find(({ id, type }) => type === 'wait' && steps.some((step) => step.id === id))
  const { waits, ended: _, event: __, wait: ___, ...rest } = at(left ? steps.findIndex(({ id }) => id === left.id) : steps.length)
  return { place: rest, dropped: waits === true }
}

/**
 * The place of an enrolment with the step of its queue that is next, by which enrolments are counted; the place of any other run as it is.
 */
export function withQueueStep(definition: Definition, place: RunPlace): RunPlace {
  if (definition.trigger.type !== 'auto_queue') return place
  return { ...place, step: (locate(definition, place).step?.of as string | undefined) ?? null }
}

/** The triggers that can end enrolments: those about a contact or an opportunity that is enrolled. */
export const EXIT_TYPES = [
  'event',
  'stage_entered',
  'stage_left',
  'opportunity_won',
  'opportunity_lost',
  'tag_added',
  'tag_removed',
  'list_entered',
  'list_left',
  'field_changed',
  'record_archived',
] as const

/** The first exit of a queue that an event matches. */
export const exitFor = (exits: Trigger[], event: FeedEvent): Trigger | undefined =>
  exits.find((exit) => eventsOf(exit).includes(event.type) && TRIGGERS[exit.type]?.refuses?.(exit, event) === undefined)

/** What a change of the steps of a queue does to the enrolments in it. */
export const EFFECTS = {
  created:
    'Enrolments that have not come to this place take the new step. Those that are behind it, and those that have ended, do not. ' +
    'A wait that has begun keeps its end.',
  updated:
    'Enrolments that wait for this step keep the end of their wait, and then take the step as it is now. ' +
    'For all that come to it later, the new delay applies.',
  deleted: 'Enrolments that wait for this step go to the next one when that wait ends; the delay of the next step begins then.',
  reordered: 'Enrolments stay at the step for which they wait, and then take those that follow it in the new order.',
} as const
export type StepChangeKind = keyof typeof EFFECTS
