import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { registrations } from '../../dev/registrations.ts'
import { root } from '../../dev/settings.ts'
import { sqlConstants } from '../../dev/sql-constants.ts'

const files = { ...sqlConstants(), ...(await registrations()) }

test.each(Object.entries(files))('%s has the constants of the program (CONSTANTS=write writes them)', (name, text) => {
  const file = join(root, name)
  if (process.env.CONSTANTS === 'write') writeFileSync(file, text)
  expect(readFileSync(file, 'utf8')).toBe(text)
})
