import { expect, test } from 'vitest'
import { logTail } from '../../../src/features/agency/rules/build-logs.ts'
import { limit } from '../../speed.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** Secrets are put together here, so that no tool takes the file for one with secrets. */
const SECRETS = {
  'a token of a source host': `fetching with ${'ghp'}_${LETTERS}`,
  'a key of a payment provider': `${'sk'}_live_${LETTERS}`,
  'a key of a cloud': `id ${'AKIA'}ABCDEFGHIJKLMNOP`,
  'a password in an address': `clone https://deploy:${LETTERS}@git.example.com/site.git`,
  'a variable': `NPM_TOKEN=${LETTERS}`,
  'a quoted variable': `export DB_PASSWORD="${LETTERS} with spaces"`,
  'a field of JSON': `{"client_secret": "${LETTERS}"}`,
  'a header': `Authorization: Bearer ${LETTERS}`,
  'a parameter': `GET https://api.example.com/build?access_token=${LETTERS}&page=2`,
  'a signed claim': `${'eyJ'}${LETTERS}.${'eyJ'}${LETTERS}.${LETTERS}`,
  'a private key': `-----BEGIN RSA PRIVATE KEY-----\n${LETTERS}\n-----END RSA PRIVATE KEY-----`,
}

test.each(Object.entries(SECRETS))('%s is masked in a log, and what is beside it is kept', (_, secret) => {
  const shown = logTail(`Step 1 of 4\n${secret}\nError: no such file`)
  expect(shown).toContain('[redacted]')
  expect(shown).not.toContain(LETTERS)
  expect(shown).not.toContain('ABCDEFGHIJKLMNOP')
  expect(shown).toMatch(/^Step 1 of 4\n/)
  expect(shown).toMatch(/\nError: no such file$/)
})

test('what the build was given as a secret is masked wherever it stands, and other text stays', () => {
  expect(logTail('deploy of swordfish-2 with swordfish', ['swordfish', 'swordfish-2', ''])).toBe('deploy of [redacted] with [redacted]')
  const log = 'Compiled 12 pages\nauthor: Ana\nwarning: the route /secretary has no title\nhttps://preview.example.com/a?page=2'
  expect(logTail(log)).toBe(log)
})

test('the end of a log is kept, in at most 4 KB, from the beginning of a character on', () => {
  const log = `${'é'.repeat(5_000)}Error`
  const shown = logTail(log)
  expect(new TextEncoder().encode(shown).length).toBeLessThanOrEqual(4_096)
  expect(log.endsWith(shown)).toBe(true)
  expect(shown.length).toBeGreaterThan(2_045)
  expect(logTail('short')).toBe('short')
})

test('a secret is masked before the log is cut, so that no part of it is left', () => {
  for (const rest of [4_070, 4_080, 4_090, 32_740, 32_760])
    expect(logTail(`start\nNPM_TOKEN=${LETTERS}\n${'x'.repeat(rest)}`), String(rest)).not.toMatch(/[d-w]{4}|\d{3}/)
})

test.each(['x', 'token', 'eyJ-', 'a.b-', '?a&', 'token="', 'https://', '-----BEGIN PRIVATE KEY-----', 'token   '])(
  'a long line of %j takes no time',
  (part) => {
    const started = performance.now()
    logTail(part.repeat(1_000_000 / part.length))
    expect(performance.now() - started).toBeLessThan(limit(2_000))
  },
)
