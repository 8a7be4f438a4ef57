/**
 * A state machine: for each transition, the states that it starts from and the state that each of them changes to. The database has the
 * same tables (see `transitions` in schema/functions/constants.sql) and refuses any other change of state.
 */
export type Transitions<State extends string> = Record<string, Partial<Record<State, State>>>

/** The states that a transition starts from. */
export const startsOf = (transition: Readonly<Record<string, string>>): string[] => Object.keys(transition)
