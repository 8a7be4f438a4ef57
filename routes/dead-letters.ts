import { Hono } from 'hono'
import * as v from 'valibot'
import {
  deleteDeadLetter,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetter,
  replayDeadLetters,
} from '../src/features/dead-letters/plans/dead-letters.ts'
import { DEAD_LETTER_DAYS, MAX_DAILY } from '../src/features/dead-letters/rules/dead-letters.ts'
import { BulkReplay, DeadLetter, deadLetterQuery } from '../src/features/dead-letters/schemas/dead-letters.ts'
import { forEachId } from '../src/http/bulk-ids.ts'
import { type Access, listOf, type Scope } from '../src/http/modes.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { bulkResult, Deleted } from '../src/schemas/common.ts'
import { Id } from '../src/schemas/fields.ts'
import { WORKSPACE } from './paths.ts'

export const deadLettersRouter = new Hono<App>()
export const deadLettersApi = endpoints(deadLettersRouter, { path: WORKSPACE.deadLetters, tag: 'Dead letters' })

const params = v.object({ dead_letter_id: Id })
const admins = (scope: Scope): Access => ({ scopes: [scope], admin: true })
const AGAIN =
  'Hands the message to its queue again, within seconds. An approval, an import, a fire of a schedule or a request to an incoming ' +
  'webhook that has failed because of it continues. Messages may be processed more than once without harm, ' +
  'so a dead letter can be replayed again.'

deadLettersApi.get(
  '',
  {
    id: 'listDeadLetters',
    summary: 'List dead letters, newest first',
    description:
      'Lists the messages of the background that a queue could not process, in several attempts, and malformed ones. ' +
      `They are kept for ${DEAD_LETTER_DAYS} days, at most ${MAX_DAILY.toLocaleString('en')} of 24 hours.`,
    access: admins('dead-letters:read'),
    query: deadLetterQuery,
    returns: listOf(DeadLetter),
  },
  ({ query }) => listDeadLetters(query),
)
deadLettersApi.get(
  '/:dead_letter_id',
  {
    id: 'getDeadLetter',
    summary: 'Get a dead letter',
    access: admins('dead-letters:read'),
    params,
    returns: DeadLetter,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getDeadLetter(params.dead_letter_id),
)
deadLettersApi.post(
  '/:dead_letter_id/replay',
  {
    id: 'replayDeadLetter',
    summary: 'Replay a dead letter',
    description: AGAIN,
    access: admins('dead-letters:write'),
    params,
    returns: DeadLetter,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => replayDeadLetter(params.dead_letter_id),
)
deadLettersApi.post(
  '/bulk-replay',
  {
    id: 'bulkReplayDeadLetters',
    summary: 'Replay up to 100 dead letters',
    description: `${AGAIN} Those that do not exist are reported in \`errors\` and do not stop the others.`,
    access: admins('dead-letters:write'),
    body: BulkReplay,
    returns: bulkResult(DeadLetter),
  },
  ({ body }) => forEachId(body.ids, replayDeadLetters),
)
deadLettersApi.delete(
  '/:dead_letter_id',
  {
    id: 'deleteDeadLetter',
    summary: 'Dismiss a dead letter',
    description: 'Deletes it. What its message is about stays as it is.',
    access: admins('dead-letters:delete'),
    params,
    returns: Deleted,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => deleteDeadLetter(params.dead_letter_id),
)
