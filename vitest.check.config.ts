import { defineConfig } from 'vitest/config'
import { pureTests } from './test/pure.ts'

// The tests of `npm run check`.
export default defineConfig({ test: { include: pureTests(), exclude: ['test/browser/**'], maxWorkers: 2, isolate: false } })
