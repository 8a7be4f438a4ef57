import { AppError } from '../../errors.ts'
import { readSealingKeys, type SealingKeys, seal, unseal } from '../../lib/seal.ts'
import type { Secrets } from './port.ts'

/** The keys of this isolate, by their text. */
let known: { text: string; keys: Promise<SealingKeys> } | undefined

/** The secrets of this deployment. Storing one fails without SEALING_KEYS. */
export function secretsOf({ SEALING_KEYS: text }: { SEALING_KEYS?: string }): Secrets {
  const keys = (): Promise<SealingKeys> => {
    if (!text) throw new AppError('UNAVAILABLE', 'Secrets cannot be stored: the operator of this service must set SEALING_KEYS')
    if (known?.text !== text) known = { text, keys: readSealingKeys(text) }
    return known.keys
  }
  return {
    seal: async (place, secret) => seal(await keys(), place, secret),
    unseal: async (place, sealed) => unseal(await keys(), place, sealed),
  }
}
