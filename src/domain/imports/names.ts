/** Reduces a header to its letters and digits, for comparison. */
export const squash = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
