import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSealedWithCurrent, readSealingKeys, type SealedPlace, seal, unseal } from '../../src/lib/seal.ts'

const pair = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [old, recent] = [pair('2026a'), pair('2026b')]
const place: SealedPlace = { workspace_id: '0198c5f0-0000-7000-8000-000000000001', table: 'webhooks', column: 'secret' }

test('what is sealed opens again in its place, whatever it is, and never looks the same twice', async () => {
  const keys = await readSealingKeys(old)
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 2_000 }), async (secret) => {
      const sealed = await seal(keys, place, secret)
      expect(await unseal(keys, place, sealed)).toBe(secret)
      expect(sealed).toMatch(/^s1\.2026a\.[\w-]{16}\.[\w-]{22,}$/)
    }),
    { numRuns: 50 },
  )
  const twice = await Promise.all([seal(keys, place, 'secret'), seal(keys, place, 'secret')])
  expect(twice[0]).not.toBe(twice[1])
})

test('after a rotation the new key seals, and the old one still opens until it is removed', async () => {
  const sealed = await seal(await readSealingKeys(old), place, 'token')
  const both = await readSealingKeys(`${recent}, ${old}`)
  expect(await unseal(both, place, sealed)).toBe('token')
  expect(isSealedWithCurrent(both, sealed)).toBe(false)
  const again = await seal(both, place, await unseal(both, place, sealed))
  expect(isSealedWithCurrent(both, again)).toBe(true)
  const rotated = await readSealingKeys(recent)
  expect(await unseal(rotated, place, again)).toBe('token')
  await expect(unseal(rotated, place, sealed)).rejects.toThrow('sealed with the key "2026a", which SEALING_KEYS lacks')
})

test.each<[string, Partial<SealedPlace>]>([
  ['workspace', { workspace_id: '0198c5f0-0000-7000-8000-000000000002' }],
  ['table', { table: 'providers' }],
  ['column', { column: 'token' }],
])('a value copied to another %s does not open', async (_, other) => {
  const keys = await readSealingKeys(old)
  const sealed = await seal(keys, place, 'token')
  await expect(unseal(keys, { ...place, ...other }, sealed)).rejects.toThrow('belongs to another workspace or column')
})

test('a change of any character is noticed', async () => {
  const keys = await readSealingKeys(`${old},${recent}`)
  const sealed = await seal(keys, place, 'token')
  for (let at = 0; at < sealed.length - 1; at++) {
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    await expect(unseal(keys, place, changed), changed).rejects.toThrow(Error)
  }
  // The name of another key that exists does not open it either.
  await expect(unseal(keys, place, sealed.replace('2026a', '2026b'))).rejects.toThrow('was changed')
})

test.each([
  ['', 'key 1 must be <id>'],
  ['2026a', 'key 1 must be <id>'],
  [`${old},2026b:c2hvcnQ=`, 'key 2 must be <id>'],
  [`${old},${old}`, 'key 2 has the id of an earlier key'],
])('keys that are written wrongly are refused by their position, without their text', async (text, message) => {
  await expect(readSealingKeys(text)).rejects.toThrow(message)
  await expect(readSealingKeys(text)).rejects.not.toThrow(old.slice(6))
})
