import { defineConfig } from 'vitest/config'
import { pureTests } from './test/pure.ts'
import { limit } from './test/speed.ts'

// The tests of `npm run check`.
export default defineConfig({
  test: {
    include: pureTests(),
    exclude: ['test/browser/**'],
    env: { SAMPLING: '1' },
    testTimeout: limit(30_000),
    maxWorkers: 2,
    isolate: false,
  },
})
