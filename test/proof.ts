/** Whether proofs run at the size that their issue states (`npm run prove`), or at one that suits every run of the tests. */
export const proving = process.env.PROVE === '1'

/** Whether tests that compare with another implementation take a few samples only (`npm run check`). */
export const sampling = process.env.SAMPLING === '1'
