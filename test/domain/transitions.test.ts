import { describe, expect, test } from 'vitest'
import { APPROVAL_STATUSES } from '../../src/domain/access.ts'
import type { Transitions } from '../../src/domain/transitions.ts'
import { INVOICE_STATUSES, INVOICE_TRANSITIONS } from '../../src/features/billing/rules/invoices.ts'
import { IMPORT_STATES, IMPORT_TRANSITIONS } from '../../src/features/imports/rules/states.ts'
import { APPROVAL_TRANSITIONS } from '../../src/features/requests/rules/approvals.ts'
import { TASK_STATUSES, TASK_TRANSITIONS } from '../../src/features/tasks/rules/tasks.ts'

const MACHINES: [name: string, states: readonly string[], first: string, table: Transitions<string>][] = [
  ['approval', APPROVAL_STATUSES, 'pending', APPROVAL_TRANSITIONS],
  ['import', IMPORT_STATES, 'ready', IMPORT_TRANSITIONS],
  ['invoice', INVOICE_STATUSES, 'draft', INVOICE_TRANSITIONS],
  // An update can also set in_progress.
  ['task', TASK_STATUSES, 'in_progress', { ...TASK_TRANSITIONS }],
]

describe.each(MACHINES)('the states of an %s', (_, states, first, table) => {
  const steps = Object.values(table).flatMap((transition) => Object.entries(transition) as [string, string][])

  test('are the only ones that its transitions name', () => {
    expect(steps.flat().filter((state) => !states.includes(state))).toEqual([])
  })

  test('can all be reached', () => {
    const reached = new Set([first])
    for (let size = 0; size < reached.size; ) {
      size = reached.size
      for (const [from, to] of steps) if (reached.has(from)) reached.add(to)
    }
    expect([...reached].sort()).toEqual([...states].sort())
  })
})

test.each<[table: Transitions<string>, ended: string[]]>([
  [APPROVAL_TRANSITIONS, ['executed', 'expired', 'rejected']],
  [IMPORT_TRANSITIONS, ['undone']],
  [INVOICE_TRANSITIONS, ['void']],
])('a machine ends where no transition starts', (table, ended) => {
  const from = new Set(Object.values(table).flatMap((transition) => Object.keys(transition)))
  const to = new Set(Object.values(table).flatMap((transition) => Object.values(transition)))
  expect([...to].filter((state) => !from.has(state as string)).sort()).toEqual(ended)
})
