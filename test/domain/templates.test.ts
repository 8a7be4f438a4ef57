import { expect, test } from 'vitest'
import { fill } from '../../src/features/automations/rules/templates.ts'

const SCOPE = { values: { contact: { first_name: 'Ana' } }, zone: 'UTC' }

test('templates are filled in, and an opening without an end stays as it is', () => {
  expect(fill('{{ contact.first_name }} and {{contact.last_name | default: "}"}}, {{', SCOPE)).toBe('Ana and }, {{')
})

test('a million characters of openings without an end are read in less than half a second', () => {
  const text = '{{'.repeat(500_000)
  const begun = process.cpuUsage()
  expect(fill(text, SCOPE)).toBe(text)
  expect(process.cpuUsage(begun).user / 1000).toBeLessThan(500)
})
