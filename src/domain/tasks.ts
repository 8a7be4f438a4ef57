import type { Transitions } from './transitions.ts'

export const TASK_STATUSES = ['open', 'in_progress', 'completed'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const

/** Completing and reopening a task. An update can set any status. */
export const TASK_TRANSITIONS = {
  complete: { open: 'completed', in_progress: 'completed' },
  reopen: { completed: 'open' },
} as const satisfies Transitions<TaskStatus>
export type TaskTransition = keyof typeof TASK_TRANSITIONS
