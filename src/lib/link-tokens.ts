import { createHmac, timingSafeEqual } from 'node:crypto'
import { newestSecret, secretsIn } from './link-secrets.ts'

/** What a link of an email is about, so that the token of one opens nothing else. */
export type LinkPurpose = 'booking_confirmation' | 'waiting_list'
export type LinkTarget = { workspace_id: string; id: string }

const SHORTEST_SECRET = 32
/** Two UUIDs and a signature. */
const BYTES = 16 + 16 + 32

const bytesOf = ({ workspace_id, id }: LinkTarget) => Buffer.from((workspace_id + id).replaceAll('-', ''), 'hex')
const uuidOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

function signatureOf(secret: string, purpose: LinkPurpose, target: Buffer): Buffer {
  if (!secret || secret.length < SHORTEST_SECRET) throw new Error(`The secret for the tokens of links needs ${SHORTEST_SECRET} characters`)
  return createHmac('sha256', secret).update(`${purpose}\n`).update(target).digest()
}

/** The token of a row. It follows from the row's id and the secret, so it is stored nowhere, not even as a hash. */
export function linkToken(secret: string, purpose: LinkPurpose, target: LinkTarget): string {
  const bytes = bytesOf(target)
  return Buffer.concat([bytes, signatureOf(newestSecret(secret), purpose, bytes)]).toString('base64url')
}

/** The row that a token belongs to; undefined for a token that was made up or belongs to another purpose. */
export function readLinkToken(secret: string, purpose: LinkPurpose, token: string): LinkTarget | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== BYTES || bytes.toString('base64url') !== token) return undefined
  const [target, signature] = [bytes.subarray(0, 32), bytes.subarray(32)]
  return secretsIn(secret).some((one) => timingSafeEqual(signatureOf(one, purpose, target), signature)) ? targetOf(bytes) : undefined
}

/** The row that a token names, of a token whose signature the request has passed with. */
export const rowOfToken = (token: string): string => targetOf(Buffer.from(token, 'base64url')).id

const targetOf = (bytes: Buffer): LinkTarget => ({ workspace_id: uuidOf(bytes.subarray(0, 16)), id: uuidOf(bytes.subarray(16, 32)) })
