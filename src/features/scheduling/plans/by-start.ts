/** The order of a list by the start of a time, unless the request names another one, as a route documents it. */
export const BY_START = '`starts_at`, with created_after or created_before to `-created_at`'

/** The query with its order. */
export function byStart<Query extends Record<string, unknown>>(sent: Query): Query & { sort: unknown } {
  const isCreated = sent.created_after !== undefined || sent.created_before !== undefined
  return { ...sent, sort: sent.sort ?? (isCreated ? '-created_at' : 'starts_at') }
}
