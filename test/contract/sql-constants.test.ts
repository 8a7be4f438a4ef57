import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FUNCTIONS, sqlConstants } from '../../dev/sql-constants.ts'

test.each(Object.entries(sqlConstants()))('%s has the constants of the program (CONSTANTS=write writes them)', (name, text) => {
  const file = join(FUNCTIONS, name)
  if (process.env.CONSTANTS === 'write') writeFileSync(file, text)
  expect(readFileSync(file, 'utf8')).toBe(text)
})
