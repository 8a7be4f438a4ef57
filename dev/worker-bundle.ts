import type { BuildOptions } from 'esbuild'

/** How wrangler bundles a Worker that wrangler.toml minifies. */
export const WORKER_BUNDLE = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2024',
  platform: 'neutral',
  conditions: ['workerd', 'worker', 'browser'],
  mainFields: ['browser', 'module', 'main'],
  external: ['cloudflare:*', 'node:*'],
} satisfies BuildOptions
