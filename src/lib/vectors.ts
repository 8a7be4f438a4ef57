/** A vector as PostgreSQL reads it, with the digits that half precision has. */
export const vectorText = (vector: number[]): string => `[${vector.map((value) => Number(value.toPrecision(5))).join(',')}]`
