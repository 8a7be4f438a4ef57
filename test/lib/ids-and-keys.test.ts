import { expect, test } from 'vitest'
import { crc32 } from '../../src/lib/crc.ts'
import { isId, newId } from '../../src/lib/ids.ts'
import { hashKey, newKey, parseKey, toHex } from '../../src/lib/keys.ts'

test('ids made one after the other sort in that order', () => {
  const ids = Array.from({ length: 2000 }, newId)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(2000)
  expect(ids.every((id) => isId(id) && id[14] === '7')).toBe(true)
})

test.each([
  ['a v4 in upper case', 'F47AC10B-58CC-4372-A567-0E02B2C3D479', true],
  ['the nil id', '00000000-0000-0000-0000-000000000000', true],
  ['an id without hyphens', 'f47ac10b58cc4372a5670e02b2c3d479', false],
  ['an id with a line break behind it', 'f47ac10b-58cc-4372-a567-0e02b2c3d479\n', false],
  ['nothing', '', false],
])('whether %s is an id', (_, text, answer) => {
  expect(isId(text)).toBe(answer)
})

test.each([
  ['', 0],
  ['123456789', 0xcbf43926],
  ['The quick brown fox jumps over the lazy dog', 0x414fa339],
])('the CRC-32 of %j is the published one', (text, crc) => {
  expect(crc32(text)).toBe(crc)
  expect(crc32(new TextEncoder().encode(text))).toBe(crc)
})

test('a new key is well formed, and no two are alike', () => {
  const keys = Array.from({ length: 500 }, newKey)
  for (const { key, public_id } of keys) {
    expect(key).toMatch(/^wck_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/)
    expect(parseKey(key)).toEqual({ public_id })
    expect(key.slice(4, 12)).toBe(public_id)
  }
  expect(new Set(keys.map(({ key }) => key)).size).toBe(500)
})

test('every letter of a key is equally likely', () => {
  const seen = new Map<string, number>()
  for (let i = 0; i < 3000; i++) for (const letter of newKey().key.slice(13, 56)) seen.set(letter, (seen.get(letter) ?? 0) + 1)
  const expected = (3000 * 43) / 62
  expect(seen.size).toBe(62)
  for (const count of seen.values()) expect(Math.abs(count - expected) / expected).toBeLessThan(0.15)
})

test('a key with any one letter changed is refused', () => {
  const { key } = newKey()
  for (let i = 0; i < key.length; i++) {
    const other = key[i] === 'a' ? 'b' : 'a'
    expect(parseKey(key.slice(0, i) + other + key.slice(i + 1))).toBeUndefined()
  }
})

test.each(['', 'wck_', `wck_${'a'.repeat(58)}`, `${newKey().key} `, ` ${newKey().key}`, newKey().key.slice(0, -1), `${newKey().key}0`])(
  'no key: %j',
  (text) => {
    expect(parseKey(text)).toBeUndefined()
  },
)

test('the checksum of a known body never changes', () => {
  expect(parseKey(`wck_00000000_${'0'.repeat(43)}4MniPI`)).toEqual({ public_id: '00000000' })
})

test('a hash is the SHA-256 of the text', async () => {
  expect(toHex(await hashKey('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
