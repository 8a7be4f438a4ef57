import { expect, test } from 'vitest'
import { fitted } from '../../src/features/imports/plans/fit.ts'
import { fieldOf } from '../../src/features/imports/rules/fields.ts'
import type { Field } from '../../src/features/imports/rules/kinds.ts'

const field = (name: string, object: 'contacts' | 'companies' | 'opportunities' = 'contacts') => fieldOf(object, name, []) as Field
const long = 'x'.repeat(61)

test('a tag that is too long, or of two lines, is made one that is allowed, and a warning says so', () => {
  for (const object of ['contacts', 'companies', 'opportunities'] as const)
    expect([object, fitted(object, field('tags', object), [{ name: long }, { name: 'A\nB' }, { name: 'VIP' }])]).toEqual([
      object,
      {
        value: [{ name: long.slice(0, 60) }, { name: 'A B' }, { name: 'VIP' }],
        notes: ['Only the first 60 of 61 characters are saved', '2 lines are saved as one: "A B"'],
      },
    ])
})
