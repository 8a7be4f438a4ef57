/** With PROVE=1 the proofs run at the sizes that the issues state, else at one that suits every run of the tests. */
export const proving = process.env.PROVE === '1'
