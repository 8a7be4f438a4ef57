/** How long a caller waits for a vector, in milliseconds. The background has more time. */
export const VECTOR_PATIENCE = 4_000

const DAY = 86_400
/**
 * The seconds after each failed attempt of the background to get a vector: in the end daily for a week, as the account may be the reason.
 */
export const VECTOR_WAITS = [30, 120, 600, 3_600, 21_600, ...new Array<number>(7).fill(DAY)]
