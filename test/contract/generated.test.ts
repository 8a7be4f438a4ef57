import { expect, test } from 'vitest'
import { allEndpoints } from '../../routes/index.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'

const endpoints = await allEndpoints()

/** The endpoints that `resource` and `children` can generate, by the verb of the operationId. A legacy path counts with its successor. */
const PLAIN = /^(list|get|create|add|update|delete|remove)[A-Z]/
const plain = endpoints.filter(({ id, successor }) => PLAIN.test(id) && !successor)
const written = plain.filter(({ helper }) => !helper)
const named = ({ id }: Endpoint) => id

test('at least half of the plain endpoints are generated', () => {
  const share = 1 - written.length / plain.length
  expect(share, `by hand: ${written.map(named).join(', ')}`).toBeGreaterThanOrEqual(0.5)
})

test('the history of a record is always generated', () => {
  const histories = plain.filter(({ path }) => /:\w+\/history$/.test(path))
  expect(histories.length).toBeGreaterThan(10)
  expect(histories.filter(({ helper }) => helper !== 'resource').map(named)).toEqual([])
})
