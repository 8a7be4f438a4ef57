import type { Transitions } from '../../../domain/transitions.ts'

/** `checked` means validated without writing. `failed` and `cancelled` imports can be resumed. */
export const IMPORT_STATES = ['ready', 'checking', 'checked', 'running', 'finished', 'failed', 'cancelled', 'undoing', 'undone'] as const
export type ImportState = (typeof IMPORT_STATES)[number]

/** A check, run or undo is started by a request, and finished or failed by the queue. */
export const IMPORT_TRANSITIONS = {
  update: { ready: 'ready', checked: 'ready' },
  check: { ready: 'checking', checked: 'checking' },
  run: { ready: 'running', checked: 'running', failed: 'running', cancelled: 'running' },
  undo: { finished: 'undoing', failed: 'undoing', cancelled: 'undoing' },
  cancel: { checking: 'ready', running: 'cancelled' },
  finish: { checking: 'checked', running: 'finished', undoing: 'undone' },
  fail: { checking: 'ready', running: 'failed', undoing: 'failed' },
} as const satisfies Transitions<ImportState>

export const PHASES = ['check', 'run', 'undo'] as const
export type Phase = (typeof PHASES)[number]

/** The phase that the queue processes in a state. */
export const PHASE_OF: Partial<Record<ImportState, Phase>> = { checking: 'check', running: 'run', undoing: 'undo' }
export const ACTIVE_STATES = Object.keys(PHASE_OF) as ImportState[]

/** States after which the import's file is no longer needed. */
export const ENDED_STATES: readonly ImportState[] = ['finished', 'undoing', 'undone']

/** Whether a run continues after the lines that an earlier one completed. */
export const resumes = (state: ImportState): boolean => state === 'failed' || state === 'cancelled'

/**
 * Why a phase cannot start, with the states in which it could; undefined when it can. A run cannot follow an undo that stopped half-way.
 */
export function startIssue(
  phase: Phase,
  state: ImportState,
  lastPhase: Phase | null,
): { message: string; details: { state: ImportState; allowed: string[] } } | undefined {
  const allowed = Object.keys(IMPORT_TRANSITIONS[phase])
  const isPartlyUndone = lastPhase === 'undo'
  if (allowed.includes(state) && !(phase === 'run' && isPartlyUndone)) return undefined
  return { message: `This import is ${state}${isPartlyUndone ? ', and partly undone' : ''}`, details: { state, allowed } }
}
