import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDocument } from '../../dev/docs/document.ts'
import { readGuides } from '../../dev/docs/guides.ts'
import { root } from '../../dev/settings.ts'
import { STATUS_OF } from '../../src/errors.ts'
import { type Harness, start } from '../harness.ts'
import { runGuide } from './guide-runner.ts'

const guides = readGuides(join(root, 'guides'))

let app: Harness
beforeAll(async () => {
  app = await start({ ownServer: true, vars: { EVENT_STREAM_SECONDS: '300' } })
}, 120_000)
afterAll(() => app.close())

describe('the code of a guide runs, and receives what the guide says', () => {
  test.each(guides)('$title', async ({ text }) => {
    const { apiKey } = await app.workspace()
    const base = new URL('/v1', await app.url()).href
    await runGuide(text, { BASE: base, KEY: apiKey, PATH: `${dirname(process.execPath)}:${process.env.PATH}` })
    await app.drain()
  })
})

test('the guide to errors has cause and remedy of every code, with its status', () => {
  const { text } = guides.find(({ url }) => url === '/docs/errors')!
  const sections = new Map(text.split(/^## /m).map((section) => [section.split('\n')[0], section]))
  for (const [code, status] of Object.entries(STATUS_OF)) {
    const section = sections.get(code)
    expect(section, `guides/errors.md lacks ${code}`).toBeDefined()
    expect(section, code).toContain(`**${status}**`)
    expect(section, code).toMatch(/\*\*Cause\.\*\* [\s\S]+\*\*Remedy\.\*\* /)
  }
})

test('guides name only operations that exist', () => {
  const { resources } = readDocument(readFileSync(join(root, 'openapi.json'), 'utf8'))
  const shape = (method: string, path: string) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`
  const known = new Set(resources.flatMap(({ operations }) => operations.map(({ method, path }) => shape(method, path))))
  const named = guides.flatMap(({ title, text }) =>
    [...text.matchAll(/`(GET|POST|PATCH|PUT|DELETE) (\/[^`?]*)`/g)].map(([, method, path]) => ({
      title,
      operation: shape(method as string, path as string),
    })),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(({ operation }) => !known.has(operation))).toEqual([])
})
