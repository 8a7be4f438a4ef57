import { expect, test } from 'vitest'
import { jsonFault } from '../../src/lib/json-faults.ts'
import { newKey } from '../../src/lib/keys.ts'
import { useCrm } from '../routes/crm.ts'
import { MISTAKES, type Mistake } from './mistakes.ts'

const crm = useCrm()

async function messageOf({ request, headers = {}, body }: Mistake): Promise<string> {
  const [method, path] = request.split(' ') as [string, string]
  // Well formed, and not known to the database.
  const unknown = newKey().key
  const filled = Object.entries({ authorization: `Bearer ${crm.ws.apiKey}`, ...headers })
    .map(([name, value]) => [name, value.replace('$KEY', crm.ws.apiKey).replace('$UNKNOWN', unknown)] as const)
    .filter(([, value]) => value !== '')
  const { text } = await crm.app.client(path, { method, headers: Object.fromEntries(filled), ...(body !== undefined && { body }) })
  const { error, data } = JSON.parse(text) as { error?: { message: string }; data?: object }
  return error?.message ?? JSON.stringify(data)
}

test('a hundred mistakes of the first hour get a message that names the remedy', async () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(100)
  const unhelpful: object[] = []
  for (const mistake of MISTAKES) {
    const message = await messageOf(mistake)
    if (!mistake.word.split('|').some((word) => message.includes(word))) unhelpful.push({ ...mistake, message })
  }
  expect(unhelpful).toEqual([])
})

test('a suggested path exists', async () => {
  const paths = MISTAKES.filter(({ word }) => word.startsWith('/v1/'))
  expect(paths.length).toBeGreaterThan(30)
  for (const { request, word } of paths) {
    const [method] = request.split(' ') as [string]
    const { status } = await crm.app.client(word.replace('?', ''), { method, headers: {} })
    expect([200, 401], `${request} → ${word}`).toContain(status)
  }
})

test('a key is not repeated in the refusal, whatever is wrong with it', async () => {
  for (const authorization of [`Bearer ${crm.ws.apiKey}x`, `Token ${crm.ws.apiKey}`, crm.ws.apiKey]) {
    const message = await messageOf({ request: 'GET /v1/contacts', word: '', headers: { authorization } })
    expect(message).not.toContain(crm.ws.apiKey.slice(4, 20))
  }
})

test('the fault of broken JSON is where JSON.parse stops accepting it', () => {
  const whole = JSON.stringify({ a: [1, -2.5e3, { b: 'x\n"é\\' }, [], {}, null], c: true, d: '' }, null, 1)
  const parses = (text: string) => {
    try {
      return JSON.parse(text) !== undefined
    } catch {
      return false
    }
  }
  // Each prefix ends early: the fault is its end. JSON.parse is the oracle of what is broken at all.
  for (let length = 0; length < whole.length; length++) {
    const prefix = whole.slice(0, length)
    if (parses(prefix)) continue
    const { at } = jsonFault(prefix)
    expect([length, at], prefix).toEqual([length, expect.toSatisfy((one: number) => one >= prefix.trimEnd().length - 8 && one <= length)])
  }
  // One character that fits nowhere: nothing before it is at fault.
  for (let place = 0; place <= whole.length; place++) {
    const text = `${whole.slice(0, place)}\u0001${whole.slice(place)}`
    expect(jsonFault(text).at, text).toBeLessThanOrEqual(place)
    expect(jsonFault(text).at, text).toBeGreaterThanOrEqual(place - 8)
  }
  expect(jsonFault('['.repeat(400_000)).at).toBe(400_000)
})
