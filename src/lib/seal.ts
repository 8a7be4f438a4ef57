/** The keys that seal secrets, by their ids. `current` seals; the others open what was sealed before a rotation. */
export type SealingKeys = { current: string; keys: ReadonlyMap<string, CryptoKey> }

/** Where a sealed value is stored. It opens nowhere else, so a value copied to another workspace or column is refused. */
export type SealedPlace = { workspace_id: string; table: string; column: string }

const VERSION = 's1'
const KEY_BYTES = 32
/** The length that AES-GCM is defined for. A random one is unique for 2^32 values of a key. */
const NONCE_BYTES = 12
const PAIR = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/

/**
 * Reads SEALING_KEYS: pairs `<id>:<32 bytes in base64>`, separated by commas. The first one seals. To rotate, put a new key in front, and
 * remove an old one when no value names it any more. @throws Error that names the pair by its position, never its text.
 */
export async function readSealingKeys(text: string): Promise<SealingKeys> {
  const keys = new Map<string, CryptoKey>()
  for (const [at, pair] of text.split(',').entries()) {
    const [, id, encoded] = PAIR.exec(pair.trim()) ?? []
    if (!id || !encoded) throw new Error(`SEALING_KEYS: key ${at + 1} must be <id>:<32 bytes in base64>`)
    if (keys.has(id)) throw new Error(`SEALING_KEYS: key ${at + 1} has the id of an earlier key`)
    const bytes = Buffer.from(encoded, 'base64')
    if (bytes.length !== KEY_BYTES) throw new Error(`SEALING_KEYS: key ${at + 1} must have ${KEY_BYTES} bytes`)
    keys.set(id, await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']))
  }
  return { current: [...keys.keys()][0] as string, keys }
}

/** Encrypts a secret for the place where it is stored, as `s1.<key id>.<nonce>.<ciphertext>`, the last two in base64url. */
export async function seal({ current, keys }: SealingKeys, place: SealedPlace, secret: string): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const sealed = await crypto.subtle.encrypt(algorithm(nonce, current, place), keys.get(current)!, new TextEncoder().encode(secret))
  return [VERSION, current, encode(nonce), encode(new Uint8Array(sealed))].join('.')
}

/** Decrypts what `seal` made for the same place. @throws Error when it was changed, belongs elsewhere, or its key is gone. */
export async function unseal({ keys }: SealingKeys, place: SealedPlace, sealed: string): Promise<string> {
  const [version, id = '', nonce = '', text = '', ...rest] = sealed.split('.')
  if (version !== VERSION || rest.length > 0) throw new Error('This is not a sealed value')
  const key = keys.get(id)
  if (!key) throw new Error(`A value is sealed with the key "${id}", which SEALING_KEYS lacks`)
  const opened = await crypto.subtle.decrypt(algorithm(decode(nonce), id, place), key, decode(text)).catch(() => {
    throw new Error('A sealed value was changed, or belongs to another workspace or column')
  })
  return new TextDecoder().decode(opened)
}

/** Whether a value is sealed with the current key; one that is not should be sealed again. */
export const isSealedWithCurrent = ({ current }: SealingKeys, sealed: string): boolean => sealed.startsWith(`${VERSION}.${current}.`)

/** The key's id and the place are authenticated with the ciphertext. JSON keeps their boundaries unambiguous. */
const algorithm = (iv: Uint8Array<ArrayBuffer>, id: string, { workspace_id, table, column }: SealedPlace) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(JSON.stringify([VERSION, id, workspace_id, table, column])),
})

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const decode = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'))
