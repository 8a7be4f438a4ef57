import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OUTSIDE } from '../../routes/outside.ts'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

const CALLBACKS = OUTSIDE.filter((outside) => 'callback' in outside)
/** A path below the pattern, with a token and ids that nobody has given. */
const unknown = (path: string) => path.replace(/:\w+|\*/g, 'unknown')

const BODIES: [type: string, body: string][] = [
  ['application/json', '{"type":"call_ended","value":[],"message":{"data":"e30="}}'],
  ['application/json', '{"broken'],
  ['application/x-www-form-urlencoded', 'MessageSid=SM1&From=%2B4917&Body=%FF'],
  ['text/plain', '\u0000'.repeat(1_000)],
]

describe('paths outside /v1', () => {
  test.each(CALLBACKS.map(({ path }) => path))('%s accepts nothing from somebody whom it does not know', async (path) => {
    for (const [type, body] of BODIES) {
      const answer = await app.fetch(unknown(path), { method: 'POST', body, headers: { 'content-type': type } })
      expect([answer.status, await answer.text()], `${type}: ${body.slice(0, 40)}`).toEqual([
        expect.toSatisfy((status: number) => status >= 400 && status < 500),
        expect.stringContaining('"error"'),
      ])
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test.each(OUTSIDE.map(({ path, methods }) => [methods[0] === 'ALL' ? 'GET' : (methods[0] ?? ''), path]))(
    '%s %s answers an unknown address with an error and names the request',
    async (method, path) => {
      const answer = await app.fetch(unknown(path), { method, redirect: 'manual' })
      expect(answer.status).toSatisfy((status: number) => status >= 400 && status < 500)
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
})
