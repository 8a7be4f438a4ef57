import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONSTANTS, sqlConstants } from '../../dev/sql-constants.ts'

test('the database has the constants of src/domain (CONSTANTS=write writes them)', () => {
  if (process.env.CONSTANTS === 'write') writeFileSync(CONSTANTS, sqlConstants())
  expect(readFileSync(CONSTANTS, 'utf8')).toBe(sqlConstants())
})
