/** An operation of this API as a tool of a model. `sends`: it may send something to a person, or to another service. */
export type ToolOperation = { id: string; writes: boolean; sends: boolean; scopes: readonly string[] }
/** With what a model must know of it. */
export type Operation = ToolOperation & { description: string; schema: object }
export type ToolInput = { params: Record<string, unknown>; query: Record<string, unknown>; body: unknown }
