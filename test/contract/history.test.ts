import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { operations, pathOf } from './samples.ts'

let app: Harness
let ws: TestWorkspace
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
})
afterAll(() => app.close())

const histories = operations.filter(({ endpoint: { method, path } }) => method === 'GET' && /:.*\/history$/.test(path))

test('the history of an unknown id is 404', async () => {
  expect(histories.length).toBeGreaterThan(10)
  for (const { endpoint } of histories) {
    const answer = await ws.get(pathOf(endpoint, {}))
    expect(answer, endpoint.path).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
  }
})
