import type { Transitions } from '../../../domain/transitions.ts'

export const TASK_STATUSES = ['open', 'in_progress', 'completed'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const TASK_TYPES = ['to_do', 'call', 'email', 'meeting', 'follow_up'] as const

export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const

/** Completing and reopening a task. An update can set any status. */
export const TASK_TRANSITIONS = {
  complete: { open: 'completed', in_progress: 'completed' },
  reopen: { completed: 'open' },
} as const satisfies Transitions<TaskStatus>
export type TaskTransition = keyof typeof TASK_TRANSITIONS

export const NO_DUE_DATE = 'A task that recurs needs due_at: send it, or leave out recurrence'
/** The fields of a task of a series that can be changed for it alone. */
export const OWN_FIELDS = ['title', 'description', 'task_type', 'priority', 'all_day', 'due_at', 'reminder_at', 'assigned_to'] as const
/** Whether a change of a task of a series is for it alone, or also for those that follow it. */
export const SERIES_PARTS = ['this', 'following'] as const

const DONE = 'A completed task does not recur: leave it out'

/** Validates a new task as a whole and returns errors by field. */
export function taskFaults({ status, due_at, recurrence }: { status?: TaskStatus | undefined; due_at?: unknown; recurrence?: unknown }) {
  if (!recurrence) return []
  return [
    ...(due_at ? [] : [{ path: 'recurrence', message: NO_DUE_DATE }]),
    ...(status === 'completed' ? [{ path: 'recurrence', message: DONE }] : []),
  ]
}
