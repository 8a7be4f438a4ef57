export const TASK_STATUSES = ['open', 'in_progress', 'completed'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const

/** The steps of a task: from which states each may be taken, and where it leads. */
export const TASK_TRANSITIONS = {
  complete: { from: ['open', 'in_progress'], to: 'completed' },
  reopen: { from: ['completed'], to: 'open' },
} as const satisfies Record<string, { from: readonly TaskStatus[]; to: TaskStatus }>
export type TaskTransition = keyof typeof TASK_TRANSITIONS
