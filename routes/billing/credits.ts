import { Hono } from 'hono'
import * as v from 'valibot'
import { getCredits, listCreditEntries, listCreditUsage } from '../../src/features/billing/plans/credits.ts'
import { CreditEntry, Credits, CreditUsage, entryFilters } from '../../src/features/billing/schemas/credits.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { pageQuery } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const creditsRouter = new Hono<App>()
export const creditsApi = endpoints(creditsRouter, { path: WORKSPACE.credits, tag: 'Credits' })

creditsApi.get(
  '',
  {
    id: 'getCredits',
    summary: 'Get the credits of the workspace',
    description: 'A message through a channel with a price is refused with INSUFFICIENT_CREDITS if it costs more than is left.',
    access: scopes('credits:read'),
    returns: Credits,
  },
  () => getCredits(),
)
creditsApi.get(
  '/entries',
  {
    id: 'listCreditEntries',
    summary: 'List the ledger of credits, newest first',
    description:
      'Entries are only added. A message has at most one entry of each kind, however often it is repeated. ' +
      'A recording is charged once; if the balance does not cover it, the rest follows when credits are granted.',
    access: scopes('credits:read'),
    query: v.strictObject({ ...pageQuery, ...entryFilters }),
    returns: listOf(CreditEntry),
  },
  ({ query }) => listCreditEntries(query),
)
creditsApi.get(
  '/usage',
  {
    id: 'listCreditUsage',
    summary: 'List the credits that each month has cost, by channel',
    access: scopes('credits:read'),
    query: v.strictObject(pageQuery),
    returns: listOf(CreditUsage),
  },
  ({ query }) => listCreditUsage(query),
)
