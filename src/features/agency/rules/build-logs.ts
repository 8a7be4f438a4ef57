import { REDACTED, redactSecrets } from '../../automations/rules/redaction.ts'
import { LOG_TAIL_BYTES } from './agency.ts'

/** How much of the end of a log is searched for secrets, in characters. */
const SEARCHED = 32_768

// Every repetition before what a pattern is about has a bound, so that the time grows with the length of the log and no faster.
const KEY_BLOCK = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g
/** The end of a key whose beginning is not there. */
const KEY_END = /^[\s\S]*?-----END [A-Z ]{0,40}PRIVATE KEY-----/
/** What stands before @ in a web address. */
const USER_INFO = /\b([a-z][\w+.-]{0,40}:\/\/)[^\s/@]{1,500}@/gi
/** A variable, a flag or a field that is named like a secret, and its value. */
const ASSIGNMENT =
  /([\w.-]{0,40}(?:secret|passw(?:or)?d|passphrase|credential|token|api[_-]?key|access[_-]?key|private[_-]?key|[_-]auth)[\w.-]{0,40}["']?\s{0,8}[:=]\s{0,8})("[^"\n]*"|'[^'\n]*'|[^\s,;]+)/gi
/** Tokens that are known by their form: of source hosts, payment providers, clouds, chats, package registries, and signed claims. */
const TOKEN =
  /\b(?:gh[a-z]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|(?:sk|rk|pk)_(?:live|test)_\w{8,}|AKIA[0-9A-Z]{16}|xox[a-z]-[\w-]{8,}|npm_\w{20,}|eyJ[\w-]{1,2000}\.[\w-]{1,2000}\.[\w-]*)/g

function masked(log: string, secrets: string[]): string {
  // The longest first, because a secret may be a part of another one.
  const known = secrets.filter((secret) => secret.length > 0).toSorted((one, other) => other.length - one.length)
  const named = known.reduce((text, secret) => text.replaceAll(secret, REDACTED), log)
  const formed = named.replace(KEY_BLOCK, REDACTED).replace(KEY_END, REDACTED).replace(USER_INFO, `$1${REDACTED}@`).replace(TOKEN, REDACTED)
  return (redactSecrets(formed) as string).replace(ASSIGNMENT, (all, name: string, value: string) =>
    /^(?:bearer|basic|digest)$/i.test(value) || value.startsWith(REDACTED) ? all : name + REDACTED,
  )
}

/** The last bytes of a text, from the beginning of a character on. */
function endOf(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= most) return text
  let from = bytes.length - most
  // Bytes that continue a character of several.
  while (((bytes[from] as number) & 0xc0) === 0x80) from++
  return new TextDecoder().decode(bytes.subarray(from))
}

/**
 * What of the log of a build is kept: its end, of LOG_TAIL_BYTES bytes at most, in which secrets are masked before it is cut. `secrets`:
 * those that the build was given.
 */
export function logTail(log: string, secrets: string[] = []): string {
  const end = log.slice(-SEARCHED)
  // A secret that the cut has split is in the first line, which goes.
  const whole = end.length === log.length ? end : end.slice(end.indexOf('\n') + 1)
  // PostgreSQL stores no zero character.
  return endOf(masked(whole, secrets).replaceAll('\0', ''), LOG_TAIL_BYTES)
}
