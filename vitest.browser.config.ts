import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The tests in Chromium, one after the other (`npm run test:browser`). */
const config = mergeConfig(base, defineConfig({ test: { testTimeout: 120_000, maxWorkers: 1 } }))
config.test.include = ['test/browser/**/*.test.ts']
config.test.exclude = []
export default config
