import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/order.ts'
import { measureSlowness } from './test/speed.ts'

// Wrangler, which only reads its configuration here, says nothing about it.
process.env.WRANGLER_LOG ??= 'warn'
// Test processes inherit it.
process.env.TEST_SLOWNESS ??= String(measureSlowness())
const slowness = Number(process.env.TEST_SLOWNESS)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need Chromium, and run by themselves.
    exclude: ['test/browser/**'],
    globalSetup: ['test/global.ts'],
    // A proof at its full size takes as long as it takes (`npm run prove`).
    testTimeout: process.env.PROVE === '1' ? 3_600_000 : 30_000 * slowness,
    hookTimeout: 60_000 * slowness,
    // On two cores: while a test of one waits for its answer, those of the others go on.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Files share modules, which hold no state that a file could find changed: loading them takes a tenth of the time of the tests.
    isolate: false,
  },
})
