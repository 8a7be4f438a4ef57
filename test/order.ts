import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { root } from '../dev/settings.ts'

/**
 * The files that take longest, in the order in which they begin. The first one fills a database for which the last one would have to wait.
 */
const FIRST = ['plans', 'access', 'trips', 'flat-cost'].map((name) => `test/contract/${name}.test.ts`)

/** Begins with the longest files, so that no worker is left with one of them at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const long = FIRST.flatMap((name) => sorted.filter(({ moduleId }) => relative(root, moduleId) === name))
    return [...long, ...sorted.filter((file) => !long.includes(file))]
  }
}
