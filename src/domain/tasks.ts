export const TASK_STATUSES = ['open', 'in_progress', 'completed'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const

/** The transitions of a task: the states that each starts from, and the state it leads to. */
export const TASK_TRANSITIONS = {
  complete: { from: ['open', 'in_progress'], to: 'completed' },
  reopen: { from: ['completed'], to: 'open' },
} as const satisfies Record<string, { from: readonly TaskStatus[]; to: TaskStatus }>
export type TaskTransition = keyof typeof TASK_TRANSITIONS
