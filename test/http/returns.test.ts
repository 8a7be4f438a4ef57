import { Hono } from 'hono'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { Page } from '../../src/data/paged.ts'
import { read } from '../../src/data/plan.ts'
import { constant } from '../../src/data/query.ts'
import { created, listOf, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'

const Named = v.object({ name: v.string() })
const access = scopes('contacts:read')

/** `npm run types` fails when one of these lines is no longer an error. */
test('the compiler compares what a plan results in with the schema of the endpoint', () => {
  const api = endpoints(new Hono<App>(), { path: '/named', tag: 'Named' })
  api.get('/one', { id: 'getOne', summary: 'One', access, returns: Named }, () => read(constant({ name: 'Ana' })))
  // @ts-expect-error a number is no name
  api.get('/number', { id: 'getNumber', summary: 'Number', access, returns: Named }, () => read(constant({ name: 1 })))
  // @ts-expect-error the name is missing
  api.post('/empty', { id: 'createEmpty', summary: 'Empty', access, returns: created(Named) }, () => read(constant({})))
  const pages = { id: 'listPages', summary: 'Pages', access, returns: listOf(Named) }
  api.get('/pages', pages, () => read(constant(new Page([{ name: 'Ana' }], 1, null))))
  // @ts-expect-error the items of the page are numbers
  api.get('/numbers', { ...pages, id: 'listNumbers' }, () => read(constant(new Page([1], 1, null))))
  // @ts-expect-error one record is no page
  api.get('/single', { ...pages, id: 'listSingle' }, () => read(constant({ name: 'Ana' })))
  expect(api.endpoints).toHaveLength(6)
})
