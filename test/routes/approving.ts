import { expect } from 'vitest'
import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'

/** Sends a write that must wait, and returns the id of its approval. */
export async function held(ws: TestWorkspace, method: string, path: string, body?: unknown): Promise<string> {
  const answer = await ws.call(method, path, body)
  expect(answer).toMatchObject({ status: 202, body: { status: 'pending' } })
  expect(Object.keys(answer.body).sort()).toEqual(['approval_id', 'status'])
  return answer.body.approval_id
}

export const approval = async (ws: TestWorkspace, id: string) => (await ws.get(`/approvals/${id}`)).body.data

/** Approves a request and waits until it has been executed. */
export const approveIn =
  (app: () => Harness) =>
  async (ws: TestWorkspace, id: string, body: unknown = {}) => {
    const answer = await ws.post(`/approvals/${id}/approve`, body)
    await app().drain()
    return answer
  }
