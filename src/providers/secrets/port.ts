import type { SealedPlace } from '../../lib/seal.ts'

/** Encrypts secrets before they are stored, and decrypts them. Both throw UNAVAILABLE if the deployment has no keys for it. */
export type Secrets = {
  seal(place: SealedPlace, secret: string): Promise<string>
  unseal(place: SealedPlace, sealed: string): Promise<string>
}
