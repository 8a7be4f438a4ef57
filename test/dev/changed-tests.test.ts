import { expect, test } from 'vitest'
import { changedTests } from '../../dev/changed-tests.ts'

test('a change of one resource runs its tests, those that import it, and the contract tests of its endpoints', () => {
  const { files, contract, wide } = changedTests(['src/features/tasks/plans/series.ts'])
  expect(files).toEqual(expect.arrayContaining(['test/routes/task-series.test.ts', 'test/routes/tasks.test.ts']))
  expect(files.length).toBeLessThan(15)
  expect(contract.paths).toContain('/tasks')
  expect(contract.files).toEqual(expect.arrayContaining(['test/contract/access.test.ts', 'test/contract/trips.test.ts']))
  expect(wide).toEqual([])
})

test('a change of a pure rule runs the tests that import it, and one of a test runs that test', () => {
  expect(changedTests(['src/features/schedules/rules/cron/parse.ts']).files).toContain('test/domain/cron.test.ts')
  expect(changedTests(['test/routes/moves.test.ts']).files).toEqual(['test/routes/moves.test.ts'])
})

test('a change of SQL functions runs the tests of their subject', () => {
  expect(changedTests(['schema/functions/whatsapp-marks.sql']).files).toContain('test/routes/whatsapp-marks.test.ts')
})

test('a change of what all share is named, so that everything is run', () => {
  expect(changedTests(['src/data/page.ts']).wide).toEqual(['src/data/page.ts'])
})

test('a change of texts runs nothing', () => {
  expect(changedTests(['README.md', 'guides/errors.md'])).toMatchObject({ files: [], contract: { paths: [] } })
})
