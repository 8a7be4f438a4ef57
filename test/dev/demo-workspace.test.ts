import type { RequestInit } from 'miniflare'
import { expect, test } from 'vitest'
import { apiOf } from '../../dev/demo/api.ts'
import { fillDemoWorkspace } from '../../dev/demo/workspace.ts'
import { found, useCrm } from '../routes/crm.ts'

const crm = useCrm()

test('a new demo workspace has records on every stage, work that is overdue, and a write that waits for approval', async () => {
  const fetch = (url: string, init: RequestInit) => crm.app.fetch(url.slice('http://api.test'.length), init)
  await fillDemoWorkspace(
    apiOf('http://api.test', crm.ws.apiKey, () => {}, fetch as never),
    new Date(),
  )
  const count = async (path: string) => found(await crm.ws.get(`${path}limit=100`)).length
  expect(await Promise.all(['/companies?', '/contacts?', '/opportunities?', '/tasks?', '/activities?'].map(count))).toEqual([
    12, 40, 25, 8, 8,
  ])
  const [pipeline] = found(await crm.ws.get('/pipelines'))
  const { columns } = found(await crm.ws.get(`/pipelines/${pipeline!.id}/board`))
  expect(columns.every(({ count }: { count: number }) => count > 0)).toBe(true)
  expect(await count('/tasks?overdue=true&')).toBe(2)
  const [approval] = found(await crm.ws.get('/approvals?status=pending'))
  expect(approval!.changes.length).toBeGreaterThan(0)
})
