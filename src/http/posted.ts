import type { Env } from '../env.ts'

/** What somebody without a key has posted. `params`: those of the path. */
export type Posted = { env: Env; request: Request; params: Record<string, string>; now: Date }

/** What is answered: data, with status 200 unless it names another one, or a response in the provider's own format. */
export type Reply = { data: unknown; status?: number } | Response

export const RECEIVED = { data: { received: true } }
