/** Names of fields and headers whose values are secrets, in lower case and without separators. */
const SECRET_NAME =
  /authorization|cookie|secret|passw|passphrase|credential|signature|token|(?:api|access|private|signing|encryption|auth|license|shared|subscription|master|session)key|^key$|^pwd$|^pin$/
/** Credentials within a text, as the header Authorization has them (RFC 9110, section 11.6.2). */
const CREDENTIALS = /\b(Bearer|Basic|Digest|Token)\s+[\w.~+/=:-]{8,}/gi
/** Parameters of a web address, each with its name. */
const PARAMETER = /([?&])([^=&#?\s]+)=([^&#\s]*)/g

export const REDACTED = '[redacted]'

const isSecretName = (name: string): boolean => SECRET_NAME.test(name.toLowerCase().replace(/[^a-z0-9]/g, ''))

const redactText = (text: string): string =>
  text
    .replace(CREDENTIALS, `$1 ${REDACTED}`)
    .replace(PARAMETER, (all, sign: string, name: string) => (isSecretName(name) ? `${sign}${name}=${REDACTED}` : all))

/**
 * A value without its secrets, for logs that people read: the values of fields and headers that are named like secrets, also in lists of
 * `{ name, value }`, credentials within texts, and such parameters of web addresses. Null stays null.
 */
export function redactSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redactSecrets)
  if (typeof value !== 'object' || value === null) return value
  const { name } = value as { name?: unknown }
  const isPair = typeof name === 'string' && isSecretName(name)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const hidden = (isSecretName(key) || (isPair && key === 'value')) && member !== null && typeof member !== 'boolean'
      return [key, hidden ? REDACTED : redactSecrets(member)]
    }),
  )
}
