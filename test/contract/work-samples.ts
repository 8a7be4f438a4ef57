import { KINDS, SETS } from '../../queues/work/registry.ts'
import { rowsOf } from '../../queues/work/set.ts'
import type { TestWorkspace } from '../workspace.ts'

const CLAIM = '00000000-0000-0000-0000-000000000000'

/** What the tick and a worker read for each kind and set of background work, for the test of costs. */
export const WORK_IN_BACKGROUND: Record<string, (large: TestWorkspace) => string> = {
  ...Object.fromEntries(
    [...KINDS, ...SETS.flatMap(rowsOf)].map(({ name }) => [`due_work of ${name}`, () => `due_work('{${name}}', '{}', now(), 1000)`]),
  ),
  ...Object.fromEntries(
    KINDS.map(({ name, atOnce, lease, workers = 1 }) => [
      `claim_work of ${name}`,
      ({ id }: TestWorkspace) => `claim_work('${name}', '${id}', '${CLAIM}', ${atOnce}, ${lease}, ${workers})`,
    ]),
  ),
}
